from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from supplier_client import SupplierClient
from wire import Act, Wire

ROOT = Path(__file__).resolve().parents[3]
BINARY = os.environ.get("SUPPLIER_TEST_BIN") or ROOT / "target/release/supplier-test"
SECRET = {"signing-secret": "test_secret_a"}


needs_fork = pytest.mark.skipif(
    not hasattr(os, "fork"),
    reason="Windows has no fork: no process is the copy of one with calls behind it",
)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where CI runs everything can be run: a test that was skipped there has shown nothing."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("FAIL_ON_SKIPPED") and reporter and reporter.stats.get("skipped"):
        reporter.write_line("a test was skipped, which FAIL_ON_SKIPPED forbids", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def acme(url: str, **changes: Any) -> dict[str, Any]:
    """The profile of the project's scenarios, at another address."""
    text = (ROOT / "scenarios/profiles/acme.json").read_text(encoding="utf-8")
    return {**json.loads(text), "base_url": url, **changes}


@pytest.fixture
def wire() -> Iterator[Callable[..., Wire]]:
    servers: list[Wire] = []

    def start(*acts: Act, **options: Any) -> Wire:
        servers.append(Wire(*acts, **options))
        return servers[-1]

    yield start
    for server in servers:
        server.close()


@pytest.fixture
def client() -> Iterator[Callable[..., SupplierClient]]:
    clients: list[SupplierClient] = []

    def open_client(url: str, **options: Any) -> SupplierClient:
        changes = options.pop("changes", {})
        clients.append(SupplierClient(acme(url, **changes), SECRET, **options))
        return clients[-1]

    yield open_client
    for opened in clients:
        opened.close()


class Strict:
    """`supplier-test serve`: the strict supplier, as a process. It ends when its standard input
    does, and its exit code says whether it saw any violation."""

    def __init__(self, *options: str) -> None:
        self._process = subprocess.Popen(
            [str(BINARY), "serve", "--port", "0", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        found = re.search(r"listening on (http://\S+)", line)
        assert found is not None, f"supplier-test says: {line}"
        self.url = found[1]
        self._report: dict[str, Any] | None = None

    def report(self) -> dict[str, Any]:
        """Ends it; what it saw."""
        if self._report is None:
            text, _ = self._process.communicate(timeout=10)
            self._report = json.loads(text)
        assert self._report is not None
        return self._report

    def stop(self) -> None:
        if self._process.poll() is None:
            self._process.communicate(timeout=10)


@pytest.fixture
def strict() -> Iterator[Callable[..., Strict]]:
    started: list[Strict] = []

    def start(*options: str) -> Strict:
        started.append(Strict(*options))
        return started[-1]

    yield start
    for supplier in started:
        supplier.stop()
