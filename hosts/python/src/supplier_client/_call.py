"""One call as a conversation with the engine, without any waiting or sending: the two clients
are loops around it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ._engine import Engine
from ._request import Asked, carried, uncarried
from .errors import KINDS, CallCancelledError, CallError, InternalError
from .model import Attempt, Headers, Page, Reply, Response
from .transport import Answer, Broken, Caps, Message


@dataclass(frozen=True)
class Send:
    message: Message


@dataclass(frozen=True)
class Wait:
    seconds: float
    why: str


@dataclass(frozen=True)
class Ask:
    """The store: load (`value` is None), or compare and swap."""

    key: str
    expect: str | None
    value: str | None
    ttl: float
    patience: float


@dataclass(frozen=True)
class Done:
    result: Reply | Page


Action = Send | Wait | Ask | Done


class Conversation:
    """Each method tells the engine what happened and returns what to do next; a failure is
    raised. Use as a context manager: leaving it drops the call."""

    def __init__(
        self, engine: Engine, asked: Asked, on_attempt: Callable[[Attempt], object] | None
    ) -> None:
        self._asked = asked
        self._on_attempt = on_attempt
        self._pending: Attempt | None = None
        self._sent = 0
        self._sent_at = 0.0
        self._host = ""
        self._want: dict[str, bool] = {}
        self._response: Response | None = None
        self._cause: BaseException | None = None
        self._call = engine.begin(asked.request, asked.body.text, asked.body.base64)

    @property
    def name(self) -> str:
        """How the log calls it before there is a journal."""
        operation = f"operation {self._asked.operation}" if self._asked.operation else ""
        return " ".join(filter(None, (self._asked.method, self._host, operation)))

    def __enter__(self) -> Conversation:
        return self

    def __exit__(self, *_: object) -> None:
        self._call.drop()

    def go(self) -> Action:
        return self._next(self._call.go())

    def answered(self, answer: Answer) -> Action:
        if not isinstance(answer, Answer):
            raise TypeError(
                "a transport's send must return a supplier_client.Answer, "
                f"not {type(answer).__name__}"
            )
        self._response = Response(answer.status, Headers(answer.headers), answer.body)
        self._cause = None
        wanted = self._want["ok" if answer.status < 400 else "error"]
        body = carried(answer.body if wanted else b"")
        self._note(status=answer.status)
        return self._next(
            self._call.answered(answer.status, _json(answer.headers), body.text, body.base64)
        )

    def broke(self, error: Exception) -> Action:
        """Whatever a transport raises: what it does not explain may have been sent."""
        self._response = None
        self._cause = error.__cause__ if isinstance(error, Broken) else error
        if not isinstance(error, Broken):
            error = Broken("maybe-sent", "internal-error", type(error).__name__)
        self._note(status=error.status, code=error.code)
        code = f"{error.code} {error.detail}" if error.detail else error.code
        return self._next(self._call.broke(error.phase, code, error.status, _json(error.headers)))

    def stored(self, won: bool, current: str | None) -> Action:
        return self._next(self._call.stored(won, current))

    def store_failed(self, code: str) -> Action:
        return self._next(self._call.store_failed(code))

    def cancel(self, why: str | None = None) -> CallError:
        """Ends the call; returns the failure that it ends with. `why` for a message that says
        more than that the caller gave up."""
        try:
            self._next(self._call.cancel())
        except CallError as error:
            if why is not None and isinstance(error, CallCancelledError):
                error.message = why
            return error
        return InternalError("the engine went on after a cancel", code="engine-defect")

    def _next(self, action: Any) -> Action:
        detail = json.loads(action.detail)
        seconds = action.ms / 1000
        if action.step != "store":
            self._tell(action.step, seconds, detail)
        if action.step == "send":
            return self._send(action, detail, seconds)
        if action.step == "wait":
            return Wait(seconds, detail["why"])
        if action.step == "store":
            return Ask(
                detail["key"],
                detail.get("expect"),
                detail.get("value"),
                detail["ttl_ms"] / 1000,
                detail["patience_ms"] / 1000,
            )
        if action.step == "failed":
            raise self._failure(detail) from self._cause
        if self._response is None:
            raise InternalError("the engine replied without a response", code="engine-defect")
        if action.step == "page":
            return Done(
                Page(
                    action.body,
                    detail["count"],
                    detail.get("next"),
                    self._response.headers,
                    detail["journal"],
                )
            )
        return Done(
            Reply(
                self._response,
                detail["verdict"],
                detail.get("retry_after_ms"),
                detail["journal"],
            )
        )

    def _send(self, action: Any, detail: dict[str, Any], seconds: float) -> Send:
        self._want = detail["want"]
        self._sent += 1
        self._sent_at = time.monotonic()
        self._host = urlsplit(detail["url"]).netloc
        return Send(
            Message(
                detail["method"],
                detail["url"],
                [(name, value) for name, value in detail["headers"]],
                uncarried(action.body, action.base64),
                seconds,
                Caps(**detail["caps"]),
            )
        )

    def _failure(self, detail: dict[str, Any]) -> CallError:
        # An engine with a ninth kind would be another major version.
        return KINDS.get(detail["kind"], InternalError)(
            detail["message"],
            code=detail["code"],
            retry_after_ms=detail.get("retry_after_ms"),
            status=detail.get("status"),
            response=self._response,
            journal=detail["journal"],
        )

    def _note(self, *, status: int | None, code: str | None = None) -> None:
        if self._on_attempt is not None:
            self._pending = Attempt(
                self._sent,
                self._asked.method,
                self._host,
                self._asked.operation,
                time.monotonic() - self._sent_at,
                status,
                code,
                "",
            )

    def _tell(self, step: str, seconds: float, detail: dict[str, Any]) -> None:
        attempt, self._pending = self._pending, None
        if attempt is None or self._on_attempt is None:
            return
        known = {**attempt.__dict__, "next": step}
        if step == "wait":
            known |= {"wait": seconds, "why": detail["why"]}
        self._on_attempt(Attempt(**known))


_json = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode
