"""A child of `fork` has one thread, and every lock that another one held stays locked there.
Objects that own locks or sockets register here and make new ones in the child."""

from __future__ import annotations

import os
import weakref
from typing import Protocol


class Resettable(Protocol):
    def _after_fork(self) -> None: ...


_objects: weakref.WeakSet[Resettable] = weakref.WeakSet()


def reset_after_fork(thing: Resettable) -> None:
    """Calls `thing._after_fork()` in every child, for as long as `thing` lives."""
    _objects.add(thing)


def _reset_all() -> None:
    for thing in list(_objects):
        thing._after_fork()


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(after_in_child=_reset_all)
