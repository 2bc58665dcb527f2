"""Tools that look into HTTP libraries still see the traffic: what the guide says of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
import respx
import vcr

from conftest import SECRET, acme
from supplier_client import StdlibTransport, SupplierClient, Transport
from supplier_client.transport.httpx import HttpxTransport
from wire import Wire, answer

# What vcrpy itself leaves open, and is of no concern here.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning")


@pytest.mark.parametrize("transport", [StdlibTransport, HttpxTransport])
def test_vcr_records_and_replays(
    wire: Callable[..., Wire], tmp_path: Path, transport: Callable[[], Transport]
) -> None:
    server = wire(answer(201, b'{"a":1}', "X-A: b"))
    for _ in range(2):
        with (
            vcr.use_cassette(str(tmp_path / "tape.yaml")),
            SupplierClient(acme(server.url), SECRET, transport=transport()) as client,
        ):
            reply = client.send("POST", "/x?y=%20", json={"q": 1})
            assert (reply.status, reply.json()) == (201, {"a": 1})
            assert reply.response.headers.get("x-a") == "b"
    assert len(server.requests) == 1


def test_respx_mocks_the_httpx_transport() -> None:
    with respx.mock as mock:
        mock.post("https://supplier.test/v2/x").mock(httpx.Response(201, json={"a": 1}))
        profile = acme("https://supplier.test/v2")
        with SupplierClient(profile, SECRET, transport=HttpxTransport()) as client:
            assert client.send("POST", "/x").json() == {"a": 1}


def test_httpx_brings_its_own_mock() -> None:
    mock = httpx.MockTransport(lambda request: httpx.Response(200, text=request.url.host))
    with SupplierClient(
        acme("https://supplier.test/v2"), SECRET, transport=HttpxTransport(mock)
    ) as client:
        assert client.send("GET", "/x").response.text == "supplier.test"
