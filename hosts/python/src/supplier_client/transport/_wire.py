"""What `http.client` leaves open for `StdlibTransport`: sockets that keep to a deadline, a response
that skips interim ones, and what a failure to connect proves."""

from __future__ import annotations

import contextlib
import errno
import http.client
import io
import math
import socket
import ssl
import threading
import time
from typing import Any

from . import Broken

_UNREACHABLE = {
    errno.ENETUNREACH: "destination-ip-unroutable",
    errno.EHOSTUNREACH: "destination-ip-unroutable",
    errno.ECONNREFUSED: "connection-refused",
    errno.ETIMEDOUT: "connection-timeout",
    errno.EMFILE: "connection-limit-reached",
    errno.ENFILE: "connection-limit-reached",
    errno.EADDRNOTAVAIL: "connection-limit-reached",
}


class FinalResponse(http.client.HTTPResponse):
    """Skips all interim responses (RFC 9110, 15.2); `http.client` skips 100 alone."""

    def begin(self) -> None:
        super().begin()
        while 100 < self.status < 200 and self.status != 101:
            self.headers = self.msg = None  # type: ignore[assignment]
            super().begin()


class Wire:
    """A socket as `http.client` uses it: every operation ends at the exchange's deadline."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self.deadline = math.inf
        self._reader = _Reader(_Raw(self))

    def sendall(self, data: Any) -> None:
        self._arm()
        self._sock.sendall(data)

    def receive_into(self, buffer: Any) -> int:
        self._arm()
        return self._sock.recv_into(buffer)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return self._reader

    def close(self) -> None:
        """Called by `http.client` as soon as it knows that this response is the last one,
        before its body is read: see `hang_up`."""

    def hang_up(self) -> None:
        self._sock.close()

    def shutdown(self) -> None:
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)

    def quiet(self) -> bool:
        """Nothing has come since the last response: neither an end nor bytes that nobody
        asked for."""
        self.deadline = -math.inf
        try:
            self._reader.peek(1)
        except (BlockingIOError, ssl.SSLWantReadError):
            return True
        except (OSError, ValueError):
            return False
        return False

    def _arm(self) -> None:
        if self.deadline == math.inf:
            return
        left = self.deadline - time.monotonic()
        if left <= 0:
            if self.deadline != -math.inf:
                raise TimeoutError("the attempt's time is over")
            left = 0  # does not block
        self._sock.settimeout(left)


class _Raw(io.RawIOBase):
    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._wire.receive_into(buffer)


class _Reader(io.BufferedReader):
    """Outlives the responses read from it."""

    def close(self) -> None:
        pass


def is_quiet(connection: http.client.HTTPConnection) -> bool:
    wire = connection.sock
    return wire.quiet() if isinstance(wire, Wire) else wire is not None


def hang_up(connection: http.client.HTTPConnection, wire: Wire | None = None) -> None:
    wire = wire or (connection.sock if isinstance(connection.sock, Wire) else None)
    connection.close()
    if wire is not None:
        wire.hang_up()


def connected(address: tuple[str, int], deadline: float, longest: float) -> socket.socket:
    """As `socket.create_connection`, within the time that is left."""
    problem: OSError = OSError("the name has no address")
    for family, kind, protocol, _, place in _resolved(*address, deadline):
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(max(min(deadline - time.monotonic(), longest), 0.001))
            sock.connect(place)
            sock.settimeout(max(deadline - time.monotonic(), 0.001))  # for the TLS handshake
            return sock
        except OSError as error:
            problem = error
            sock.close()
            if time.monotonic() >= deadline:
                break
    raise problem


def _resolved(host: str, port: int, deadline: float) -> list[Any]:
    """The system's resolver knows no timeout and no signal, so it works in a thread of its
    own, but for addresses, which need no look-up."""
    with contextlib.suppress(socket.gaierror):
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    result: list[Any] = []

    def look_up() -> None:
        try:
            result.append(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except OSError as error:
            result.append(error)

    thread = threading.Thread(target=look_up, name="supplier-client-dns", daemon=True)
    thread.start()
    thread.join(max(deadline - time.monotonic(), 0))
    if not result:
        raise _DnsTimeout()
    if isinstance(result[0], OSError):
        raise result[0]
    found: list[Any] = result[0]
    return found


class _DnsTimeout(OSError):
    pass


def unsent(error: Exception) -> Broken:
    """An error while connecting: the supplier has seen no request."""
    phase, code = "not-sent", "destination-unavailable"
    if isinstance(error, ssl.SSLCertVerificationError):
        phase, code = "never", "tls-certificate-error"
    elif isinstance(error, _DnsTimeout):
        code = "dns-timeout"
    elif isinstance(error, (socket.gaierror, UnicodeError)):
        code = "dns-error"
    elif isinstance(error, TimeoutError):
        code = "connection-timeout"
    elif isinstance(error, ssl.SSLError):
        code = "tls-protocol-error"
    elif isinstance(error, OSError):
        code = _UNREACHABLE.get(error.errno or 0, code)
    return Broken(phase, code, type(error).__name__)
