"""The shared budget's store."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable

import pytest

from conftest import SECRET, acme
from supplier_client import AsyncSupplierClient, CallError, MemoryStore, SupplierClient
from wire import Act, Request, Wire, answer

Open = Callable[..., SupplierClient]
Start = Callable[..., Wire]


def test_memory_swaps_by_comparison() -> None:
    store = MemoryStore()
    assert store.load("k", 1) is None
    assert store.compare_and_swap("k", "x", "1", 60, 1) == (False, None)
    assert store.compare_and_swap("k", None, "1", 60, 1) == (True, "1")
    assert store.compare_and_swap("k", None, "2", 60, 1) == (False, "1")
    assert store.compare_and_swap("k", "1", "2", 0.01, 1) == (True, "2")
    time.sleep(0.02)
    assert store.load("k", 1) is None


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
