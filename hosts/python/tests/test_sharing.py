"""Clients that share a budget, and what they do when its store fails."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import SECRET, acme
from servers import RedisServer
from supplier_client import AsyncSupplierClient, CallError, FileStore, MemoryStore, SupplierClient
from supplier_client.store.redis import AsyncRedisStore, RedisStore
from wire import Act, Request, Wire, answer

Open = Callable[..., SupplierClient]
Start = Callable[..., Wire]
SHARED = {"budget": {"shared": True}}


@pytest.fixture
def server() -> Iterator[RedisServer]:
    started = RedisServer()
    yield started
    started.stop()


def test_two_clients_share_one_budget(wire: Start, client: Open) -> None:
    """What one was told, the other keeps to."""

    def decide(request: Request) -> Act:
        reset = str(int(time.time()) + 30)
        return answer(200, b"", "X-RateLimit-Remaining: 0", f"X-RateLimit-Reset: {reset}")

    server, store = wire(decide=decide), MemoryStore()
    shared = {"budget": {"shared": True}}
    first, second = (client(server.url, changes=shared, store=store) for _ in range(2))
    first.send("GET", "/x")
    with pytest.raises(CallError) as caught:
        second.send("GET", "/x", max_wait=0)
    assert caught.value.code == "wait-too-long"
    assert len(server.requests) == 1


def test_without_a_store_calls_go_on_alone(wire: Start, client: Open) -> None:
    acme_client = client(wire(answer()).url, changes={"budget": {"shared": True}})
    reply = acme_client.send("GET", "/x")
    assert any(note["code"] == "store-unavailable" for note in reply.journal["notes"])


def test_a_store_that_fails_is_logged(
    wire: Start, client: Open, caplog: pytest.LogCaptureFixture
) -> None:
    class Down(MemoryStore):
        def load(self, key: str, patience: float) -> str | None:
            raise TimeoutError("no store there")

    shared = {"budget": {"shared": True}}
    with caplog.at_level(logging.WARNING, "supplier_client"):
        assert client(wire(answer()).url, changes=shared, store=Down()).send("GET", "/x").ok
    assert "no store there" in caplog.text


def test_asyncio_takes_both_kinds(wire: Start) -> None:
    memory = MemoryStore()

    class Later:
        async def load(self, key: str, patience: float) -> str | None:
            return memory.load(key, patience)

        async def compare_and_swap(
            self, key: str, expect: str | None, value: str, ttl: float, patience: float
        ) -> tuple[bool, str | None]:
            await asyncio.sleep(0)
            return memory.compare_and_swap(key, expect, value, ttl, patience)

    server = wire(answer())

    async def run() -> None:
        profile = acme(server.url, budget={"shared": True})
        for store in (memory, Later()):
            async with AsyncSupplierClient(profile, SECRET, store=store) as client:
                reply = await client.send("GET", "/x")
                assert "notes" not in reply.journal

    asyncio.run(run())


def spent(request: Request) -> Act:
    reset = str(int(time.time()) + 60)
    return answer(200, b"", "X-RateLimit-Remaining: 0", f"X-RateLimit-Reset: {reset}")


def test_what_one_is_told_the_other_keeps_to(
    wire: Start, tmp_path: Path, server: RedisServer
) -> None:
    for stores in ([FileStore(tmp_path)] * 2, [RedisStore(server.url) for _ in range(2)]):
        supplier = wire(decide=spent)
        profile = acme(supplier.url, **SHARED)
        first, second = (SupplierClient(profile, SECRET, store=store) for store in stores)
        with first, second:
            first.send("GET", "/x")
            with pytest.raises(Exception, match="wait-too-long"):
                second.send("GET", "/x", max_wait=0)
        assert len(supplier.requests) == 1
        for store in stores:
            if isinstance(store, RedisStore):
                store.close()


def test_no_secret_stands_in_the_store(wire: Start, tmp_path: Path) -> None:
    profile = acme(wire(decide=spent).url, **SHARED)
    with SupplierClient(profile, SECRET, store=FileStore(tmp_path)) as client:
        client.send("POST", "/private/path", body="the body", idempotency_key="order-7")
    stored = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b'"l"' in stored or b'"r"' in stored
    for word in (b"test_secret", b"private", b"the body", b"order-7"):
        assert word not in stored


@pytest.mark.parametrize("failure", ["local", "closed"])
def test_a_dead_redis_is_left_alone_and_the_profile_decides(
    wire: Start, server: RedisServer, failure: str
) -> None:
    budget = {"budget": {"shared": True, "store_failure": failure}}
    store = RedisStore(server.url)
    server.stop()
    supplier = wire(answer())
    with SupplierClient(acme(supplier.url, **budget), SECRET, store=store) as client:
        if failure == "local":
            reply = client.send("GET", "/x")
            assert any(note["code"] == "store-unavailable" for note in reply.journal["notes"])
        else:
            with pytest.raises(Exception, match="store-unavailable"):
                client.send("GET", "/x")
    assert len(supplier.requests) == (1 if failure == "local" else 0)


def test_a_slow_store_does_not_hold_up_the_loop(wire: Start) -> None:
    class Slow:
        def load(self, key: str, patience: float) -> str | None:
            time.sleep(0.5)
            return None

        def compare_and_swap(self, *_: Any) -> tuple[bool, str | None]:
            return True, None

    profile = acme(wire(answer()).url, budget={"shared": True, "patience_ms": 20_000})

    async def run() -> int:
        async with AsyncSupplierClient(profile, SECRET, store=Slow()) as client:
            call, ticks = asyncio.create_task(client.send("GET", "/x")), 0
            while not call.done():
                await asyncio.sleep(0.01)
                ticks += 1
            assert (await call).ok
            return ticks

    assert asyncio.run(run()) > 10  # a loop held up ticks once or twice


def test_asyncio_gives_up_a_store_after_its_patience(wire: Start) -> None:
    class Never:
        async def load(self, key: str, patience: float) -> str | None:
            await asyncio.sleep(3600)
            return None

        async def compare_and_swap(self, *_: Any) -> tuple[bool, str | None]:
            return True, None

    profile = acme(wire(answer()).url, budget={"shared": True, "patience_ms": 50})

    async def run() -> None:
        async with AsyncSupplierClient(profile, SECRET, store=Never()) as client:
            reply = await asyncio.wait_for(client.send("GET", "/x"), 30)
            assert any(note["code"] == "store-unavailable" for note in reply.journal["notes"])

    asyncio.run(run())


def test_asyncio_over_redis(wire: Start, server: RedisServer) -> None:
    supplier = wire(decide=spent)

    async def run() -> None:
        profile = acme(supplier.url, **SHARED)
        stores = AsyncRedisStore(server.url), RedisStore(server.url)
        for store in stores:
            async with AsyncSupplierClient(profile, SECRET, store=store) as client:
                if store is stores[0]:
                    reply = await client.send("GET", "/x")
                    assert "notes" not in reply.journal
                else:
                    with pytest.raises(Exception, match="wait-too-long"):
                        await client.send("GET", "/x", max_wait=0)
        await stores[0].close()
        stores[1].close()

    asyncio.run(run())
    assert len(supplier.requests) == 1
