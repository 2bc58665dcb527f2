"""The hot way across the boundary: one C call with the values laid out by hand.

`wasmtime.component.Func.__call__` asks for the function's types anew on each call, converts
value by value and gives the interpreter lock away some forty times; under busy threads each of
these may cost a switch interval. Here a call is laid out once and crossed while the lock is
held, unless a text is so long that the engine works on it for milliseconds.

The layout is that of `wasmtime_component_val_t` in the C API of wasmtime 50 (the package pins
that major): 32 bytes, the kind in the first, the value from the eighth on.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import POINTER, byref, c_bool, c_double, c_size_t, c_uint8, c_uint16, c_uint32, c_void_p
from typing import Any, NamedTuple

from wasmtime import Store, WasmtimeError
from wasmtime import _ffi as ffi
from wasmtime.component import Func, ResourceAny

# Kinds of values.
BOOL, U16, F64, TEXT, ENUM, OPTION, RESOURCE = 0, 4, 10, 12, 17, 18, 21

LONG = 256 * 1024
"""Characters from which on other threads run while the engine works."""


class _Text(ctypes.Structure):
    _fields_ = (("size", c_size_t), ("data", ctypes.c_char_p))


class _Chars(ctypes.Structure):
    _fields_ = (("size", c_size_t), ("data", c_void_p))


class _Of(ctypes.Union):
    _fields_ = (
        ("boolean", c_bool),
        ("u16", c_uint16),
        ("u32", c_uint32),
        ("f64", c_double),
        ("text", _Text),
        ("chars", _Chars),
        ("pointer", c_void_p),
        ("room", c_uint8 * 24),
    )


class _Value(ctypes.Structure):
    _fields_ = (("kind", c_uint8), ("of", _Of))


class _Entry(ctypes.Structure):
    _fields_ = (("name", _Chars), ("value", _Value))


if ctypes.sizeof(_Value) != ctypes.sizeof(ffi.wasmtime_component_val_t):  # pragma: no cover
    raise ImportError("wasmtime lays out its values in another way than version 50 does")

_held = ctypes.PyDLL(str(ffi.filename))
_released = ctypes.CDLL(str(ffi.filename))


def _bind(library: ctypes.CDLL, name: str, result: Any, *parameters: Any) -> Any:
    function = getattr(library, name)
    function.restype = result
    function.argtypes = parameters
    return function


_ERROR = POINTER(ffi.wasmtime_error_t)
_CALL = (c_void_p, c_void_p, c_void_p, c_size_t, c_void_p, c_size_t)
_call_held = _bind(_held, "wasmtime_component_func_call", _ERROR, *_CALL)
_call_released = _bind(_released, "wasmtime_component_func_call", _ERROR, *_CALL)
_value_delete = _bind(_held, "wasmtime_component_val_delete", None, c_void_p)
_resource_drop = _bind(_held, "wasmtime_component_resource_any_drop", _ERROR, c_void_p, c_void_p)
_resource_delete = _bind(_held, "wasmtime_component_resource_any_delete", None, c_void_p)


class Action(NamedTuple):
    """What the engine wants next: the record of that name in the contract."""

    step: str
    ms: int
    detail: str
    body: str
    base64: bool


class Handle:
    """An owned resource of the store that made it."""

    def __init__(self, context: c_void_p, pointer: int) -> None:
        self._context = context
        self.pointer = pointer

    def drop(self) -> None:
        """Runs the destructor. Once only."""
        pointer, self.pointer = self.pointer, 0
        if pointer:
            error = _resource_drop(self._context, pointer)
            _resource_delete(pointer)
            _check(error)


def pointer(resource: ResourceAny) -> int:
    """Where a resource that wasmtime's own binding owns lies."""
    return ctypes.cast(resource.ptr(), c_void_p).value or 0


class Function:
    """One export, laid out. Not for two threads at once: arguments lie in one place."""

    def __init__(self, func: Func, store: Store, kinds: Sequence[int]) -> None:
        self._func = func  # keeps what is pointed to
        self._store = store
        self._entry = ctypes.cast(ctypes.pointer(func._func), c_void_p)
        self._context = ctypes.cast(store._context(), c_void_p)
        self._count = len(kinds)
        self._arguments = (_Value * len(kinds))()
        self._inner: list[_Value] = []
        for argument, kind in zip(self._arguments, kinds, strict=True):
            argument.kind = kind & 0xFF
            inner = _Value()
            inner.kind = kind >> 8  # of an option
            self._inner.append(inner)
        self._result = _Value()

    def action(self, *values: Any) -> Action:
        """Crosses; the result is an action."""
        self._cross(values)
        try:
            entries = ctypes.cast(self._result.of.chars.data, POINTER(_Entry))
            return Action(
                _read(entries[0].value),
                entries[1].value.of.u32,
                _read(entries[2].value),
                _read(entries[3].value),
                entries[4].value.of.boolean,
            )
        finally:
            _value_delete(byref(self._result))

    def text(self, *values: Any) -> str:
        """Crosses; the result is a string."""
        self._cross(values)
        try:
            return _read(self._result)
        finally:
            _value_delete(byref(self._result))

    def handle(self, *values: Any) -> Handle:
        """Crosses; the result is an owned resource."""
        self._cross(values)
        return Handle(self._context, self._result.of.pointer)

    def _cross(self, values: Sequence[Any]) -> None:
        size = 0
        for n, value in enumerate(values):
            size += self._put(n, value)
        self._result.kind = BOOL  # what stands there is freed when the result is written
        call = _call_held if size < LONG else _call_released
        _check(
            call(self._entry, self._context, self._arguments, self._count, byref(self._result), 1)
        )

    def _put(self, n: int, value: Any) -> int:
        """Lays an argument; the engine copies it, so a text stays where Python has it."""
        argument = self._arguments[n]
        kind = argument.kind
        if kind == OPTION:
            if value is None:
                argument.of.pointer = None
                return 0
            argument.of.pointer = ctypes.addressof(self._inner[n])
            argument = self._inner[n]
            kind = argument.kind
        of = argument.of
        if kind in (TEXT, ENUM):
            encoded = value.encode()
            of.text.data = encoded
            of.text.size = len(encoded)
            return len(encoded)
        if kind == F64:
            of.f64 = value
        elif kind == BOOL:
            of.boolean = value
        elif kind == U16:
            of.u16 = value
        else:
            of.pointer = value
        return 0


def _read(value: _Value) -> str:
    chars = value.of.chars
    return ctypes.string_at(chars.data, chars.size).decode() if chars.size else ""


def _check(error: Any) -> None:
    if error:
        raise WasmtimeError._from_ptr(ctypes.cast(error, POINTER(ffi.wasmtime_error_t)))
