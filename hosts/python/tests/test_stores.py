"""What every store promises, in each of them, against a real Redis where it is one."""

from __future__ import annotations

import asyncio
import fcntl
import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import redis

from hammer import main as hammer
from servers import RedisServer
from supplier_client import FileStore, MemoryStore, SetupError, Store
from supplier_client.store.redis import AsyncRedisStore, RedisStore

HAMMER = Path(__file__).with_name("hammer.py")


@pytest.fixture(scope="module")
def server() -> Iterator[RedisServer]:
    started = RedisServer()
    yield started
    started.stop()


@pytest.fixture
def own_server() -> Iterator[RedisServer]:
    """For who breaks it."""
    started = RedisServer()
    yield started
    started.stop()


class Blocking:
    """An asyncio store, seen as the others are."""

    def __init__(self, url: str) -> None:
        self._loop = asyncio.new_event_loop()
        self._store = AsyncRedisStore(url)

    def load(self, key: str, patience: float) -> str | None:
        return self._loop.run_until_complete(self._store.load(key, patience))

    def compare_and_swap(self, *values: Any) -> tuple[bool, str | None]:
        return self._loop.run_until_complete(self._store.compare_and_swap(*values))

    def close(self) -> None:
        self._loop.run_until_complete(self._store.close())
        self._loop.close()


KINDS = ["memory", "file", "redis", "redis client", "redis texts", "redis async"]


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path, server: RedisServer) -> Iterator[Store]:
    if request.param == "memory":
        yield MemoryStore()
    elif request.param == "file":
        yield FileStore(tmp_path / "budgets")
    elif request.param in ("redis client", "redis texts"):
        texts = request.param == "redis texts"
        with redis.Redis(port=server.port, decode_responses=texts) as client:
            client.flushall()
            yield RedisStore(client)
    else:
        with redis.Redis(port=server.port) as client:
            client.flushall()
        opened = Blocking(server.url) if request.param == "redis async" else RedisStore(server.url)
        yield opened
        opened.close()


def test_it_swaps_by_comparison(store: Store) -> None:
    assert store.load("k", 5) is None
    assert store.compare_and_swap("k", "x", "1", 60, 5) == (False, None)
    assert store.compare_and_swap("k", None, "1", 60, 5) == (True, "1")
    assert store.compare_and_swap("k", None, "2", 60, 5) == (False, "1")
    assert store.compare_and_swap("k", "", "2", 60, 5) == (False, "1")
    assert store.compare_and_swap("k", "1", "2", 60, 5) == (True, "2")
    assert store.load("k", 5) == "2"
    assert store.load("K", 5) is None


def test_any_text_comes_back(store: Store) -> None:
    text = '{"w":{"größe\\u0000 🚚":1}}\n\r\n' * 50
    for key in ("sc1:acme:127.0.0.1:1:ä/../b:default", "sc1:" + "x" * 500):
        assert store.compare_and_swap(key, None, text, 60, 5) == (True, text)
        assert store.load(key, 5) == text
        assert store.compare_and_swap(key, text, "", 60, 5) == (True, "")
        assert store.compare_and_swap(key, "", "1", 60, 5) == (True, "1")


def test_a_text_has_a_time_to_live(store: Store) -> None:
    store.compare_and_swap("k", None, "1", 0.05, 5)
    store.compare_and_swap("long", None, "1", 60, 5)
    time.sleep(0.1)
    assert store.load("k", 5) is None
    assert store.load("long", 5) == "1"
    assert store.compare_and_swap("k", "1", "2", 60, 5) == (False, None)
    assert store.compare_and_swap("k", None, "3", 60, 5) == (True, "3")


@pytest.mark.parametrize("store", KINDS[:-1], indirect=True)  # the last is of one thread
def test_threads_lose_no_update(store: Store) -> None:
    def count(times: int) -> None:
        for _ in range(times):
            current, won = store.load("k", 10), False
            while not won:
                value = str(int(current or 0) + 1)
                won, current = store.compare_and_swap("k", current, value, 60, 10)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(count, [50] * 4))
    assert store.load("k", 5) == "200"


@pytest.mark.parametrize("kind", ["file", "redis"])
def test_processes_lose_no_update(kind: str, tmp_path: Path, server: RedisServer) -> None:
    place = f"file:{tmp_path}" if kind == "file" else server.url
    command = [sys.executable, str(HAMMER), place, "hammered", "150"]
    workers = [subprocess.Popen(command) for _ in range(4)]
    assert [worker.wait(60) for worker in workers] == [0] * 4
    store = FileStore(tmp_path) if kind == "file" else RedisStore(server.url)
    assert store.load("hammered", 5) == "600"
    if isinstance(store, RedisStore):
        store.close()


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
@pytest.mark.parametrize("kind", ["file", "redis"])
def test_one_store_works_after_a_fork(kind: str, tmp_path: Path, server: RedisServer) -> None:
    store = FileStore(tmp_path) if kind == "file" else RedisStore(server.url)
    store.compare_and_swap("forked", None, "1", 60, 5)

    def child() -> None:
        if not store.compare_and_swap("forked", "1", "2", 60, 5)[0]:
            os._exit(3)

    process = multiprocessing.get_context("fork").Process(target=child)
    process.start()
    process.join(20)
    assert process.exitcode == 0
    assert store.load("forked", 5) == "2"
    if isinstance(store, RedisStore):
        store.close()


# Files


def test_the_lock_of_a_dead_process_is_free(tmp_path: Path) -> None:
    """It was killed between writing and renaming, with the lock in hand."""
    store = FileStore(tmp_path)
    store.compare_and_swap("k", None, "1", 60, 5)
    code = f"""
import os, signal
from supplier_client import FileStore
os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
FileStore({str(tmp_path)!r}).compare_and_swap("k", "1", "2", 60, 5)
"""
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == -9
    assert any(file.suffix == ".new" for file in tmp_path.iterdir())
    assert store.load("k", 5) == "1"
    assert store.compare_and_swap("k", "1", "3", 60, 5) == (True, "3")


def test_a_lock_that_stays_taken_is_given_up(tmp_path: Path) -> None:
    store = FileStore(tmp_path)
    store.compare_and_swap("k", None, "1", 60, 5)
    (name,) = tmp_path.glob("*.lock")
    with name.open("w") as taken:
        fcntl.flock(taken, fcntl.LOCK_EX)
        with pytest.raises(TimeoutError, match="stayed locked"):
            store.compare_and_swap("k", "1", "2", 60, 0.05)
        assert store.load("k", 5) == "1"  # readers take no lock
    assert store.compare_and_swap("k", "1", "2", 60, 5) == (True, "2")


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")
def test_a_fork_while_a_lock_is_held_does_not_keep_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The child has the locked file open, too, and lives on."""
    store, real = FileStore(tmp_path), os.replace
    ends, go_on = os.pipe()
    children: list[int] = []

    def replace(source: str, target: Path) -> None:
        pid = os.fork()
        if pid == 0:
            os.close(go_on)
            os.read(ends, 1)
            os._exit(0)
        children.append(pid)
        real(source, target)

    monkeypatch.setattr(os, "replace", replace)
    store.compare_and_swap("k", None, "1", 60, 5)
    monkeypatch.undo()
    try:
        assert store.compare_and_swap("k", "1", "2", 60, 1) == (True, "2")
    finally:
        os.close(go_on)
        os.close(ends)
        os.waitpid(children[0], 0)


@pytest.mark.parametrize("garbage", [b"", b"no number\nx", b"99999999999999\n\xff", b"99999"])
def test_garbage_in_a_file_counts_as_nothing(tmp_path: Path, garbage: bytes) -> None:
    store = FileStore(tmp_path)
    store.compare_and_swap("k", None, "1", 60, 5)
    (file,) = (file for file in tmp_path.iterdir() if not file.suffix)
    file.write_bytes(garbage)
    assert store.load("k", 5) is None
    assert store.compare_and_swap("k", None, "2", 60, 5) == (True, "2")


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(SetupError, match="cannot be made"):
        FileStore(tmp_path / "file" / "budgets")


# Redis


def test_a_restarted_redis_gets_the_script_again(own_server: RedisServer) -> None:
    store = RedisStore(own_server.url)
    assert store.compare_and_swap("k", None, "1", 60, 5)[0]
    own_server.stop()
    with pytest.raises(redis.ConnectionError):
        store.load("k", 5)
    own_server.start()
    assert store.compare_and_swap("k", None, "2", 60, 5) == (True, "2")
    store.close()


def test_redis_keeps_the_key_for_as_long_as_it_is_told(server: RedisServer) -> None:
    store = RedisStore(server.url)
    store.compare_and_swap("ttl", None, "1", 60, 5)
    with redis.Redis(port=server.port) as client:
        assert 30_000 < int(str(client.pttl("ttl"))) <= 60_000
    store.close()


def test_a_redis_that_does_not_answer_costs_the_patience(own_server: RedisServer) -> None:
    store = RedisStore(own_server.url)
    assert store.load("k", 0.2) is None
    own_server.freeze()
    began = time.monotonic()
    with pytest.raises(redis.TimeoutError):
        store.load("k", 0.2)
    assert 0.15 < time.monotonic() - began < 3
    own_server.thaw()
    assert store.load("k", 5) is None
    store.close()


def test_a_wrong_address_is_said_at_once() -> None:
    for kind in (RedisStore, AsyncRedisStore):
        with pytest.raises(ValueError, match="scheme"):
            kind("localhost:6379")


def test_without_the_library_it_says_how_to_get_it() -> None:
    code = """
import sys
sys.modules["redis"] = None
try:
    import supplier_client.store.redis
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'supplier-client[redis]'" in done.stdout


def test_the_hammer_counts(tmp_path: Path) -> None:
    """It is what the tests above rely on."""
    hammer(f"file:{tmp_path}", "k", "3")
    assert FileStore(tmp_path).load("k", 5) == "3"
