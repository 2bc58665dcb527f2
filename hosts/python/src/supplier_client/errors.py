"""What can go wrong, as one tree below `SupplierError`.

- `SetupError`: the installation. - `ProfileError`: the profile, its overrides or a credential.
- `CallError`: a call; one class for each of the eight kinds, so that `except` says who has to
act. - `RejectedError`: raised only by `Reply.raise_for_verdict`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .model import Reply, Response

__all__ = [
    "BadResponseError",
    "CallCancelledError",
    "CallError",
    "DeniedError",
    "InternalError",
    "InvalidRequestError",
    "Problem",
    "ProfileError",
    "RejectedError",
    "SetupError",
    "SupplierError",
    "ThrottledError",
    "UnavailableError",
    "UnknownOutcomeError",
]


class SupplierError(Exception):
    """Everything that this package raises on purpose."""


class SetupError(SupplierError, RuntimeError):
    """The wasmtime library or the component is missing, or of the wrong version."""


@dataclass(frozen=True)
class Problem:
    """One mistake in a profile, its overrides or a credential."""

    pointer: str
    """JSON Pointer into the profile with its overrides applied."""
    code: str
    """Stable name: `unknown-key`, `missing`, `invalid-secret`, ..."""
    message: str
    """What is wrong and what to write instead."""

    def __str__(self) -> str:
        return f"{self.pointer or '(the whole profile)'}: {self.message} [{self.code}]"


class ProfileError(SupplierError, ValueError):
    """The profile or its credentials are not usable; `problems` has every mistake at once."""

    def __init__(self, problems: list[Problem]) -> None:
        self.problems = problems
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        lines = "".join(f"\n  {problem}" for problem in problems)
        super().__init__(f"the supplier's profile has {count}:{lines}")


class CallError(SupplierError):
    """A call that ended without a reply or a page. Catch a subclass to tell who has to act."""

    kind: str = ""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        retry_after_ms: int | None = None,
        status: int | None = None,
        response: Response | None = None,
        journal: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        """The precise reason: `wait-too-long`, `maybe-applied`, ... New ones may come."""
        self.retry_after_ms = retry_after_ms
        """When it is worth calling again, where the supplier gave a number."""
        self.status = status
        """The last status heard, also of a response whose body never came whole."""
        self.response = response
        """The complete response of the last attempt, if there was one."""
        self.journal = journal or {}
        """Every attempt and every wait of the call."""

    @property
    def retry_after(self) -> float | None:
        """`retry_after_ms` in seconds."""
        return None if self.retry_after_ms is None else self.retry_after_ms / 1000

    def __str__(self) -> str:
        return f"{self.message} [{self.kind}, {self.code}]"

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions cross processes (multiprocessing, Celery) by pickle.
        return _rebuild, (type(self), self.args, self.__dict__)


class InvalidRequestError(CallError, ValueError):
    """The request cannot be sent as it is. Nothing was sent."""

    kind = "invalid"


class DeniedError(CallError):
    """The host or the supplier refused. Repeating it changes nothing."""

    kind = "denied"


class ThrottledError(CallError):
    """A limit: wait `retry_after`, then call again."""

    kind = "throttled"


class UnavailableError(CallError, ConnectionError):
    """No complete response came, though it may come later."""

    kind = "unavailable"


class UnknownOutcomeError(CallError):
    """The supplier may have done what was asked for. Find out before repeating it."""

    kind = "unknown-outcome"


class BadResponseError(CallError):
    """A response came, and it is not what the profile says it should be."""

    kind = "bad-response"


class CallCancelledError(CallError, TimeoutError):
    """The call's own deadline, or `close()`, ended it."""

    kind = "cancelled"


class InternalError(CallError, RuntimeError):
    """A fault of the host, its clock or its configuration."""

    kind = "internal"


class RejectedError(SupplierError):
    """A reply that is not `ok`, raised by `Reply.raise_for_verdict`. No `CallError`: the call
    went well, the supplier said no."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply)
        self.reply = reply
        self.response = reply.response

    @property
    def status(self) -> int:
        return self.reply.status

    @property
    def verdict(self) -> str:
        return self.reply.verdict

    @property
    def retry_after(self) -> float | None:
        """Seconds, where the supplier gave a number."""
        return self.reply.retry_after

    def __str__(self) -> str:
        return f"the supplier answered {self.response.status} [{self.reply.verdict}]"


KINDS: dict[str, type[CallError]] = {
    error.kind: error
    for error in (
        InvalidRequestError,
        DeniedError,
        ThrottledError,
        UnavailableError,
        UnknownOutcomeError,
        BadResponseError,
        CallCancelledError,
        InternalError,
    )
}


def _rebuild(cls: type[CallError], args: tuple[str, ...], state: dict[str, Any]) -> CallError:
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(state)
    return error
