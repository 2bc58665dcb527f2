"""One request and what comes of it."""

from __future__ import annotations

import hashlib
import hmac
import json
import pickle
import re
import time
from collections.abc import Callable
from typing import Any

import pytest

from supplier_client import (
    Attempt,
    BadResponseError,
    CallCancelledError,
    CallError,
    DeniedError,
    InvalidRequestError,
    RejectedError,
    SupplierClient,
    ThrottledError,
    UnavailableError,
    UnknownOutcomeError,
)
from supplier_client._request import asked
from wire import Act, Request, Wire, answer

Open = Callable[..., SupplierClient]
Start = Callable[..., Wire]
FAST = {"retry": {"base_delay_ms": 20, "max_delay_ms": 40, "jitter": 0}}


def signed(request: Request) -> bool:
    """Whether `X-Signature` is HMAC-SHA256 over `timestamp.body` under the test secret."""
    (line,) = [value for name, value in request.headers if name == "X-Signature"]
    found = re.fullmatch(r"t=(\d+),v1=([0-9a-f]{64})", line)
    assert found is not None
    text = found[1].encode() + b"." + request.body
    right = hmac.new(b"test_secret_a", text, hashlib.sha256).hexdigest()
    return right == found[2] and abs(int(found[1]) - time.time()) <= 10


def test_a_reply_has_everything(wire: Start, client: Open) -> None:
    server = wire(answer(201, b'{"order":"1"}', "Content-Type: application/json", "X-A: b"))
    reply = client(server.url + "/v2").send("POST", "/orders", json={"sku": "ä"})
    assert (reply.status, reply.verdict, reply.ok) == (201, "ok", True)
    assert reply.json() == {"order": "1"}
    assert reply.response.headers.get("x-a") == "b"
    assert reply.journal["attempts"][0]["status"] == 201
    assert reply.raise_for_verdict() is reply
    (request,) = server.requests
    assert request.line == "POST /v2/orders HTTP/1.1"
    assert request.body == '{"sku":"ä"}'.encode()
    assert ("Content-Type", "application/json") in request.headers
    assert signed(request)


def test_the_query_is_encoded_once(wire: Start, client: Open) -> None:
    server = wire(answer())
    query: list[tuple[str, str | int | bool]] = [
        ("q", "a b&c"),
        ("q", "ü"),
        ("n", 3),
        ("yes", True),
    ]
    client(server.url).send("GET", "/x%2Fy?z=%20", query=query)
    assert server.requests[0].line == "GET /x%2Fy?z=%20&q=a%20b%26c&q=%C3%BC&n=3&yes=true HTTP/1.1"


@pytest.mark.parametrize("body", [b"\xff\x00\x80binary", b"", "text é".encode(), b"x" * 300_000])
def test_any_body_is_sent_and_signed(wire: Start, client: Open, body: bytes) -> None:
    server = wire(answer())
    client(server.url).send("PUT", "/x", body=body)
    assert server.requests[0].body == body
    assert signed(server.requests[0])


@pytest.mark.parametrize("body", [b"%PDF-1.7 \xff\xfe", b"\xef\xbb\xbf{}", b"", b"x" * 500_000])
@pytest.mark.parametrize("status", [200, 404])
def test_any_body_comes_back(wire: Start, client: Open, body: bytes, status: int) -> None:
    server = wire(answer(status, body))
    reply = client(server.url).send("GET", "/label.pdf")
    assert reply.response.body == (body if status == 200 else body[:65536])


def test_a_rejection_is_a_reply(wire: Start, client: Open) -> None:
    server = wire(answer(422, b"no"))
    reply = client(server.url).send("POST", "/orders")
    assert (reply.status, reply.verdict, reply.ok) == (422, "rejected", False)
    with pytest.raises(RejectedError, match="422") as caught:
        reply.raise_for_verdict()
    assert caught.value.response.body == b"no"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 500, 501])
def test_what_must_not_be_retried_is_not(wire: Start, client: Open, status: int) -> None:
    server = wire(answer(status))
    assert client(server.url).send("GET", "/x").status == status
    assert len(server.requests) == 1


def test_every_attempt_is_signed_afresh(wire: Start, client: Open) -> None:
    server = wire(answer(503, b"", "Retry-After: 1"), answer())
    began = time.monotonic()
    reply = client(server.url).send("GET", "/x")
    assert 1.0 <= time.monotonic() - began < 10
    first, second = server.requests
    assert signed(first)
    assert signed(second)
    assert dict(first.headers)["X-Signature"] != dict(second.headers)["X-Signature"]
    assert [attempt["status"] for attempt in reply.journal["attempts"]] == [503, 200]


def test_spent_attempts_are_a_reply(wire: Start, client: Open) -> None:
    server = wire(answer(503, b"busy"))
    reply = client(server.url, changes=FAST).send("GET", "/x")
    assert (reply.verdict, reply.status, reply.response.body) == ("exhausted", 503, b"busy")
    assert len(server.requests) == 4


def test_an_unkeyed_post_is_not_repeated(wire: Start, client: Open) -> None:
    server = wire(answer(502, b"gone?"))
    with pytest.raises(UnknownOutcomeError) as caught:
        client(server.url).send("POST", "/orders", json={})
    error = caught.value
    assert (error.kind, error.code, error.status) == ("unknown-outcome", "maybe-applied", 502)
    assert error.response is not None
    assert error.response.body == b"gone?"
    assert len(server.requests) == 1


def test_a_keyed_post_is_repeated_with_its_key(wire: Start, client: Open) -> None:
    server = wire(Act(close=True), answer(201))
    acme = client(server.url, changes=FAST)
    reply = acme.send("POST", "/orders", body=b"{}", idempotency_key="order-7")
    assert reply.status == 201
    keys = [dict(request.headers)["Idempotency-Key"] for request in server.requests]
    assert keys == ["order-7", "order-7"]


def test_a_short_body_is_never_a_success(wire: Start, client: Open) -> None:
    """Case B96: a GET is repeated, a POST may have been applied; nothing of a half is seen."""
    half = Act([(0, b"HTTP/1.1 201 X\r\nContent-Length: 9\r\n\r\nhalf")], close=True)
    server = wire(half, answer(200, b"whole"))
    acme = client(server.url, changes=FAST)
    assert acme.send("GET", "/x").response.body == b"whole"
    server.acts = [half]
    with pytest.raises(UnknownOutcomeError) as caught:
        acme.send("POST", "/orders")
    assert (caught.value.status, caught.value.response) == (201, None)
    assert len(server.requests) == 3


def test_a_supplier_that_is_down_is_said_to_be(client: Open) -> None:
    with Wire_closed() as url, pytest.raises(UnavailableError) as caught:
        client(url, changes=FAST).send("POST", "/orders")
    error = caught.value
    assert error.code == "connection-refused"
    assert "127.0.0.1" in str(error)
    assert isinstance(error, ConnectionError)
    assert isinstance(error.__cause__, ConnectionRefusedError)
    assert len(error.journal["attempts"]) == 4


def test_an_attempt_that_takes_too_long(wire: Start, client: Open) -> None:
    server = wire(Act(hold=10), answer())
    retry = {**FAST["retry"], "attempt_timeout_ms": 200}
    assert client(server.url, changes={"retry": retry}).send("GET", "/x").status == 200
    server.acts = [Act(hold=10)]
    with pytest.raises(UnknownOutcomeError):
        client(server.url, changes={"retry": retry}).send("POST", "/x")


def test_a_deadline_covers_the_whole_call(wire: Start, client: Open) -> None:
    server = wire(answer(503, b"", "Retry-After: 30"))
    began = time.monotonic()
    with pytest.raises(CallCancelledError) as caught:
        client(server.url).send("GET", "/x", deadline=20)
    assert time.monotonic() - began < 10
    assert caught.value.code == "deadline-would-pass"
    assert caught.value.retry_after == 30.0
    assert caught.value.response is not None
    assert isinstance(caught.value, TimeoutError)


def test_a_wait_that_is_too_long_is_not_begun(wire: Start, client: Open) -> None:
    server = wire(answer(429, b"slow down", "Retry-After: 7"))
    with pytest.raises(ThrottledError) as caught:
        client(server.url).send("GET", "/x", max_wait=0)
    error = caught.value
    assert (error.code, error.retry_after_ms) == ("wait-too-long", 7000)
    assert error.response is not None
    assert error.response.body == b"slow down"
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"headers": {"Host": "elsewhere"}}, "reserved-header"),
        ({"headers": {"X-A": "b\r\nX-B: c"}}, "invalid-header"),
        ({"target": "/../admin"}, "invalid-path"),
        ({"target": "no-slash"}, "invalid-path"),
        ({"deadline": 0}, "invalid-request"),
    ],
)
def test_a_bad_request_is_not_sent(
    wire: Start, client: Open, options: dict[str, Any], code: str
) -> None:
    server = wire(answer())
    options = {"method": "GET", "target": "/x", **options}
    with pytest.raises(InvalidRequestError) as caught:
        client(server.url).send(**options)
    assert caught.value.code == code
    assert server.requests == []


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"body": b"", "json": {}}, TypeError),
        ({"query": {"a": None}}, TypeError),
        ({"deadline": -1}, ValueError),
        ({"max_wait": float("nan")}, ValueError),
        ({"json": float("nan")}, ValueError),
        ({"json": object()}, TypeError),
    ],
)
def test_mistakes_of_a_caller(client: Open, options: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        client("http://127.0.0.1:9").send("POST", "/x", **options)


def test_attempts_are_told_as_they_happen(wire: Start, client: Open) -> None:
    server = wire(answer(503), Act(close=True), answer())
    seen: list[Attempt] = []
    acme = client(server.url, changes=FAST, on_attempt=seen.append)
    acme.send("GET", "/secret/path?token=1", headers={"X-A": "b"})
    assert [(a.number, a.status, a.code, a.next) for a in seen] == [
        (1, 503, None, "wait"),
        (2, None, "connection-terminated", "wait"),
        (3, 200, None, "reply"),
    ]
    assert (seen[0].why, seen[0].wait) == ("backoff", 0.02)
    assert "secret" not in repr(seen)


def test_credentials_are_rotated(wire: Start, client: Open) -> None:
    server = wire(answer())
    acme = client(server.url)
    acme.set_credentials({"signing-secret": "another"})
    acme.send("GET", "/x")
    assert not signed(server.requests[0])
    with pytest.raises(ValueError, match="signing-secret"):
        acme.set_credentials({})
    acme.set_credentials({"signing-secret": "test_secret_a"})
    acme.send("GET", "/x")
    assert signed(server.requests[1])


def test_explain_sends_nothing_and_tells_no_secret(wire: Start, client: Open) -> None:
    server = wire(answer())
    explained = client(server.url).explain("POST", "/orders", json={"a": 1}, operation=None)
    assert "test_secret_a" not in repr(explained)
    assert explained
    assert "failure" in client(server.url).explain("GET", "/../x")
    assert server.requests == []


def test_health_counts(wire: Start, client: Open) -> None:
    acme = client(wire(answer()).url)
    acme.send("GET", "/x")
    health = acme.health()
    assert (health["calls"], health["attempts"], health["replies"]) == (1, 1, {"ok": 1})


def test_a_transport_that_fails_in_an_unknown_way(client: Open) -> None:
    """What is not explained may have been sent."""

    class Faulty:
        def send(self, message: object) -> Any:
            raise LookupError("a bug")

        def close(self) -> None:
            pass

    acme = client("http://127.0.0.1:9", transport=Faulty())
    with pytest.raises(UnknownOutcomeError) as caught:
        acme.send("POST", "/x")
    assert isinstance(caught.value.__cause__, LookupError)


def test_page_refuses_what_is_none(wire: Start, client: Open) -> None:
    server = wire(answer(404))
    with pytest.raises(DeniedError) as caught:
        client(server.url).page("/x")
    assert caught.value.response is not None
    server.acts = [answer(200, b"<html>")]
    with pytest.raises(BadResponseError):
        client(server.url).page("/x")


def test_errors_cross_processes(wire: Start, client: Open) -> None:
    server = wire(answer(429, b"", "Retry-After: 7"))
    with pytest.raises(CallError) as caught:
        client(server.url).send("GET", "/x", max_wait=0)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert type(copy) is ThrottledError
    assert (str(copy), copy.retry_after_ms) == (str(caught.value), 7000)
    assert copy.response == caught.value.response


class Wire_closed:
    """The address of a supplier that is down."""

    def __enter__(self) -> str:
        server = Wire(answer())
        server.close()
        return server.url

    def __exit__(self, *_: object) -> None:
        pass


@pytest.mark.parametrize(("seconds", "ms"), [(16.1, 16100), (0.0001, 1), (1e12, 4294967295)])
def test_seconds_become_milliseconds(seconds: float, ms: int) -> None:
    """Rounded up, but not for what a float has too much."""
    request = json.loads(asked("GET", "/x", deadline=seconds).request)
    assert request["deadline_ms"] == ms
