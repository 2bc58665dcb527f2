"""A budget for the processes of one machine, in a folder: nothing to install."""

from __future__ import annotations

import contextlib
import hashlib
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

from ..errors import SetupError

_PAUSE = (0.0002, 0.002)
"""Seconds between two looks at a lock; it is held for well under a millisecond."""


class FileStore:
    """A change takes the lock of its key, then puts a whole new file in the place of the old one:
    readers need no lock, and a process that dies leaves nothing behind, since the system gives
    its lock back.

    - `folder`: made, for its owner alone, if it is not there; every process must be able to write
      in it. On a local disk: network file systems do not lock reliably.

    Not on Windows. Raises `SetupError`. The PHP package's store of the same name reads and writes
    the same files.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        try:
            import fcntl
        except ImportError:
            raise SetupError("FileStore needs fcntl, which Windows lacks: use RedisStore") from None
        self._fcntl = fcntl
        self._folder = Path(folder)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise SetupError(f"the folder {folder} for budgets cannot be made: {error}") from error
        if not os.access(self._folder, os.W_OK | os.X_OK):
            raise SetupError(f"the folder {folder} for budgets cannot be written by this process")

    def load(self, key: str, patience: float) -> str | None:
        return _read(self._file(key))

    def compare_and_swap(
        self, key: str, expect: str | None, value: str, ttl: float, patience: float
    ) -> tuple[bool, str | None]:
        file = self._file(key)
        with self._locked(f"{file}.lock", patience):
            current = _read(file)
            if current != expect:
                return False, current
            part = f"{file}.new"  # ours, for as long as we have the lock
            with open(part, "wb") as out:
                out.write(b"%d\n%b" % (time.time() * 1000 + ttl * 1000, value.encode()))
            os.replace(part, file)
            return True, value

    def _file(self, key: str) -> Path:
        # Keys hold colons and whatever a profile calls its account.
        return self._folder / hashlib.sha256(key.encode()).hexdigest()

    @contextlib.contextmanager
    def _locked(self, name: str, patience: float) -> Iterator[None]:
        deadline = time.monotonic() + patience
        fcntl = self._fcntl
        # Of this one call: threads, too, keep each other out.
        lock = os.open(name, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if time.monotonic() >= deadline:
                        raise TimeoutError(f"{name} stayed locked for {patience} s") from None
                time.sleep(random.uniform(*_PAUSE))
            yield
        finally:
            # Closing would not do: a child that another thread forked meanwhile has it open too.
            with contextlib.suppress(OSError):
                fcntl.flock(lock, fcntl.LOCK_UN)
            os.close(lock)


def _read(file: Path) -> str | None:
    """The first line says until when, in Unix milliseconds; the text follows. Anything else than
    what is written here counts as nothing."""
    try:
        until, found, text = file.read_bytes().partition(b"\n")
    except FileNotFoundError:
        return None
    try:
        alive = bool(found) and int(until) > time.time() * 1000
        return text.decode() if alive else None
    except ValueError:
        return None
