"""Transports over httpx, for proxies, HTTP/2, and tools that look into httpx.

They stand on httpx's *transports*, not on its clients: a client would add headers, keep
cookies and build redirects. So they take what a client takes as `transport=`:
`httpx.HTTPTransport(proxy=..., http2=True)`, `httpx.MockTransport(...)` and so on.
"""

from __future__ import annotations

import socket
import ssl
import time
from typing import Any
from urllib.parse import urlsplit

try:
    import httpx
except ImportError as error:
    raise ImportError("this transport needs httpx: pip install 'supplier-client[httpx]'") from error

from .._within import within
from . import Answer, Body, Broken, Message, content_length, header_text

_POOL = 0.05
"""Seconds to wait for a connection of a full pool: longer would be a wait after the
signature, and the engine has better ways to wait."""
_LIMITS = httpx.Limits(max_connections=None, max_keepalive_connections=100, keepalive_expiry=4.0)


class HttpxTransport:
    """For `SupplierClient`.

    httpx counts time for each read alone. Between two parts of a body the attempt's own time is
    looked at; a supplier that drips its *header* byte by byte can overrun it here, though not in
    `StdlibTransport`."""

    def __init__(self, transport: httpx.BaseTransport | None = None) -> None:
        self._transport = transport or httpx.HTTPTransport(limits=_LIMITS)

    def send(self, message: Message) -> Answer:
        deadline = time.monotonic() + message.timeout
        body: Body | None = None
        try:
            response = self._transport.handle_request(_request(message))
            try:
                body = _body(response, message)
                if not _empty(response, message):
                    for part in _parts(response):
                        body.add(part)
                        if body.full:
                            break
                        if time.monotonic() > deadline:
                            raise body.broken("maybe-sent", "attempt-timeout")
            finally:
                response.close()
            return _whole(body, response, message)
        except Broken:
            raise
        except Exception as error:
            raise _broken(error, body) from error

    def close(self) -> None:
        self._transport.close()


class AsyncHttpxTransport:
    """For `AsyncSupplierClient`. The time is that of the whole exchange."""

    def __init__(self, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._transport = transport or httpx.AsyncHTTPTransport(limits=_LIMITS)

    async def send(self, message: Message) -> Answer:
        seen: list[Body] = []
        try:
            return await within(message.timeout, self._exchange(message, seen))
        except Broken:
            raise
        except TimeoutError as error:
            body = seen[0] if seen else None
            raise _at("maybe-sent", "attempt-timeout", error, body) from error
        except Exception as error:
            raise _broken(error, seen[0] if seen else None) from error

    async def _exchange(self, message: Message, seen: list[Body]) -> Answer:
        response = await self._transport.handle_async_request(_request(message))
        try:
            body = _body(response, message)
            seen.append(body)
            if not _empty(response, message):
                async for part in _parts(response):
                    body.add(part)
                    if body.full:
                        break
        finally:
            await response.aclose()
        return _whole(body, response, message)

    async def close(self) -> None:
        await self._transport.aclose()


def _request(message: Message) -> httpx.Request:
    url = urlsplit(message.url)
    target = message.url[len(f"{url.scheme}://{url.netloc}") :] or "/"
    headers = [(b"Host", url.netloc.encode())]
    headers += [(name.encode(), value.encode()) for name, value in message.headers]
    if (length := content_length(message)) is not None:
        headers.append((b"Content-Length", length.encode()))
    timeout = message.timeout
    request = httpx.Request(
        message.method,
        f"{url.scheme}://{url.netloc}/",
        headers=headers,
        # `stream`, not `content`: then httpx adds no header of its own.
        stream=httpx.ByteStream(message.body),
        extensions={
            # httpx would encode the target its own way; this one goes out as it is.
            "target": target.encode(),
            "timeout": {"connect": timeout, "read": timeout, "write": timeout, "pool": _POOL},
        },
    )
    request.method = message.method  # not in upper case
    return request


def _parts(response: httpx.Response) -> Any:
    """The body as it comes. `iter_raw` would be the same, but refuses what a mock made whole."""
    return response.stream


def _body(response: httpx.Response, message: Message) -> Body:
    headers = [(name.decode("latin-1"), header_text(value)) for name, value in response.headers.raw]
    body = Body(response.status_code, headers, message.caps)
    if (length := _declared(response, message)) is not None:
        body.expect(length)
    return body


def _whole(body: Body, response: httpx.Response, message: Message) -> Answer:
    """h11 sees a body that is cut; other transports need not."""
    answer = body.answer()
    declared = _declared(response, message)
    if not body.full and declared is not None and len(answer.body) < declared:
        raise body.broken("maybe-sent", "http-response-incomplete")
    return answer


def _declared(response: httpx.Response, message: Message) -> int | None:
    length = response.headers.get("content-length", "")
    if _empty(response, message) or not (length.isascii() and length.isdigit()):
        return None
    return int(length)


def _empty(response: httpx.Response, message: Message) -> bool:
    return message.method == "HEAD" or response.status_code in (204, 304)


def _broken(error: Exception, body: Body | None) -> Broken:
    """What httpx raised, as far as it proves something."""
    chain = _chain(error)
    if isinstance(error, httpx.PoolTimeout):
        return _at("not-sent", "connection-limit-reached", error, body)
    if isinstance(error, httpx.ConnectTimeout):
        return _at("not-sent", "connection-timeout", error, body)
    if isinstance(error, (httpx.ConnectError, httpx.ProxyError)):
        for cause in chain:
            if isinstance(cause, ssl.SSLCertVerificationError):
                return _at("never", "tls-certificate-error", error, body)
            if isinstance(cause, ssl.SSLError):
                return _at("not-sent", "tls-protocol-error", error, body)
            if isinstance(cause, socket.gaierror):
                return _at("not-sent", "dns-error", error, body)
            if isinstance(cause, ConnectionRefusedError):
                return _at("not-sent", "connection-refused", error, body)
        return _at("not-sent", "destination-unavailable", error, body)
    if isinstance(error, (httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.InvalidURL)):
        return _at("never", "http-request-denied", error, body)
    if isinstance(error, httpx.TimeoutException):
        return _at("maybe-sent", "attempt-timeout", error, body)
    if body is not None and isinstance(error, httpx.TransportError):
        return _at("maybe-sent", "http-response-incomplete", error, body)
    if isinstance(error, httpx.RemoteProtocolError) and "disconnected" not in str(error):
        return _at("maybe-sent", "http-protocol-error", error, body)
    if isinstance(error, httpx.TransportError):
        return _at("maybe-sent", "connection-terminated", error, body)
    return _at("maybe-sent", "internal-error", error, body)


def _at(phase: str, code: str, error: BaseException, body: Body | None) -> Broken:
    detail = type(error).__name__
    return body.broken(phase, code, detail) if body else Broken(phase, code, detail)


def _chain(error: BaseException | None) -> list[BaseException]:
    chain: list[BaseException] = []
    while error is not None and error not in chain:
        chain.append(error)
        nested: Any = getattr(error, "exceptions", ())  # of anyio's several addresses
        chain.extend(nested)
        error = error.__cause__ or error.__context__
    return chain
