"""The journal of a call as one line of the log."""

from __future__ import annotations

import logging
from typing import Any

from .errors import CallError

logger = logging.getLogger("supplier_client")


LONG_WAIT = 1.0
"""Seconds: whoever watches the log wants to know of such a wait when it begins."""


def reply(log: logging.Logger, journal: dict[str, Any]) -> None:
    """`DEBUG` for a call that went through at once, `INFO` for one that took more. The journal
    itself is in the record's attribute `journal`."""
    level = logging.DEBUG
    if len(journal.get("attempts", [])) > 1 or _waits(journal):
        level = logging.INFO
    if log.isEnabledFor(level):
        log.log(level, "%s", _Line(journal), extra={"journal": journal})


def failure(log: logging.Logger, error: CallError) -> None:
    """`WARNING`. A failure that the engine never heard of has no journal."""
    line = _Line(error.journal) if error.journal else error
    log.warning("%s", line, extra={"journal": error.journal})


def wait(log: logging.Logger, call: str, seconds: float, why: str) -> None:
    """`INFO` when a long wait begins."""
    if seconds >= LONG_WAIT:
        log.info("%s: waits %.1f s for %s", call, seconds, why)


class _Line:
    """Made only if somebody reads it."""

    def __init__(self, journal: dict[str, Any]) -> None:
        self._journal = journal

    def __str__(self) -> str:
        journal = self._journal
        call = f"{journal.get('method')} {journal.get('host')}"
        for name in ("operation", "page"):
            if name in journal:
                call += f" {name} {journal[name]}"
        steps: list[str] = []
        for attempt in journal.get("attempts", []):
            steps += map(_wait, attempt.get("waits", []))
            seen = attempt.get("status") or attempt.get("code", "")
            steps.append(f"{seen} after {attempt['took_ms']} ms ({attempt['verdict']})")
        steps += map(_wait, journal.get("waits", []))
        outcome, took = journal.get("outcome"), journal.get("elapsed_ms")
        return f"{call}: {outcome} in {took} ms: {', '.join(steps) or 'nothing sent'}"


def _wait(wait: dict[str, Any]) -> str:
    if "refused" in wait:
        return f"no wait of {wait['ms']} ms for {wait['why']} ({wait['refused']})"
    return f"waited {wait['ms']} ms for {wait['why']}"


def _waits(journal: dict[str, Any]) -> bool:
    return bool(journal.get("waits")) or any(a.get("waits") for a in journal.get("attempts", []))
