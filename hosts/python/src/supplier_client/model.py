"""What callers get: responses, replies, pages and attempts. Plain values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from .errors import RejectedError

_CHARSET = re.compile(r"charset\s*=\s*\"?([^\s;\"]+)", re.IGNORECASE)


class Headers(tuple[tuple[str, str], ...]):
    """Name and value pairs in wire order; a name may occur more than once, in any case."""

    __slots__ = ()

    def __new__(cls, pairs: Iterable[tuple[str, str]] = ()) -> Headers:
        return super().__new__(cls, pairs)

    def get(self, name: str, default: str | None = None) -> str | None:
        """The first value of that name."""
        wanted = name.lower()
        return next((value for key, value in self if key.lower() == wanted), default)

    def get_all(self, name: str) -> list[str]:
        """All values of that name, in order."""
        wanted = name.lower()
        return [value for key, value in self if key.lower() == wanted]


@dataclass(frozen=True)
class Response:
    """A complete response, as it came: not decompressed, not redirected."""

    status: int
    headers: Headers
    body: bytes = field(repr=False)

    @property
    def text(self) -> str:
        """The body in the charset that it names, else UTF-8; U+FFFD for what does not decode."""
        named = _CHARSET.search(self.headers.get("content-type") or "")
        try:
            return self.body.decode(named[1] if named else "utf-8", "replace")
        except LookupError:
            return self.body.decode("utf-8", "replace")

    def json(self, **options: Any) -> Any:
        """The body as JSON; `options` go to `json.loads` (`parse_float=Decimal`, ...)."""
        return json.loads(self.body, **options)


@dataclass(frozen=True)
class Reply:
    """The response that ended a call, 4xx and 5xx included."""

    response: Response
    verdict: str
    """`ok` (2xx, 304), `redirect`, `forbidden`, `exhausted`, a rule's code, or `rejected`."""
    retry_after_ms: int | None = None
    """What the supplier asked to wait before the next request, where it gave a number."""
    journal: dict[str, Any] = field(default_factory=dict, repr=False)
    """Every attempt and every wait: `schemas/journal.schema.json`."""

    @property
    def ok(self) -> bool:
        return self.verdict == "ok"

    @property
    def status(self) -> int:
        return self.response.status

    @property
    def retry_after(self) -> float | None:
        """`retry_after_ms` in seconds."""
        return None if self.retry_after_ms is None else self.retry_after_ms / 1000

    def json(self, **options: Any) -> Any:
        return self.response.json(**options)

    def raise_for_verdict(self) -> Reply:
        """Returns the reply if it is `ok`, else raises `RejectedError`, which carries it."""
        if not self.ok:
            raise RejectedError(self)
        return self


@dataclass(frozen=True)
class Page:
    """One page of a list."""

    items_json: str = field(repr=False)
    """The items as a JSON array, cut out of the body unchanged: numbers keep their digits."""
    count: int
    next: str | None
    """Where to go on, now or in next week's job: opaque, and safe to store. None at the end."""
    headers: Headers = field(repr=False)
    journal: dict[str, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def items(self) -> list[Any]:
        """The items, read by `json.loads`."""
        items: list[Any] = json.loads(self.items_json)
        return items


@dataclass(frozen=True)
class Attempt:
    """One attempt, as soon as it is decided what follows from it: what `on_attempt` gets."""

    number: int
    method: str
    host: str
    """Host and port. Never the path or the query."""
    operation: str | None
    took: float
    """Seconds from sending to the end of the response."""
    status: int | None
    """Also of a response whose body never came whole."""
    code: str | None
    """Why no complete response came: `connection-refused`, `attempt-timeout`, ..."""
    next: str
    """What follows: `wait`, `send`, `reply`, `page` or `failed`."""
    wait: float | None = None
    """Seconds that will be waited."""
    why: str | None = None
    """What for: `retry-after`, `backoff`, ..."""
