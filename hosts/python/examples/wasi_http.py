"""The other component, `supplier_client.wasm`, straight in wasmtime: it sends and waits by itself,
over wasi:http, and needs no HTTP library and not even this package.

What it cannot do, and `SupplierClient` can:

- Ctrl-C, a signal or a cancelled task takes effect only when the call returns. `deadline-ms` and
  `max-wait-ms` bound it.
- After a fork nothing works: the runtime's threads are missing in the child, and a call would hang
  for ever. So this example refuses to run there (gunicorn --preload, Celery's prefork pool,
  multiprocessing's "fork"): open the supplier in the worker itself.
- One call at a time for each supplier; from asyncio only through `asyncio.to_thread`.
- Each request opens a connection of its own. No proxy, no private CA, HTTP/1.1 only.
- Nothing that looks into Python's HTTP libraries (VCR, responses, respx, OpenTelemetry) sees it.

    python examples/wasi_http.py http://127.0.0.1:8080/v2 target/components/supplier_client.wasm
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

import wasmtime
from wasmtime import WasiConfig
from wasmtime.component import Component, Linker, Record, Variant

from walk import PROFILE

INTERFACE = "supplier:client/client@0.1.0"


class Failure(Exception):
    """The contract's record `failure`."""

    def __init__(self, record: Any) -> None:
        super().__init__(f"{record.message} [{record.kind}, {record.code}]")
        self.record = record


class WasiSupplier:
    """A thin wrapper around the resource `supplier`."""

    def __init__(self, wasm: str, profile: str, overrides: str | None, secrets: dict[str, str]):
        self._pid = os.getpid()
        engine = wasmtime.Engine()
        component = Component.from_file(engine, wasm)
        linker = Linker(engine)
        linker.add_wasip2()
        linker.add_wasi_http()
        self._store = wasmtime.Store(engine)
        self._store.set_wasi(WasiConfig())
        self._store.set_wasi_http()
        instance = linker.instantiate(self._store, component)
        interface = instance.get_export_index(self._store, INTERFACE)

        def function(name: str) -> Any:
            index = instance.get_export_index(self._store, name, interface)
            assert index is not None, f"{wasm} has no {name}"
            return instance.get_func(self._store, index)

        self._send = function("[method]supplier.send")
        self._page = function("[method]supplier.page")
        credentials = [_record(name=name, value=value) for name, value in secrets.items()]
        opened = function("[static]supplier.open")(self._store, profile, overrides, credentials)
        if isinstance(opened, list):
            raise ValueError("; ".join(f"{p.pointer}: {p.message}" for p in opened))
        self._supplier = opened

    def send(self, method: str, target: str, body: str = "", **options: Any) -> Any:
        """Blocks until the call has ended; returns the record `reply`."""
        return self._call(self._send, _request(method, target, body, **options))

    def page(self, target: str, position: str | None = None, **options: Any) -> Any:
        """One page; returns the record `page`."""
        return self._call(self._page, _request("GET", target, "", **options), position)

    def _call(self, function: Any, *arguments: Any) -> Any:
        if os.getpid() != self._pid:
            raise RuntimeError("opened before a fork; open the supplier in the child instead")
        result = function(self._store, self._supplier, *arguments)
        assert isinstance(result, Variant)
        if result.tag == "err":
            raise Failure(result.payload)
        return result.payload


def _request(method: str, target: str, body: str, **options: Any) -> Any:
    values: dict[str, Any] = {
        "method": method,
        "target": target,
        "query": [],
        "headers": [],
        "body": body,  # a str is the case `text`, bytes (slow: one by one) the case `bytes`
        "operation": None,
        "idempotency-key": None,
        "deadline-ms": None,
        "max-wait-ms": None,
    }
    return _record(**{**values, **options})


def _record(**fields: Any) -> Any:
    record = Record()
    for name, value in fields.items():
        setattr(record, name, value)
    return record


def main(base_url: str, wasm: str) -> int:
    overrides = json.dumps({"base_url": base_url})
    secrets = {"signing-secret": "test_secret_a"}
    acme = WasiSupplier(wasm, json.dumps(PROFILE), overrides, secrets)
    reply = acme.send("POST", "/orders", '{"sku":"B2"}', **{"idempotency-key": "order-8"})
    print(reply.response.status, reply.verdict, reply.response.body)
    position, count = None, 0
    for _ in range(3):
        page = acme.page("/consignments", position, query=[("limit", "100")])
        count, position = count + page.count, page.next
    print(count, "consignments in 3 pages")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
