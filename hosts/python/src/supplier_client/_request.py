"""A request as people write it, made into what the engine takes."""

from __future__ import annotations

import base64
import json as _json
import math
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

Profile: TypeAlias = "str | os.PathLike[str] | Mapping[str, Any]"
"""A mapping, JSON text (it begins with `{`), or the path of a JSON file."""
Scalar: TypeAlias = "str | int | float | bool"
Pairs: TypeAlias = "Mapping[str, Scalar] | Iterable[tuple[str, Scalar]]"
HeaderPairs: TypeAlias = "Mapping[str, str] | Iterable[tuple[str, str]]"

_ONES_OF_A_BODY = "give either `body` or `json`, not both"
_BODY = "body must be bytes or str, not {}; give json= for what is to become JSON"


class Carried(NamedTuple):
    """A body on its way across: text where it is UTF-8, else base64."""

    text: str
    base64: bool


class Asked(NamedTuple):
    """What `begin` takes, and what the log may say of it."""

    request: str
    body: Carried
    method: str
    operation: str | None


def asked(
    method: str,
    target: str,
    *,
    query: Pairs | None = None,
    headers: HeaderPairs | None = None,
    body: bytes | str | None = None,
    json: Any = None,
    operation: str | None = None,
    idempotency_key: str | None = None,
    deadline: float | None = None,
    max_wait: float | None = None,
    page: bool = False,
    position: str | None = None,
) -> Asked:
    _text("method", method)
    _text("target", target)
    named = {"operation": operation, "idempotency_key": idempotency_key, "position": position}
    for name, text in named.items():
        if text is not None:
            _text(name, text)
    lines = [
        (_text("a header's name", name), _text(f"header {name}", value))
        for name, value in _pairs(headers)
    ]
    if json is not None:
        if body is not None:
            raise TypeError(_ONES_OF_A_BODY)
        body = _json.dumps(json, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        if not any(name.lower() == "content-type" for name, _ in lines):
            lines.append(("Content-Type", "application/json"))
    elif isinstance(body, (bytearray, memoryview)):
        body = bytes(body)
    elif body is not None and not isinstance(body, (bytes, str)):
        raise TypeError(_BODY.format(type(body).__name__))
    request: dict[str, Any] = {"method": method, "target": target}
    if query is not None:
        request["query"] = [(name, _scalar(value)) for name, value in _pairs(query)]
    if lines:
        request["headers"] = lines
    if operation is not None:
        request["operation"] = operation
    if idempotency_key is not None:
        request["idempotency_key"] = idempotency_key
    if deadline is not None:
        request["deadline_ms"] = _ms("deadline", deadline)
    if max_wait is not None:
        request["max_wait_ms"] = _ms("max_wait", max_wait)
    if page:
        request["goal"] = "page"
        request["position"] = position
    return Asked(_json.dumps(request), carried(body or b""), method, operation)


def carried(body: bytes | str) -> Carried:
    if isinstance(body, str):
        return Carried(body, False)
    try:
        return Carried(body.decode(), False)
    except UnicodeDecodeError:
        return Carried(base64.b64encode(body).decode("ascii"), True)


def uncarried(text: str, is_base64: bool) -> bytes:
    return base64.b64decode(text) if is_base64 else text.encode()


def profile_text(profile: Profile) -> str:
    """The document as the engine reads it. A path is read here; nothing is cached."""
    if isinstance(profile, Mapping):
        return _json.dumps(profile)
    if isinstance(profile, str) and profile.lstrip("\ufeff \t\r\n").startswith("{"):
        return profile
    return Path(profile).read_text(encoding="utf-8-sig")


def _pairs(given: Any) -> Iterable[tuple[Any, Any]]:
    if given is None:
        return ()
    return given.items() if isinstance(given, Mapping) else given


def _scalar(value: Scalar) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int, float)):
        return str(value)
    raise TypeError(f"a query value must be a str, a number or a bool, not {type(value).__name__}")


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {type(value).__name__}")
    return value


def _ms(name: str, seconds: float) -> int:
    if not isinstance(seconds, (int, float)):
        raise TypeError(f"{name} must be a number of seconds, not {type(seconds).__name__}")
    if not seconds >= 0:  # NaN too
        raise ValueError(f"{name} must be a number of seconds from 0 on")
    if not math.isfinite(seconds):
        return 0xFFFF_FFFF
    # 16.1 s are 16100.000000000002 ms as a float, and no millisecond more.
    return min(math.ceil(round(seconds * 1000, 6)), 0xFFFF_FFFF)
