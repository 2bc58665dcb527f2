"""How a message gets to the supplier. The engine has signed it: a transport sends exactly what
it is given, once and at once, and says truly how far it got.

What every transport promises (`send`):

- the raw target untouched, the headers verbatim; it adds `Host` and `Content-Length` alone;
- no redirects, retries, cookies, cache or decompression;
- `timeout` over the whole exchange, reported as `attempt-timeout`;
- `caps` enforced while reading: a body below 400 that is too long is `too-large`, from 400 on
  it is cut and reported as answered;
- a body shorter than its `Content-Length` is broken, never a shorter body;
- an error mapped to the phase it proves; what proves nothing is `maybe-sent`.

A cache belongs above `SupplierClient.send`, never into a transport.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

__all__ = ["Answer", "AsyncTransport", "Broken", "Caps", "Message", "Transport"]


@dataclass(frozen=True)
class Caps:
    """How much of a response is read."""

    body_bytes: int
    """Below 400."""
    error_body_bytes: int
    """From 400 on."""
    header_bytes: int
    """Names and values together."""


@dataclass(frozen=True)
class Message:
    """One signed request."""

    method: str
    url: str
    """Absolute. What follows the authority goes on the wire as it is."""
    headers: list[tuple[str, str]] = field(repr=False)
    """All but `Host` and `Content-Length`."""
    body: bytes = field(repr=False)
    timeout: float
    """Seconds for the whole exchange."""
    caps: Caps


@dataclass(frozen=True)
class Answer:
    """A complete response. Header values are UTF-8, or else ISO-8859-1."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes = field(repr=False)


class Broken(Exception):
    """No complete response came."""

    def __init__(
        self,
        phase: str,
        code: str,
        detail: str = "",
        *,
        status: int | None = None,
        headers: list[tuple[str, str]] | None = None,
    ) -> None:
        super().__init__(f"{code} ({phase})")
        self.phase = phase
        """`not-sent`, `maybe-sent`, `never` (the host refuses) or `too-large`."""
        self.code = code
        """A wasi:http error code in lower case, or another short name."""
        self.detail = detail
        """A few words for the journal: no path, query or secret."""
        self.status = status
        self.headers = headers or []


class Transport(Protocol):
    """For `SupplierClient`. Used by several threads at once."""

    def send(self, message: Message) -> Answer:
        """Sends once. Raises `Broken`."""

    def close(self) -> None:
        """Gives up its connections."""


class AsyncTransport(Protocol):
    """For `AsyncSupplierClient`. A cancelled `send` leaves nothing running."""

    async def send(self, message: Message) -> Answer:
        """Sends once. Raises `Broken`."""

    async def close(self) -> None:
        """Gives up its connections."""


class Body:
    """Reads a response's body under the caps; what all transports here share."""

    def __init__(self, status: int, headers: list[tuple[str, str]], caps: Caps) -> None:
        self.status = status
        self.headers = headers
        self._cap = caps.body_bytes if status < 400 else caps.error_body_bytes
        self._parts: list[bytes] = []
        self._size = 0
        self.full = status >= 400 and self._cap == 0
        """An error's body reached its cap: read no further, and do not keep the connection."""
        if sum(len(name) + len(value) for name, value in headers) > caps.header_bytes:
            raise Broken("too-large", "http-response-header-section-size", status=status)

    def expect(self, length: int) -> None:
        """Says how much is coming, where that is known."""
        if self.status < 400 and length > self._cap:
            raise self.broken("too-large", "http-response-body-size")

    def room(self, most: int) -> int:
        """How much to read next: no more than it takes to see that it is too much."""
        return min(most, self._cap - self._size + (self.status < 400))

    def add(self, part: bytes) -> None:
        self._parts.append(part)
        self._size += len(part)
        if self.status < 400:
            if self._size > self._cap:
                raise self.broken("too-large", "http-response-body-size")
        elif self._size >= self._cap:
            self._parts[-1] = part[: len(part) - (self._size - self._cap)]
            self.full = True

    def answer(self) -> Answer:
        body = b"".join(self._parts)
        if self.full:
            body = _whole_characters(body)
        return Answer(self.status, self.headers, body)

    def broken(self, phase: str, code: str, detail: str = "") -> Broken:
        return Broken(phase, code, detail, status=self.status, headers=self.headers)


def _whole_characters(body: bytes) -> bytes:
    """Text stays text when the cut falls into the middle of a character."""
    try:
        body.decode()
    except UnicodeDecodeError as error:
        if error.end == len(body):
            return body[: error.start]
    return body


def header_text(raw: bytes) -> str:
    """A field value: UTF-8, or else ISO-8859-1, without the whitespace around it."""
    raw = raw.strip(b" \t")
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode("latin-1")


def content_length(message: Message) -> str | None:
    """The value of `Content-Length`: none where a request has no body to speak of."""
    if message.body or message.method in ("POST", "PUT", "PATCH"):
        return str(len(message.body))
    return None
