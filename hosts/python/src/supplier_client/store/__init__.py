"""Where a shared budget lives. The engine asks for texts by key and swaps them by comparison;
what the texts mean is its own business.

`MemoryStore` serves the clients of one process, `supplier_client.store.file.FileStore` those of
one machine, `supplier_client.store.redis.RedisStore` whoever reaches one Redis or Valkey.
"""

from __future__ import annotations

import threading
import time
from typing import Protocol

from .._fork import reset_after_fork


class Store(Protocol):
    """A store for `SupplierClient`. Any exception counts as unreachable: the profile says
    whether calls then go on with a budget of their own.

    It is used by several threads at once. `AsyncSupplierClient` calls it in a thread."""

    def load(self, key: str, patience: float) -> str | None:
        """The text under `key`, in at most `patience` seconds."""

    def compare_and_swap(
        self, key: str, expect: str | None, value: str, ttl: float, patience: float
    ) -> tuple[bool, str | None]:
        """Puts `value` if `expect` stands there (None: nothing), for `ttl` seconds. Returns
        whether it did, and what stands there now."""


class AsyncStore(Protocol):
    """The same for `AsyncSupplierClient`, which takes either kind. It must be `async def`;
    the client itself gives up after `patience`."""

    async def load(self, key: str, patience: float) -> str | None: ...

    async def compare_and_swap(
        self, key: str, expect: str | None, value: str, ttl: float, patience: float
    ) -> tuple[bool, str | None]: ...


class MemoryStore:
    """Shares a budget between the clients of one process."""

    def __init__(self) -> None:
        self._texts: dict[str, tuple[str, float]] = {}
        self._after_fork()
        reset_after_fork(self)

    def load(self, key: str, patience: float) -> str | None:
        with self._lock:
            return self._current(key)

    def compare_and_swap(
        self, key: str, expect: str | None, value: str, ttl: float, patience: float
    ) -> tuple[bool, str | None]:
        with self._lock:
            current = self._current(key)
            if current != expect:
                return False, current
            self._texts[key] = (value, time.monotonic() + ttl)
            return True, value

    def _current(self, key: str) -> str | None:
        text, until = self._texts.get(key, ("", 0.0))
        return text if until > time.monotonic() else None

    def _after_fork(self) -> None:
        self._lock = threading.Lock()
