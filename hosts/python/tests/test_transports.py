"""What every transport promises (`supplier_client.transport`), for each of them."""

from __future__ import annotations

import asyncio
import gzip
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from supplier_client import (
    Answer,
    AsyncTransport,
    Broken,
    Caps,
    Message,
    StdlibTransport,
    ThreadedTransport,
    Transport,
)
from supplier_client.transport.httpx import AsyncHttpxTransport, HttpxTransport
from wire import Act, Wire, answer

CAPS = Caps(body_bytes=1000, error_body_bytes=10, header_bytes=2000)
KINDS = ["stdlib", "httpx", "threaded", "async-httpx"]
Send = Callable[[Message], Answer]


@pytest.fixture(params=KINDS)
def send(request: pytest.FixtureRequest) -> Iterator[Send]:
    """A function that sends over one transport, the same for all messages of a test."""
    if request.param in ("stdlib", "httpx"):
        transport: Transport = StdlibTransport() if request.param == "stdlib" else HttpxTransport()
        yield transport.send
        transport.close()
        return
    loop = asyncio.new_event_loop()
    threaded = request.param == "threaded"
    later: AsyncTransport = ThreadedTransport() if threaded else AsyncHttpxTransport()
    yield lambda message: loop.run_until_complete(later.send(message))
    loop.run_until_complete(later.close())
    loop.run_until_complete(asyncio.sleep(0.01))  # httpx's own generators end in tasks
    loop.close()


def message(url: str, method: str = "GET", **changes: object) -> Message:
    values = {"headers": [], "body": b"", "timeout": 5.0, "caps": CAPS, **changes}
    return Message(method, url, **values)  # type: ignore[arg-type]


def broken(send: Send, message: Message) -> Broken:
    with pytest.raises(Broken) as caught:
        send(message)
    return caught.value


def test_the_target_is_untouched(wire: Callable[..., Wire], send: Send) -> None:
    server = wire(answer())
    target = "/v2/a%2fb/./%7Euser//x;y=1?q=%41+b&r=a'b&s=[1]|{}&empty=&=&t=%zz"
    send(message(server.url + target))
    assert server.requests[0].line == f"GET {target} HTTP/1.1"


def test_headers_are_verbatim(wire: Callable[..., Wire], send: Send) -> None:
    server = wire(answer())
    headers = [
        ("X-Signature", "t=1,v1=ab"),
        ("x-lower", "Zürich"),
        ("X-Twice", "1"),
        ("X-Twice", "2"),
    ]
    send(message(server.url + "/", "POST", headers=headers, body=b"{}"))
    got = server.requests[0].headers
    assert got[0] == ("Host", f"127.0.0.1:{server.port}")
    assert got[-1] == ("Content-Length", "2")
    assert [(n, v.encode("latin-1").decode()) for n, v in got[1:-1]] == headers
    assert server.requests[0].body == b"{}"


def test_a_get_has_no_length_and_an_empty_post_has(wire: Callable[..., Wire], send: Send) -> None:
    server = wire(answer())
    send(message(server.url + "/"))
    send(message(server.url + "/", "POST"))
    names = [[name for name, _ in request.headers] for request in server.requests]
    assert names == [["Host"], ["Host", "Content-Length"]]


def test_a_method_keeps_its_case(wire: Callable[..., Wire], send: Send) -> None:
    server = wire(answer())
    send(message(server.url + "/", "purge"))
    assert server.requests[0].line == "purge / HTTP/1.1"


def test_no_redirect_is_followed(wire: Callable[..., Wire], send: Send) -> None:
    server = wire(answer(302, b"", "Location: /elsewhere"))
    assert send(message(server.url + "/")).status == 302
    assert len(server.requests) == 1
    # A Location that is no URL is none of a transport's business either.
    server.acts = [answer(301, b"", "Location: http://[")]
    assert send(message(server.url + "/")).status == 301


def test_no_cookie_comes_back(wire: Callable[..., Wire], send: Send) -> None:
    server = wire(answer(200, b"", "Set-Cookie: a=1; Path=/"))

    send(message(server.url + "/"))
    send(message(server.url + "/"))
    assert all(name.lower() != "cookie" for name, _ in server.requests[1].headers)


def test_nothing_is_cached(wire: Callable[..., Wire], send: Send) -> None:
    fresh = ("Cache-Control: public, max-age=3600", 'ETag: "1"')
    server = wire(answer(200, b"1", *fresh), answer(200, b"2", *fresh))

    assert [send(message(server.url + "/")).body for _ in range(2)] == [b"1", b"2"]


def test_nothing_is_decompressed(wire: Callable[..., Wire], send: Send) -> None:
    packed = gzip.compress(b'{"a":1}')
    server = wire(answer(200, packed, "Content-Encoding: gzip"))
    got = send(message(server.url + "/"))
    assert got.body == packed
    assert all(name.lower() != "accept-encoding" for name, _ in server.requests[0].headers)


def test_nothing_is_retried(wire: Callable[..., Wire], send: Send) -> None:
    server = wire(Act(close=True))
    error = broken(send, message(server.url + "/"))
    assert (error.phase, error.code) == ("maybe-sent", "connection-terminated")
    assert len(server.requests) == 1


def test_connections_are_kept(wire: Callable[..., Wire], send: Send) -> None:
    server = wire(answer())

    for _ in range(3):
        send(message(server.url + "/", "POST", body=b"x"))
    assert server.connections == 1


def test_a_connection_that_the_supplier_closed_is_not_used(
    wire: Callable[..., Wire], send: Send
) -> None:
    server = wire(answer(close=True), answer())

    send(message(server.url + "/"))
    time.sleep(0.05)
    assert send(message(server.url + "/", "POST")).status == 200
    assert server.connections == 2


@pytest.mark.parametrize("send", ["stdlib", "threaded"], indirect=True)
def test_bytes_that_nobody_asked_for_are_not_the_next_answer(
    wire: Callable[..., Wire], send: Send
) -> None:
    """A second response to the first request would answer the wrong one. (httpcore takes it,
    measured with 1.0.9.)"""
    stray = answer(200, b"stray").pieces[0][1]
    first = Act([(0, answer(200, b"1").pieces[0][1] + stray)])
    server = wire(first, answer(200, b"2"))

    assert send(message(server.url + "/")).body == b"1"
    time.sleep(0.05)
    assert send(message(server.url + "/")).body == b"2"


def test_silence_ends_with_the_timer(wire: Callable[..., Wire], send: Send) -> None:
    server = wire(Act(hold=10))
    began = time.monotonic()
    error = broken(send, message(server.url + "/", timeout=0.2))
    assert (error.phase, error.code) == ("maybe-sent", "attempt-timeout")
    assert 0.2 <= time.monotonic() - began < 5


def test_a_dripping_body_ends_with_the_timer(wire: Callable[..., Wire], send: Send) -> None:
    """Each byte comes in time, all of them do not."""
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"
    server = wire(Act([(0, head), *[(0.1, b"x")] * 40]))
    began = time.monotonic()
    error = broken(send, message(server.url + "/", timeout=0.5))
    assert (error.phase, error.code, error.status) == ("maybe-sent", "attempt-timeout", 200)
    assert 0.4 <= time.monotonic() - began < 3


@pytest.mark.parametrize("send", [kind for kind in KINDS if kind != "httpx"], indirect=True)
def test_a_dripping_header_ends_with_the_timer(wire: Callable[..., Wire], send: Send) -> None:
    """httpx's synchronous transport cannot promise this one, and says so."""
    server = wire(Act([(0, b"HTTP/1.1 200 OK\r\nX: "), *[(0.1, b"x")] * 40]))
    began = time.monotonic()
    error = broken(send, message(server.url + "/", timeout=0.5))
    assert (error.phase, error.code) == ("maybe-sent", "attempt-timeout")
    assert 0.4 <= time.monotonic() - began < 3


def test_a_long_body_is_too_large(wire: Callable[..., Wire], send: Send) -> None:
    server = wire(answer(200, b"x" * 1000), answer(200, b"x" * 1001))

    assert len(send(message(server.url + "/")).body) == 1000
    error = broken(send, message(server.url + "/"))
    assert (error.phase, error.status) == ("too-large", 200)


def test_an_endless_body_is_too_large(wire: Callable[..., Wire], send: Send) -> None:
    chunk = b"1f4\r\n" + b"x" * 500 + b"\r\n"
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    server = wire(Act([(0, head), *[(0.0, chunk)] * 10], hold=10))
    began = time.monotonic()
    assert broken(send, message(server.url + "/")).phase == "too-large"
    assert time.monotonic() - began < 5


def test_an_error_is_cut(wire: Callable[..., Wire], send: Send) -> None:
    text = "123456789é..".encode()  # the cut falls into the é
    server = wire(answer(503, text, "Retry-After: 3"), answer(200, b"next"))

    got = send(message(server.url + "/"))
    assert (got.status, got.body) == (503, b"123456789")
    assert ("Retry-After", "3") in got.headers
    assert send(message(server.url + "/")).body == b"next"  # not the rest of the error


def test_long_headers_are_too_large(wire: Callable[..., Wire], send: Send) -> None:
    server = wire(answer(200, b"", "X-Long: " + "x" * 2000))
    error = broken(send, message(server.url + "/"))
    assert (error.phase, error.status) == ("too-large", 200)


@pytest.mark.parametrize("status", [201, 503])
def test_a_short_body_is_broken(wire: Callable[..., Wire], send: Send, status: int) -> None:
    head = f"HTTP/1.1 {status} X\r\nContent-Length: 9\r\nX-A: b\r\n\r\n".encode()
    server = wire(Act([(0, head + b"half")], close=True))
    error = broken(send, message(server.url + "/", "POST"))
    assert (error.phase, error.code) == ("maybe-sent", "http-response-incomplete")
    assert error.status == status
    assert ("X-A", "b") in error.headers


def test_a_cut_chunked_body_is_broken(wire: Callable[..., Wire], send: Send) -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    server = wire(Act([(0, head + b"4\r\nhalf\r\n")], close=True))
    error = broken(send, message(server.url + "/"))
    assert (error.phase, error.code) == ("maybe-sent", "http-response-incomplete")


def test_a_body_may_end_with_the_connection(wire: Callable[..., Wire], send: Send) -> None:
    """RFC 9112, 6.3: without a length, the end of the connection is the end of the body."""
    head = b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"
    server = wire(Act([(0, head), (0.05, b"all of it")], close=True))
    assert send(message(server.url + "/")).body == b"all of it"


@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("GET", 304), ("DELETE", 204)])
def test_some_answers_have_no_body(
    wire: Callable[..., Wire], send: Send, method: str, status: int
) -> None:
    length = "Content-Length: 4000\r\n" if status != 204 else ""
    server = wire(Act([(0, f"HTTP/1.1 {status} X\r\n{length}\r\n".encode())]), answer(200, b"2"))

    assert send(message(server.url + "/", method)).body == b""
    assert send(message(server.url + "/")).body == b"2"


def test_interim_responses_are_skipped(wire: Callable[..., Wire], send: Send) -> None:
    early = b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
    server = wire(Act([(0, early + answer(201, b"done").pieces[0][1])]))
    got = send(message(server.url + "/", "POST"))
    assert (got.status, got.body) == (201, b"done")
    assert all(name != "Link" for name, _ in got.headers)


def test_an_answer_before_the_body_was_read_counts(wire: Callable[..., Wire], send: Send) -> None:
    act = answer(413, b"too big", close=True)
    act.early, act.hold = True, 0.3
    server = wire(act)
    try:
        got = send(message(server.url + "/", "POST", body=b"x" * 4_000_000))
    except Broken as error:  # the supplier's reset may overtake its answer
        assert error.phase == "maybe-sent"  # noqa: PT017
    else:
        assert got.status == 413


def test_header_values_are_utf8_or_latin1(wire: Callable[..., Wire], send: Send) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-U: Z\xc3\xbcrich\r\nX-L: Z\xfcrich \r\n\r\n"
    server = wire(Act([(0, head)]))
    got = dict(send(message(server.url + "/")).headers)
    assert (got["X-U"], got["X-L"]) == ("Zürich", "Zürich")


def test_repeated_headers_stay_apart_and_in_order(wire: Callable[..., Wire], send: Send) -> None:
    server = wire(answer(200, b"", "RETRY-AFTER: 1", "Retry-After: 2"))
    got = send(message(server.url + "/")).headers
    assert got[1:] == [("RETRY-AFTER", "1"), ("Retry-After", "2")]


def test_what_is_not_http_may_have_been_sent(wire: Callable[..., Wire], send: Send) -> None:
    server = wire(Act([(0, b"SSH-2.0-OpenSSH\r\n\r\n")], close=True))
    error = broken(send, message(server.url + "/", "POST"))
    assert (error.phase, error.code) == ("maybe-sent", "http-protocol-error")


def test_a_reset_may_have_been_sent(wire: Callable[..., Wire], send: Send) -> None:
    server = wire(Act(reset=True))
    error = broken(send, message(server.url + "/", "POST", body=b"x"))
    assert (error.phase, error.code) == ("maybe-sent", "connection-terminated")


def test_a_refused_connection_was_not_sent(send: Send) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    error = broken(send, message(f"http://127.0.0.1:{port}/", "POST"))
    assert (error.phase, error.code) == ("not-sent", "connection-refused")


def test_an_unknown_name_was_not_sent(send: Send) -> None:
    error = broken(send, message("http://supplier.invalid/", "POST", timeout=20.0))
    assert (error.phase, error.code) == ("not-sent", "dns-error")


def test_a_connection_that_is_never_accepted_was_not_sent(send: Send) -> None:
    """The queue of a listener that accepts nobody is full after a few connections."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as full:
        place = full.getsockname()
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(place)
        error = broken(send, message(f"http://127.0.0.1:{place[1]}/", "POST", timeout=0.3))
        for one in waiting:
            one.close()
    assert error.phase == "not-sent" or error.code == "attempt-timeout"


def test_plain_text_where_tls_was_meant_was_not_sent(send: Send) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def talk() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 400 no TLS\r\n\r\n")
                connection.recv(1000)

        threading.Thread(target=talk, daemon=True).start()
        port = listener.getsockname()[1]
        error = broken(send, message(f"https://127.0.0.1:{port}/", "POST"))
    assert (error.phase, error.code) == ("not-sent", "tls-protocol-error")


def test_a_bad_header_leaves_nothing(wire: Callable[..., Wire], send: Send) -> None:
    """The engine refuses these; a transport that got one must not send half a request."""
    server = wire(answer())
    error = broken(send, message(server.url + "/", headers=[("X-A", "b\r\nX-B: c")]))
    assert error.phase == "never"
    assert server.requests == []


def test_exchanges_do_not_queue(wire: Callable[..., Wire]) -> None:
    """20 at once, each held for 0.3 s by the supplier: together they take little more."""
    act = answer(200, b"{}")
    act.pieces = [(0.3, act.pieces[0][1])]
    server = wire(act)

    async def all_at_once(transport: AsyncTransport) -> float:
        began = time.monotonic()
        await asyncio.gather(*[transport.send(message(server.url + "/")) for _ in range(20)])
        await transport.close()
        return time.monotonic() - began

    assert asyncio.run(all_at_once(ThreadedTransport())) < 4  # 6 one after the other

    async def over_httpx() -> float:
        return await all_at_once(AsyncHttpxTransport())

    assert asyncio.run(over_httpx()) < 4  # 6 one after the other


def test_a_cancelled_exchange_is_broken_off(wire: Callable[..., Wire]) -> None:
    server = wire(Act(hold=20))

    async def cancel() -> float:
        transport = ThreadedTransport()
        began = time.monotonic()
        task = asyncio.create_task(transport.send(message(server.url + "/")))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        while "supplier-client-send" in [thread.name for thread in threading.enumerate()]:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        return time.monotonic() - began

    assert asyncio.run(cancel()) < 10


@pytest.mark.parametrize("send", ["stdlib", "threaded"], indirect=True)
def test_more_header_lines_than_http_client_takes(wire: Callable[..., Wire], send: Send) -> None:
    server = wire(answer(200, b"", *[f"X-{n}: 1" for n in range(101)]))
    assert broken(send, message(server.url + "/")).phase == "too-large"
