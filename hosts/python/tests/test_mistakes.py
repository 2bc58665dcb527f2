"""A caller's mistakes: each is said at once, by name, and nothing is sent."""

from __future__ import annotations

import asyncio
import logging
import re
import threading
import time
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from conftest import SECRET, acme
from supplier_client import (
    Answer,
    AsyncSupplierClient,
    CallCancelledError,
    Message,
    RejectedError,
    StdlibTransport,
    SupplierClient,
)
from wire import Wire, answer

Open = Callable[..., SupplierClient]
Start = Callable[..., Wire]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"body": {"sku": "A1"}}, "body must be bytes or str, not dict; give json="),
        ({"idempotency_key": 7}, "idempotency_key must be a str, not int"),
        ({"operation": 7}, "operation must be a str, not int"),
        ({"headers": {"X-Count": 3}}, "header X-Count must be a str, not int"),
        ({"headers": {3: "a"}}, "a header's name must be a str, not int"),
        ({"deadline": "20"}, "deadline must be a number of seconds, not str"),
        ({"query": {"since": None}}, "a query value must be a str, a number or a bool"),
        ({"body": "a", "json": {}}, "give either `body` or `json`, not both"),
    ],
)
def test_wrong_types(wire: Start, client: Open, options: dict[str, Any], says: str) -> None:
    supplier = wire(answer())
    with pytest.raises(TypeError) as caught:
        client(supplier.url).send("POST", "/orders", **options)
    assert says in str(caught.value)
    assert supplier.requests == []


@pytest.mark.parametrize("transport", [httpx.Client(), "httpx", 7, object()])
def test_what_is_no_transport(transport: Any) -> None:
    with pytest.raises(TypeError, match=r"for httpx give supplier_client\.transport\.httpx"):
        SupplierClient(acme("http://127.0.0.1:1"), SECRET, transport=transport)


class _Wrong:
    sent = 0

    def send(self, message: Message) -> Answer:
        self.sent += 1
        return httpx.Response(200)  # type: ignore[return-value]

    def close(self) -> None:
        pass


def test_a_transport_that_answers_something_else() -> None:
    transport = _Wrong()
    supplier = SupplierClient(acme("http://127.0.0.1:1"), SECRET, transport=transport)
    with pytest.raises(TypeError, match=r"must return a supplier_client\.Answer, not Response"):
        supplier.send("GET", "/orders")
    assert transport.sent == 1


def test_a_synchronous_transport_for_asyncio(wire: Start) -> None:
    transport: Any = StdlibTransport()
    supplier = AsyncSupplierClient(acme(wire(answer()).url), SECRET, transport=transport)
    with pytest.raises(TypeError, match="async def send"):
        asyncio.run(supplier.send("GET", "/orders"))
    transport.close()


def test_a_shared_budget_without_a_store(
    wire: Start, client: Open, caplog: pytest.LogCaptureFixture
) -> None:
    opened = client(wire(answer()).url, changes={"budget": {"shared": True}})
    for _ in range(2):
        assert opened.send("GET", "/orders").ok
    (said,) = (r.getMessage() for r in caplog.records if r.levelno == logging.WARNING)
    assert "the client was given no store" in said


def test_a_closed_client(wire: Start, client: Open, caplog: pytest.LogCaptureFixture) -> None:
    supplier = wire(answer())
    opened = client(supplier.url)
    opened.close()
    for call in (
        lambda: opened.send("GET", "/orders"),
        lambda: opened.page("/orders"),
        lambda: list(opened.items("/orders")),
    ):
        with pytest.raises(
            CallCancelledError, match="the client was closed: nothing was sent"
        ) as caught:
            call()
        assert caught.value.code == "closed"
    assert supplier.requests == []
    assert "None" not in caplog.text


def test_a_closed_client_of_asyncio(wire: Start) -> None:
    supplier = wire(answer())

    async def call() -> None:
        async with AsyncSupplierClient(acme(supplier.url), SECRET) as opened:
            pass
        await opened.send("GET", "/orders")

    with pytest.raises(CallCancelledError, match="the client was closed: nothing was sent"):
        asyncio.run(call())
    assert supplier.requests == []


def test_a_wait_that_close_ends(
    wire: Start, client: Open, caplog: pytest.LogCaptureFixture
) -> None:
    opened = client(wire(answer(429, b"", "Retry-After: 20")).url)
    threading.Timer(0.2, opened.close).start()
    began = time.monotonic()
    with (
        caplog.at_level(logging.INFO, "supplier_client"),
        pytest.raises(CallCancelledError, match="the client was closed") as caught,
    ):
        opened.send("GET", "/orders")
    assert time.monotonic() - began < 5
    begins, ends = (record.getMessage() for record in caplog.records)
    assert re.search(r"^GET 127\.0\.0\.1:\d+: waits 2\d\.\d s for retry-after$", begins)
    (wait,) = caught.value.journal["waits"]
    # As long as it lasted, not as long as it was meant to.
    assert wait["ms"] < 5_000
    assert f"waited {wait['ms']} ms for retry-after" in ends


def test_a_rejection_says_what_a_failure_says(wire: Start, client: Open) -> None:
    opened = client(wire(answer(404)).url)
    with pytest.raises(RejectedError) as caught:
        opened.send("GET", "/orders/8").raise_for_verdict()
    error = caught.value
    assert (error.status, error.verdict, error.retry_after) == (404, "rejected", None)
