"""What the two clients have in common: everything but sending and waiting."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypedDict

from . import _log
from ._call import Wait
from ._engine import Clock, Engine
from ._request import Asked, HeaderPairs, Pairs, Profile, asked, profile_text
from .errors import CallCancelledError, CallError
from .model import Attempt, Page, Reply

if TYPE_CHECKING:
    from typing_extensions import Unpack


class Options(TypedDict, total=False):
    """What `page`, `pages` and `items` take beside the target."""

    query: Pairs | None
    headers: HeaderPairs | None
    body: bytes | str | None
    json: Any
    operation: str | None
    deadline: float | None
    max_wait: float | None


class SendOptions(Options, total=False):
    """What `send` takes beside method and target."""

    idempotency_key: str | None


class PageOptions(Options, total=False):
    method: str


CLOSED = "the client was closed"


class SupplierBase:
    """A supplier's engine, and what can be asked of it without a network."""

    def __init__(
        self,
        profile: Profile,
        credentials: Mapping[str, str] | None,
        overrides: Profile | None,
        logger: logging.Logger | None,
        on_attempt: Callable[[Attempt], object] | None,
        clock: Clock | None,
    ) -> None:
        self._engine = Engine(
            profile_text(profile),
            None if overrides is None else profile_text(overrides),
            credentials or {},
            clock or Clock(),
        )
        self._logger = logger or _log.logger
        self._on_attempt = on_attempt
        self._told_no_store = False

    def set_credentials(self, credentials: Mapping[str, str]) -> None:
        """Replaces all credentials, for rotation. Budget, clock and health stay. On failure
        (`ProfileError`) the old ones stay in force."""
        self._engine.set_credentials(credentials)

    def health(self) -> dict[str, Any]:
        """Counts by outcome, and the state of each pool: `schemas/health.schema.json`."""
        health: dict[str, Any] = json.loads(self._engine.health())
        return health

    def explain(self, method: str, target: str, **options: Unpack[SendOptions]) -> dict[str, Any]:
        """What `send` would do, with secrets blanked out. Sends nothing. A request that would
        be refused has its failure under `failure`."""
        request, body, *_ = asked(method, target, **options)
        explained: dict[str, Any] = json.loads(self._engine.explain(request, *body))
        return explained

    def _log_reply(self, result: Reply | Page) -> None:
        _log.reply(self._logger, result.journal)

    def _log_failure(self, error: CallError) -> None:
        _log.failure(self._logger, error)

    def _log_wait(self, call: str, wait: Wait) -> None:
        _log.wait(self._logger, call, wait.seconds, wait.why)

    def _store_missing(self) -> str:
        if not self._told_no_store:
            self._told_no_store = True
            self._logger.warning(
                "the profile shares its budget, and the client was given no store: "
                "that counts as one that failed"
            )
        return "no-store"

    def _store_failed(self, error: Exception) -> str:
        self._logger.warning("the store failed: %s", error, exc_info=error)
        return type(error).__name__


def closed() -> CallCancelledError:
    """What a call to a closed client ends with."""
    return CallCancelledError(f"{CLOSED}: nothing was sent", code="closed")


def transport_of(given: Any, example: str) -> None:
    """A transport that cannot be one would look like a broken network, call after call."""
    module = type(given).__module__.partition(".")[0]
    usable = all(callable(getattr(given, name, None)) for name in ("send", "close"))
    if module == "httpx" or not usable:
        raise TypeError(
            "transport must have send(message) -> Answer and close(), which "
            f"{type(given).__name__} has not; for httpx give {example}"
        )


def page_asked(
    target: str, position: str | None, method: str = "GET", **options: Unpack[Options]
) -> Asked:
    return asked(method, target, page=True, position=position, **options)
