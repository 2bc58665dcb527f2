"""The journal of a call as one line of the log."""

from __future__ import annotations

import logging
from typing import Any

logger = logging.getLogger("supplier_client")


def record(log: logging.Logger, journal: dict[str, Any], *, failed: bool) -> None:
    """`DEBUG` for a call that went through at once, `INFO` for one that took more, `WARNING`
    for one that failed. The journal itself is in the record's attribute `journal`."""
    attempts = journal.get("attempts", [])
    level = logging.DEBUG
    if failed:
        level = logging.WARNING
    elif len(attempts) > 1 or _waits(journal):
        level = logging.INFO
    if log.isEnabledFor(level):
        log.log(level, "%s", _Line(journal), extra={"journal": journal})


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
