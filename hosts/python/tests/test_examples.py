"""The examples, as a reader runs them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from conftest import Strict, needs_fork
from supplier_client._component import find

EXAMPLES = Path(__file__).parents[1] / "examples"


def run(name: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_walk(strict: Callable[..., Strict]) -> None:
    supplier = strict()
    said = run("walk.py", supplier.url)
    assert "201 ok {'order': 'ORD-000001', 'status': 'accepted'}" in said
    assert "the 250th consignment is CN-000250" in said
    assert supplier.report()["clean"]


def test_wasi_http(strict: Callable[..., Strict]) -> None:
    supplier = strict()
    said = run("wasi_http.py", supplier.url, str(find("supplier_client.wasm")))
    assert "201 ok" in said
    assert "300 consignments in 3 pages" in said
    assert supplier.report()["clean"]


@needs_fork
def test_wasi_http_says_so_after_a_fork(strict: Callable[..., Strict]) -> None:
    supplier = strict()
    code = f"""
import json, os, sys
sys.path.insert(0, {str(EXAMPLES)!r})
from wasi_http import PROFILE, WasiSupplier
acme = WasiSupplier({str(find("supplier_client.wasm"))!r}, json.dumps(PROFILE),
    json.dumps({{"base_url": {supplier.url!r}}}), {{"signing-secret": "test_secret_a"}})
acme.send("GET", "/orders/count")
if os.fork() == 0:
    try:
        acme.send("GET", "/orders/count")
    except RuntimeError as error:
        print(error, flush=True)
    os._exit(0)
os.wait()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert "open the supplier in the child" in done.stdout, done.stderr
