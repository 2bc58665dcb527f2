"""The asyncio client, over both of its transports."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest

from conftest import SECRET, acme
from supplier_client import (
    AsyncSupplierClient,
    AsyncTransport,
    ThreadedTransport,
    UnavailableError,
)
from supplier_client._within import within
from supplier_client.transport.httpx import AsyncHttpxTransport
from wire import Act, Request, Wire, answer

Start = Callable[..., Wire]
TRANSPORTS = [ThreadedTransport, AsyncHttpxTransport]
FAST = {"retry": {"base_delay_ms": 20, "max_delay_ms": 40, "jitter": 0}}


@pytest.fixture(params=TRANSPORTS)
def transport(request: pytest.FixtureRequest) -> Callable[[], AsyncTransport]:
    made: Callable[[], AsyncTransport] = request.param
    return made


def opened(
    url: str, transport: Callable[[], AsyncTransport], **changes: Any
) -> AsyncSupplierClient:
    return AsyncSupplierClient(acme(url, **changes), SECRET, transport=transport())


def test_send_page_and_items(wire: Start, transport: Callable[[], AsyncTransport]) -> None:
    pages = {"": b'{"items":[1,2],"next":"a"}', "cursor=a": b'{"items":[3],"next":null}'}

    def decide(request: Request) -> Act:
        if request.line.startswith("POST"):
            return answer(201, b'{"id":1}')
        return answer(200, pages[request.line.split()[1].partition("?")[2]])

    server = wire(decide=decide)

    async def run() -> None:
        async with opened(server.url, transport) as client:
            reply = await client.send("POST", "/orders", json={"a": 1})
            assert (reply.status, reply.json()) == (201, {"id": 1})
            assert [item async for item in client.items("/things")] == [1, 2, 3]
            assert (await client.page("/things")).count == 2
            assert client.health()["pages"] == 3

    asyncio.run(run())


def test_retries_and_failures(wire: Start, transport: Callable[[], AsyncTransport]) -> None:
    server = wire(answer(503), Act(close=True), answer(200, b"ok"))

    async def run() -> None:
        async with opened(server.url, transport, **FAST) as client:
            assert (await client.send("GET", "/x")).response.body == b"ok"
            server.acts = [Act(close=True)]
            with pytest.raises(UnavailableError):
                await client.send("GET", "/x")

    asyncio.run(run())


def test_calls_run_side_by_side(wire: Start, transport: Callable[[], AsyncTransport]) -> None:
    def decide(request: Request) -> Act:
        if "/slow" in request.line:
            return answer(503, b"", "Retry-After: 1") if slow.pop() else answer()
        act = answer()
        act.pieces = [(0.3, act.pieces[0][1])]
        return act

    slow = [False, True]
    server = wire(decide=decide)

    async def run() -> None:
        async with opened(server.url, transport) as client:
            waiting = asyncio.create_task(client.send("GET", "/slow"))
            await asyncio.sleep(0.1)
            began = time.monotonic()
            await asyncio.gather(*[client.send("PUT", f"/{n}") for n in range(8)])
            assert time.monotonic() - began < 2  # 2.4 one after the other
            assert (await waiting).ok

    asyncio.run(run())


@pytest.mark.parametrize("act", [answer(503, b"", "Retry-After: 30"), Act(hold=30)])
def test_a_cancelled_task_ends_at_once(
    wire: Start, transport: Callable[[], AsyncTransport], act: Act
) -> None:
    server = wire(act)

    async def run() -> float:
        async with opened(server.url, transport) as client:
            task = asyncio.create_task(client.send("GET", "/x"))
            await asyncio.sleep(0.3)
            began = time.monotonic()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert client.health()["failures"] == {"cancelled": 1}
            return time.monotonic() - began

    assert asyncio.run(run()) < 10  # of 30
    assert len(server.requests) == 1


def test_an_outer_timeout_is_the_callers(
    wire: Start, transport: Callable[[], AsyncTransport]
) -> None:
    server = wire(answer(503, b"", "Retry-After: 30"))

    async def run() -> None:
        async with opened(server.url, transport) as client:
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(client.send("GET", "/x"), 0.2)

    asyncio.run(run())


def test_a_cancellation_that_comes_with_the_result_is_kept() -> None:
    """Before Python 3.12 `asyncio.wait_for` loses it."""

    async def run() -> str:
        result: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        async def work() -> str:
            return await result

        task = asyncio.create_task(within(30, work()))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        result.set_result("done")
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return "cancelled"

    assert asyncio.run(run()) == "cancelled"


def test_within_ends_what_takes_too_long() -> None:
    ended: list[bool] = []

    async def work() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            ended.append(True)

    async def run() -> None:
        with pytest.raises(TimeoutError):
            await within(0.01, work())
        await asyncio.sleep(0)
        assert ended == [True]

    asyncio.run(run())
