"""The standard library's transport for asyncio: one thread for each exchange under way."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from typing import Any

from . import Answer, Message
from .stdlib import Exchange, StdlibTransport


class ThreadedTransport:
    """Needs nothing but Python. For hundreds of calls at once take `AsyncHttpxTransport`,
    which needs no threads.

    A thread for each exchange, not a pool: a place in a queue would be a wait after the
    signature. A cancelled exchange is broken off and its connection closed."""

    def __init__(self, transport: StdlibTransport | None = None) -> None:
        self._transport = transport or StdlibTransport()

    async def send(self, message: Message) -> Answer:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Answer] = loop.create_future()
        exchange = Exchange(self._transport, message)

        def tell(result: Any, error: BaseException | None) -> None:
            if done.cancelled():
                return
            if error is not None:
                done.set_exception(error)
            else:
                done.set_result(result)

        def run() -> None:
            result, problem = None, None
            try:
                result = exchange.run()
            except BaseException as error:
                problem = error
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits
                loop.call_soon_threadsafe(tell, result, problem)

        context = contextvars.copy_context()
        name = "supplier-client-send"
        threading.Thread(target=context.run, args=(run,), name=name, daemon=True).start()
        try:
            return await done
        except asyncio.CancelledError:
            exchange.abort()
            raise

    async def close(self) -> None:
        self._transport.close()
