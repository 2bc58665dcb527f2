"""What stands in the log, and what never does."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest

from supplier_client import CallError, SupplierClient
from wire import Wire, answer

Open = Callable[..., SupplierClient]
Start = Callable[..., Wire]
FAST = {
    "retry": {"base_delay_ms": 20, "max_delay_ms": 40, "jitter": 0},
    "operations": {"track": {}},
}


def test_every_attempt_of_a_call_is_one_line(
    wire: Start, client: Open, caplog: pytest.LogCaptureFixture
) -> None:
    acme = client(wire(answer(503), answer()).url, changes=FAST)
    with caplog.at_level(logging.DEBUG, "supplier_client"):
        acme.send("GET", "/secret/path", query={"token": "s3cret"}, operation="track")
        acme.send("GET", "/secret/path")
    first, second = caplog.records
    assert (first.levelname, second.levelname) == ("INFO", "DEBUG")
    line = first.getMessage()
    assert line.startswith("GET 127.0.0.1:")
    assert "operation track: ok in " in line
    assert "503 after " in line
    assert "waited 20 ms for backoff" in line
    assert first.__dict__["journal"]["attempts"][0]["status"] == 503
    for secret in ("s3cret", "/secret", "test_secret_a"):
        assert secret not in caplog.text


def test_a_failure_is_a_warning(
    wire: Start, client: Open, caplog: pytest.LogCaptureFixture
) -> None:
    acme = client(wire(answer(429, b"", "Retry-After: 9")).url, changes=FAST)
    with caplog.at_level(logging.DEBUG, "supplier_client"), pytest.raises(CallError):
        acme.send("GET", "/x", max_wait=0)
    (record,) = caplog.records
    assert record.levelname == "WARNING"
    assert "no wait of 9000 ms for retry-after (wait-too-long)" in record.getMessage()
