"""A supplier inside the engine component, and its calls: the contract's `interface engine`.

One instance per client, entered under a lock that is held for the microseconds of a crossing
and never while anybody waits or sends.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from ._component import compiled
from ._fork import reset_after_fork
from .errors import InternalError, Problem, ProfileError, SetupError

Headers = str
"""A JSON array of pairs."""


class Now(NamedTuple):
    """An instant: Unix time, and a clock that never goes back. Milliseconds."""

    wall_ms: float
    mono_ms: float


class Clock:
    """The machine's own. Tests bring another."""

    def now(self) -> Now:
        return Now(time.time() * 1000, time.monotonic() * 1000)


class Engine:
    """One supplier. Safe to use from any thread, and in a child of fork."""

    def __init__(
        self, profile: str, overrides: str | None, credentials: Mapping[str, str], clock: Clock
    ) -> None:
        self._opened_with = (profile, overrides)
        self._credentials = dict(credentials)
        self._clock = clock
        self._inside = False
        self._instance: _Instance | None = None
        # An RLock: a coroutine that is collected while its own thread is in here drops its call.
        self._lock = threading.RLock()
        reset_after_fork(self)
        with self._lock:
            self._enter()

    def set_credentials(self, credentials: Mapping[str, str]) -> None:
        with self._lock:
            self._enter().set_credentials(credentials)
            self._credentials = dict(credentials)

    def health(self) -> str:
        with self._lock:
            instance = self._enter()
            health: str = self._guard(instance, instance.health.text, instance.supplier)
            return health

    def explain(self, request: str, body: str, base64: bool) -> str:
        with self._lock:
            instance = self._enter()
            explained: str = self._guard(
                instance,
                instance.explain.text,
                instance.supplier,
                request,
                body,
                base64,
                *self._clock.now(),
            )
            return explained

    def begin(self, request: str, body: str, base64: bool) -> Call:
        entropy = os.urandom(16).hex()
        with self._lock:
            instance = self._enter()
            handle = self._guard(
                instance,
                instance.begin.handle,
                instance.supplier,
                request,
                body,
                base64,
                entropy,
            )
            return Call(self, instance, handle)

    def step(self, instance: _Instance, function: str, *values: Any) -> Any:
        """One event of a call. The time is read inside the lock: events of several calls reach
        the engine in the order of their times."""
        with self._lock:
            if instance is not self._instance:
                raise InternalError(
                    "the engine was started anew after a fault, and this call is lost with the "
                    "old one; if it had been sent, the supplier may have done it",
                    code="engine-restarted",
                )
            run = instance.steps[function].action
            return self._guard(instance, run, *values, *self._clock.now())

    def drop(self, instance: _Instance, handle: Any) -> None:
        with self._lock:
            if instance is self._instance:
                self._guard(instance, handle.drop)

    def _enter(self) -> _Instance:
        if self._instance is None:
            self._instance = _Instance(*self._opened_with, self._credentials)
        return self._instance

    def _guard(self, instance: _Instance, run: Any, *values: Any) -> Any:
        """After a trap an instance refuses every further call: the next one gets a new one.
        Its budget, clock and health are lost unless a store keeps the budget."""
        self._inside = True
        try:
            return run(*values)
        except instance.trap as error:
            self._instance = None
            raise InternalError(
                f"the engine stopped at a fault of its own, please report it: {error}",
                code="engine-trapped",
            ) from error
        finally:
            self._inside = False

    def _after_fork(self) -> None:
        self._lock = threading.RLock()
        if self._inside:  # another thread was half-way through, and does not exist here
            self._inside = False
            self._instance = None


class Call:
    """One call in progress. `drop` it at any time."""

    def __init__(self, engine: Engine, instance: _Instance, handle: Any) -> None:
        self._engine = engine
        self._instance = instance
        self._handle = handle

    def go(self) -> Any:
        return self._engine.step(self._instance, "go", self._handle.pointer)

    def answered(self, status: int, headers: Headers, body: str, base64: bool) -> Any:
        return self._engine.step(
            self._instance, "answered", self._handle.pointer, status, headers, body, base64
        )

    def broke(self, phase: str, code: str, status: int | None, headers: Headers) -> Any:
        return self._engine.step(
            self._instance, "broke", self._handle.pointer, phase, code, status, headers
        )

    def stored(self, won: bool, current: str | None) -> Any:
        return self._engine.step(self._instance, "stored", self._handle.pointer, won, current)

    def store_failed(self, code: str) -> Any:
        return self._engine.step(self._instance, "store-failed", self._handle.pointer, code)

    def cancel(self) -> Any:
        return self._engine.step(self._instance, "cancel", self._handle.pointer)

    def drop(self) -> None:
        self._engine.drop(self._instance, self._handle)


class _Instance:
    """One instance of the component, with the supplier opened in it."""

    def __init__(self, profile: str, overrides: str | None, credentials: Mapping[str, str]) -> None:
        engine, component, linker = compiled()
        from wasmtime import Store, WasmtimeError

        from . import _crossing as crossing

        self.trap = WasmtimeError
        self._store = Store(engine)
        try:
            instance = linker.instantiate(self._store, component)
        except WasmtimeError as error:
            raise SetupError(f"the engine component cannot be instantiated: {error}") from error
        interface = component.get_export_index("supplier:client/engine@0.1.0")

        def export(name: str) -> Any:
            index = interface and component.get_export_index(name, interface)
            func = index and instance.get_func(self._store, index)
            if func is None:
                raise SetupError(f"the engine component has no `{name}`: it is another version")
            return func

        def laid_out(name: str, *kinds: int) -> crossing.Function:
            return crossing.Function(export(name), self._store, kinds)

        text, truth, number = crossing.TEXT, crossing.BOOL, crossing.F64
        own = crossing.RESOURCE
        some_text = crossing.OPTION | text << 8
        some_status = crossing.OPTION | crossing.U16 << 8
        self.begin = laid_out("[method]supplier.begin", own, text, text, truth, text)
        self.health = laid_out("[method]supplier.health", own)
        self.explain = laid_out("[method]supplier.explain", own, text, text, truth, number, number)
        kinds: dict[str, tuple[int, ...]] = {
            "go": (),
            "answered": (crossing.U16, text, text, truth),
            "broke": (crossing.ENUM, text, some_status, text),
            "stored": (truth, some_text),
            "store-failed": (text,),
            "cancel": (),
        }
        self.steps = {
            name: laid_out(f"[method]call.{name}", own, *own_kinds, number, number)
            for name, own_kinds in kinds.items()
        }
        self._replace = export("[method]supplier.set-credentials")
        opened = export("[static]supplier.open")(
            self._store, profile, overrides, _records(credentials)
        )
        if isinstance(opened, list):
            raise ProfileError(_problems(opened))
        self._supplier = opened
        self.supplier = crossing.pointer(opened)

    def set_credentials(self, credentials: Mapping[str, str]) -> None:
        problems = self._replace(self._store, self._supplier, _records(credentials))
        if problems is not None:
            raise ProfileError(_problems(problems))


def _records(credentials: Mapping[str, str]) -> list[Any]:
    from wasmtime.component import Record

    records = []
    for name, value in credentials.items():
        if value is None:
            raise TypeError(f"the credential {name!r} is None: is its environment variable set?")
        if not isinstance(value, str):
            raise TypeError(f"the credential {name!r} must be a str (binary keys as hex or base64)")
        record: Any = Record()
        record.name, record.value = name, value
        records.append(record)
    return records


def _problems(records: list[Any]) -> list[Problem]:
    return [Problem(record.pointer, record.code, record.message) for record in records]
