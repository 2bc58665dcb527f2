"""Against `supplier-test serve`, which judges what a host does to requests: its report must be
clean, for every transport."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from conftest import SECRET, Strict, acme
from supplier_client import (
    AsyncSupplierClient,
    BadResponseError,
    CallError,
    StdlibTransport,
    SupplierClient,
    ThreadedTransport,
    Transport,
    UnavailableError,
    UnknownOutcomeError,
)
from supplier_client.transport.httpx import AsyncHttpxTransport, HttpxTransport

StartStrict = Callable[..., Strict]
PROBES = {
    "retry": {"base_delay_ms": 20, "max_delay_ms": 40, "attempt_timeout_ms": 1500},
    "caps": {"body_bytes": 100_000, "error_body_bytes": 100},
}
TARGET = "/echo/a%2Fb;x=1/~u'()*!?q=%41&r=a%20b&s=a+b&t"


@pytest.mark.parametrize("transport", [StdlibTransport, HttpxTransport])
def test_probes(strict: StartStrict, transport: Callable[[], Transport]) -> None:
    supplier = strict()
    with SupplierClient(acme(supplier.url, **PROBES), SECRET, transport=transport()) as client:
        probe(client)
    report = supplier.report()
    assert report["clean"], report["findings"]


def probe(client: SupplierClient) -> None:
    headers = [("X-Two", "1"), ("X-Two", "2"), ("Accept", "application/json")]
    echo = client.send("POST", TARGET, headers=headers, body=b"\xff\x00").json()
    assert echo["target"] == "/v2" + TARGET
    sent = [tuple(line) for line in echo["headers"]]
    own = {"host", "content-length", "user-agent", "x-signature"}
    assert [line for line in sent if line[0].lower() not in own] == headers
    assert client.send("GET", "/redirect").verdict == "redirect"
    assert client.send("GET", "/compressed").response.body[:2] == b"\x1f\x8b"
    assert [client.send("GET", "/cacheable").json()["seen"] for _ in range(2)] == [1, 2]
    assert client.send("GET", "/slow").json() == [0, 1, 2, 3, 4]
    assert len(client.send("GET", "/bytes/100000").response.body) == 100_000
    assert client.send("GET", "/status/404").verdict == "rejected"
    for target in ("/bytes/100001", "/endless"):
        with pytest.raises(BadResponseError) as caught:
            client.send("GET", target)
        assert caught.value.code == "response-too-large"
    for target in ("/cut", "/drop"):
        with pytest.raises(UnavailableError):
            client.send("GET", target)
        with pytest.raises(UnknownOutcomeError):
            client.send("POST", target)
    for target in ("/stall", "/silence"):
        with pytest.raises(UnknownOutcomeError):
            client.send("POST", target)


@pytest.mark.parametrize("transport", [StdlibTransport, HttpxTransport])
def test_the_whole_list_through_faults(
    strict: StartStrict, transport: Callable[[], Transport]
) -> None:
    supplier = strict(
        "--faults", "503@3,503+1@7,drop@12,cut@20,drop-read@30,slow@40", "--items", "5000"
    )
    with SupplierClient(acme(supplier.url), SECRET, transport=transport()) as client:
        ids = [item["id"] for item in client.items("/consignments", query={"limit": 100})]
    assert len(ids) == len(set(ids)) == 5000
    report = supplier.report()
    assert report["clean"], report["findings"]


@pytest.mark.parametrize("transport", [ThreadedTransport, AsyncHttpxTransport])
def test_orders_and_pacing_from_asyncio(strict: StartStrict, transport: Callable[[], Any]) -> None:
    """40 orders at once against 25 in a window: nothing is sent that cannot be granted, and no
    order exists twice. The margin covers what `Date`, in whole seconds, leaves unknown."""
    supplier = strict("--limit", "25", "--faults", "drop-applied@orders:5")
    profile = acme(supplier.url, retry={"reset_margin_ms": 1000})

    async def order(client: AsyncSupplierClient, number: int) -> bool:
        key = f"order-{number}"
        return (await client.send("POST", "/orders", json={"n": number}, idempotency_key=key)).ok

    async def run() -> None:
        async with AsyncSupplierClient(profile, SECRET, transport=transport()) as client:
            await client.send("GET", "/orders/count")
            assert all(await asyncio.gather(*[order(client, number) for number in range(40)]))

    asyncio.run(run())
    report = supplier.report()
    assert report["clean"], report["findings"]
    assert (report["orders"], report["replayed"]) == (40, 1)


def test_a_deadline_in_the_middle_of_a_walk(strict: StartStrict) -> None:
    supplier = strict("--faults", "503+30@3")
    with SupplierClient(acme(supplier.url), SECRET) as client:
        pages = client.pages("/consignments", query={"limit": 100}, deadline=2)
        next(pages)
        position = next(pages).next
        with pytest.raises(CallError):
            next(pages)
        assert (
            client.page("/consignments", position, query={"limit": 100}, deadline=40).count == 100
        )
