"""A real Redis on a free port of loopback, that keeps nothing on disk."""

from __future__ import annotations

import signal
import socket
import subprocess
import time


class RedisServer:
    def __init__(self, *options: str) -> None:
        # Redis takes no port 0: one is asked of the system, and given back for it to take.
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port: int = probe.getsockname()[1]
        self._options = options
        self.start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    def start(self) -> None:
        command = ["redis-server", "--bind", "127.0.0.1", "--port", str(self.port)]
        command += ["--save", "", "--appendonly", "no", *self._options]
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, cwd="/"
        )
        until = time.monotonic() + 20
        while time.monotonic() < until and self._process.poll() is None:
            try:
                with socket.create_connection(("127.0.0.1", self.port), 1) as connection:
                    connection.sendall(b"PING\r\n")
                    if connection.recv(1):
                        return
            except OSError:
                time.sleep(0.02)
        raise RuntimeError("redis-server does not answer")

    def freeze(self) -> None:
        """It goes on listening, and answers nothing."""
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        self._process.kill()
        self._process.wait(10)
