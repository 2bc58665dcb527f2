"""Threads, forks and interrupts: nobody waits for anybody else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from conftest import needs_fork
from supplier_client import CallCancelledError, SupplierClient
from wire import Act, Request, Wire, answer

Open = Callable[..., SupplierClient]
Start = Callable[..., Wire]
TESTS = Path(__file__).parent


def late(request: Request) -> Act:
    act = answer()
    act.pieces = [(0.3, act.pieces[0][1])]
    return act


def test_eight_threads_send_side_by_side(wire: Start, client: Open) -> None:
    acme = client(wire(decide=late).url)
    acme.send("GET", "/warm")
    began = time.monotonic()
    with ThreadPoolExecutor(8) as threads:
        replies = list(threads.map(lambda n: acme.send("GET", f"/{n}"), range(8)))
    assert time.monotonic() - began < 2  # 2.4 one after the other
    assert all(reply.ok for reply in replies)


def test_a_wait_of_one_call_delays_no_other(wire: Start, client: Open) -> None:
    def decide(request: Request) -> Act:
        if "/slow" in request.line and len(seen) == 0:
            seen.append(request)
            return answer(503, b"", "Retry-After: 2")
        return answer()

    seen: list[Request] = []
    acme = client(wire(decide=decide).url)
    with ThreadPoolExecutor(1) as threads:
        slow = threads.submit(acme.send, "GET", "/slow")
        time.sleep(0.2)
        for _ in range(20):
            acme.send("GET", "/quick")
        assert not slow.done()
        assert slow.result(20).ok


def test_close_ends_waits(wire: Start, client: Open) -> None:
    acme = client(wire(answer(503, b"", "Retry-After: 30")).url)
    with ThreadPoolExecutor(1) as threads:
        call = threads.submit(acme.send, "GET", "/x")
        time.sleep(0.3)
        began = time.monotonic()
        acme.close()
        with pytest.raises(CallCancelledError):
            call.result(20)
    assert time.monotonic() - began < 10  # of 30


@pytest.mark.parametrize("act", ["answer(503, b'', 'Retry-After: 30')", "Act(hold=30)"])
def test_ctrl_c_interrupts_at_once(act: str) -> None:
    code = f"""
import signal, sys; sys.path.insert(0, {str(TESTS)!r})
from conftest import SECRET, acme
from wire import Act, Wire, answer
from supplier_client import SupplierClient
# Whoever runs the tests in the background has it ignored, and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
client = SupplierClient(acme(Wire({act}).url), SECRET)
try:
    print("ready", flush=True)
    client.send("GET", "/x")
except KeyboardInterrupt:
    print("interrupted", client.health()["failures"], flush=True)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(1)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=20)
    assert time.monotonic() - began < 10  # of 30
    assert said == "interrupted {'cancelled': 1}\n"


def in_child(run: Callable[[], bool]) -> bool:
    """Whether `run` is true in a child of fork, within twenty seconds."""
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if run() else 1)
        finally:
            os._exit(2)
    for _ in range(2000):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status == 0
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return False


FORKS = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")


@FORKS
@needs_fork
def test_it_works_after_a_fork(wire: Start, client: Open) -> None:
    server = wire(answer())
    acme = client(server.url)
    acme.send("GET", "/parent")
    assert in_child(lambda: acme.send("GET", "/child").ok)
    assert acme.send("GET", "/parent").ok
    by_path = [(request.line.split()[1], request.connection) for request in server.requests]
    assert by_path == [("/parent", 1), ("/child", 2), ("/parent", 1)]


@FORKS
@needs_fork
def test_a_fork_in_the_middle_of_another_threads_crossing(wire: Start, client: Open) -> None:
    """The child gets a new instance: the old one was left half-way through."""
    acme = client(wire(answer()).url)
    inside, leave = threading.Event(), threading.Event()

    def cross() -> None:
        with acme._engine._lock:
            acme._engine._inside = True
            inside.set()
            leave.wait(10)
            acme._engine._inside = False

    thread = threading.Thread(target=cross)
    thread.start()
    inside.wait(10)
    try:
        assert in_child(lambda: acme.send("GET", "/child").ok)
    finally:
        leave.set()
        thread.join()
    assert acme.send("GET", "/parent").ok
