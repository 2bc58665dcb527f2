"""The default transport: `http.client`, which sends target and headers as they are, and whose
sockets we can bound and break.

What the library adds: nothing. `Host` and `Content-Length` are ours. Neither proxies nor
HTTP/2; `HttpxTransport` has both.
"""

from __future__ import annotations

import contextlib
import http.client
import re
import socket
import ssl
import threading
import time
from urllib.parse import SplitResult, urlsplit

from .._fork import reset_after_fork
from . import Answer, Body, Broken, Message, content_length, header_text
from ._wire import FinalResponse, Wire, connected, hang_up, is_quiet, unsent

_READ = 64 * 1024
_FOLD = re.compile(r"\r?\n[ \t]+")


class StdlibTransport:
    """Keeps connections alive and gives each of them to one exchange at a time. There is no
    limit and so no queue: a message is sent at once.

    - `ssl_context`: for a private CA or a client certificate.
    - `connect_timeout`: seconds for each address of the supplier.
    - `keep_idle`: seconds that an unused connection is kept. Servers close theirs after a few
      seconds, and what is sent at that moment may or may not have arrived.
    """

    def __init__(
        self,
        *,
        ssl_context: ssl.SSLContext | None = None,
        connect_timeout: float = 10.0,
        keep_idle: float = 4.0,
    ) -> None:
        self._ssl_context = ssl_context
        self._connect_timeout = connect_timeout
        self._keep_idle = keep_idle
        self._idle: dict[tuple[str, str], list[tuple[http.client.HTTPConnection, float]]] = {}
        self._after_fork()
        reset_after_fork(self)

    def send(self, message: Message) -> Answer:
        return Exchange(self, message).run()

    def close(self) -> None:
        with self._lock:
            idle, self._idle = self._idle, {}
        for connections in idle.values():
            for connection, _ in connections:
                hang_up(connection)

    def take(self, url: SplitResult) -> http.client.HTTPConnection | None:
        """An idle connection that is still quiet; the one used last."""
        while True:
            with self._lock:
                connections = self._idle.get((url.scheme, url.netloc))
                if not connections:
                    return None
                connection, since = connections.pop()
            if time.monotonic() - since < self._keep_idle and is_quiet(connection):
                return connection
            hang_up(connection)

    def give_back(self, url: SplitResult, connection: http.client.HTTPConnection) -> None:
        with self._lock:
            self._idle.setdefault((url.scheme, url.netloc), []).append(
                (connection, time.monotonic())
            )

    def connection(self, url: SplitResult, deadline: float) -> http.client.HTTPConnection:
        """A new one, not connected yet. Looked up in `http.client` each time: recorders such
        as VCR put their own classes there."""
        host = url.hostname or ""
        left = max(deadline - time.monotonic(), 0.001)
        if url.scheme == "https":
            connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                host, url.port, timeout=left, context=self._context()
            )
        else:
            connection = http.client.HTTPConnection(host, url.port, timeout=left)
        connection._create_connection = (  # type: ignore[attr-defined]
            lambda address, *_: connected(address, deadline, self._connect_timeout)
        )
        return connection

    def _context(self) -> ssl.SSLContext:
        if self._ssl_context is None:
            self._ssl_context = ssl.create_default_context()
            self._ssl_context.set_alpn_protocols(["http/1.1"])
        return self._ssl_context

    def _after_fork(self) -> None:
        # Connections belong to the parent. Closing our copies says nothing to the supplier.
        self._lock = threading.Lock()
        idle, self._idle = self._idle, {}
        for connections in idle.values():
            for connection, _ in connections:
                hang_up(connection)


class Exchange:
    """One message and its answer."""

    def __init__(self, transport: StdlibTransport, message: Message) -> None:
        self._transport = transport
        self._message = message
        self._url = urlsplit(message.url)
        self._deadline = time.monotonic() + message.timeout
        self._wire: Wire | None = None
        self._body: Body | None = None
        self._aborted = False

    def run(self) -> Answer:
        connection = self._transport.take(self._url) or self._connect()
        keep = False
        try:
            if isinstance(connection.sock, Wire):
                self._wire = connection.sock
                self._wire.deadline = self._deadline
            if self._aborted:
                raise Broken("not-sent", "connection-terminated")
            self._write(connection)
            answer, keep = self._read(connection)
            return answer
        except Broken:
            raise
        except Exception as error:
            raise self._broken(error) from error
        finally:
            if keep and not self._aborted:
                self._transport.give_back(self._url, connection)
            else:
                hang_up(connection, self._wire)

    def abort(self) -> None:
        """Breaks the exchange off, from another thread. What is not sent yet never will be."""
        self._aborted = True
        if self._wire is not None:
            self._wire.shutdown()

    def _connect(self) -> http.client.HTTPConnection:
        connection = self._transport.connection(self._url, self._deadline)
        try:
            connection.connect()
        except Exception as error:
            connection.close()
            raise unsent(error) from error
        if isinstance(connection.sock, socket.socket):  # a recorder's is none
            connection.sock = Wire(connection.sock)
        connection.response_class = FinalResponse
        return connection

    def _write(self, connection: http.client.HTTPConnection) -> None:
        message = self._message
        target = message.url[len(f"{self._url.scheme}://{self._url.netloc}") :] or "/"
        try:
            connection.putrequest(message.method, target, skip_host=True, skip_accept_encoding=True)
            connection.putheader("Host", self._url.netloc)
            for name, value in message.headers:
                connection.putheader(name, value if value.isascii() else value.encode())
            if (length := content_length(message)) is not None:
                connection.putheader("Content-Length", length)
        except (ValueError, http.client.HTTPException) as error:
            # Nothing has left yet: `putrequest` and `putheader` only collect.
            raise Broken("never", "http-request-denied", type(error).__name__) from error
        # A supplier may answer and close before it has read everything; if so, the answer
        # counts, and if there is none, reading says so.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.endheaders(message.body or None)

    def _read(self, connection: http.client.HTTPConnection) -> tuple[Answer, bool]:
        response = connection.getresponse()
        headers = [
            (name, header_text(_FOLD.sub(" ", value).encode("latin-1", "replace")))
            for name, value in response.headers.items()
        ]
        if response.headers.defects:
            raise Broken("maybe-sent", "http-protocol-error", "a header line is none")
        body = self._body = Body(response.status, headers, self._message.caps)
        whole = response.length
        if whole is not None:
            body.expect(whole)
        while not body.full and (part := response.read(body.room(_READ))):
            body.add(part)
        if not body.full and response.length:
            raise body.broken("maybe-sent", "http-response-incomplete")
        # A recorder's response does not say whether its connection can be used again.
        return body.answer(), not body.full and not getattr(response, "will_close", True)

    def _broken(self, error: Exception) -> Broken:
        """An error after the connection stood: the supplier may have the request."""
        phase, code = "maybe-sent", "connection-terminated"
        if isinstance(error, http.client.LineTooLong) or "got more than" in str(error):
            # `http.client` takes a hundred header lines of 64 KiB.
            phase, code = "too-large", "http-response-header-section-size"
        elif isinstance(error, TimeoutError):
            code = "attempt-timeout"
        elif isinstance(error, http.client.IncompleteRead) or (
            self._body is not None and isinstance(error, OSError)
        ):
            code = "http-response-incomplete"
        elif isinstance(error, ssl.SSLError):
            code = "tls-alert-received"
        elif isinstance(error, http.client.RemoteDisconnected):
            pass  # also an HTTPException
        elif isinstance(error, (http.client.HTTPException, ValueError)):
            code = "http-protocol-error"
        elif not isinstance(error, OSError):
            code = "internal-error"
        if self._body is not None:
            return self._body.broken(phase, code, type(error).__name__)
        return Broken(phase, code, type(error).__name__)
