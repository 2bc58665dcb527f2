"""A supplier at the level of bytes: what it was sent, exactly, and what it answers, exactly."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Request:
    """One request as it came."""

    head: bytes
    body: bytes
    connection: int

    @property
    def line(self) -> str:
        return self.head.split(b"\r\n", 1)[0].decode("latin-1")

    @property
    def headers(self) -> list[tuple[str, str]]:
        lines = self.head.decode("latin-1").split("\r\n")[1:]
        return [(name, value) for name, _, value in (line.partition(": ") for line in lines)]


@dataclass
class Act:
    """What is done with one request: bytes, each after a pause, and then the end or more."""

    pieces: list[tuple[float, bytes]] = field(default_factory=list)
    close: bool = False
    reset: bool = False
    hold: float = 0
    early: bool = False
    """Answers without reading the body."""


def answer(status: int = 200, body: bytes = b"{}", *lines: str, close: bool = False) -> Act:
    head = [f"HTTP/1.1 {status} X", f"Content-Length: {len(body)}", *lines]
    return Act([(0, "\r\n".join(head).encode("latin-1") + b"\r\n\r\n" + body)], close=close)


class Wire:
    """Listens on a loopback port; the n-th request gets the n-th act, the last one again and
    again."""

    def __init__(self, *acts: Act, decide: Callable[[Request], Act] | None = None) -> None:
        self.acts = list(acts)
        self.requests: list[Request] = []
        self.connections = 0
        self._decide = decide
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._ended = False
        self._open: list[socket.socket] = []
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def close(self) -> None:
        self._ended = True
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        with self._lock:
            for connection in self._open:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while not self._ended:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                self.connections += 1
                self._open.append(connection)
                number = self.connections
            threading.Thread(target=self._serve, args=(connection, number), daemon=True).start()

    def _serve(self, connection: socket.socket, number: int) -> None:
        with connection, contextlib.suppress(OSError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            rest = b""
            while True:
                while b"\r\n\r\n" not in rest:
                    more = connection.recv(65536)
                    if not more:
                        return
                    rest += more
                head, _, rest = rest.partition(b"\r\n\r\n")
                request = Request(head, b"", number)
                act = self._act(request)
                if not act.early:
                    length = next(
                        (int(v) for n, v in request.headers if n.lower() == "content-length"), 0
                    )
                    while len(rest) < length:
                        rest += connection.recv(65536)
                    request.body, rest = rest[:length], rest[length:]
                for pause, piece in act.pieces:
                    time.sleep(pause)
                    connection.sendall(piece)
                if act.hold:
                    time.sleep(act.hold)
                if act.reset:
                    linger = b"\x01\0\0\0\0\0\0\0"
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
                if act.close or act.reset:
                    return

    def _act(self, request: Request) -> Act:
        with self._lock:
            number = len(self.requests)
            self.requests.append(request)
        if self._decide is not None:
            return self._decide(request)
        return self.acts[min(number, len(self.acts) - 1)]
