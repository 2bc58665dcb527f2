"""A trap kills an instance, not the client."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from wasmtime import WasmtimeError

from supplier_client import Answer, InternalError, Message, StdlibTransport, SupplierClient
from wire import Wire, answer

Open = Callable[..., SupplierClient]
Start = Callable[..., Wire]


def break_it(acme: SupplierClient) -> None:
    """The next step of a call stops as a real fault would."""
    instance = acme._engine._instance
    assert instance is not None

    def trap(*_: Any) -> Any:
        raise WasmtimeError("wasm trap: unreachable")

    instance.steps["go"].action = trap  # type: ignore[method-assign]


def test_the_next_call_gets_a_new_instance(wire: Start, client: Open) -> None:
    acme = client(wire(answer()).url)
    break_it(acme)
    with pytest.raises(InternalError) as caught:
        acme.send("GET", "/x")
    assert caught.value.code == "engine-trapped"
    assert acme.send("GET", "/x").ok


def test_calls_of_the_old_instance_are_told(wire: Start, client: Open) -> None:
    class TrapsMeanwhile(StdlibTransport):
        def send(self, message: Message) -> Answer:
            answered = super().send(message)
            if message.url.endswith("/outer"):
                break_it(acme)
                with pytest.raises(InternalError):
                    acme.send("GET", "/inner")
            return answered

    acme = client(wire(answer()).url, transport=TrapsMeanwhile())
    with pytest.raises(InternalError) as caught:
        acme.send("GET", "/outer")
    assert caught.value.code == "engine-restarted"
    assert acme.send("GET", "/x").ok


def test_a_real_refusal_of_the_component(client: Open) -> None:
    """A supplier where a call is wanted: what wasmtime itself says ends the instance."""
    acme = client("http://127.0.0.1:9")
    call = acme._engine.begin('{"method":"GET","target":"/"}', "", False)
    call._handle.pointer, right = call._instance.supplier, call._handle.pointer
    with pytest.raises(InternalError, match="resource"):
        call.go()
    call._handle.pointer = right
    call.drop()  # of an instance that is gone: nothing to do
    assert acme.health()["calls"] == 0
