"""A time limit for asyncio that keeps every cancellation."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


async def within(seconds: float, work: Coroutine[Any, Any, T]) -> T:
    """The result of `work`, or `TimeoutError`; it is cancelled then, and when the caller is.

    Not `asyncio.wait_for`: before Python 3.12 that swallows a cancellation that arrives together
    with the result, and nobody would ever know that the task was to end."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait({task}, timeout=seconds)
        if not task.done():
            raise TimeoutError(f"not done within {seconds} s")
        return task.result()
    finally:
        if not task.done():
            task.cancel()
        # What it still raises has no reader.
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
