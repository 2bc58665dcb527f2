"""The client for asyncio."""

from __future__ import annotations

import asyncio
import functools
import inspect
import json as _json
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ._base import CLOSED, PageOptions, SupplierBase, closed, page_asked, transport_of
from ._call import Action, Ask, Conversation, Done, Send, Wait
from ._engine import Clock
from ._request import Asked, HeaderPairs, Pairs, Profile, asked
from ._within import within
from .errors import CallError
from .model import Attempt, Page, Reply
from .store import AsyncStore, MemoryStore, Store
from .transport import AsyncTransport
from .transport.threaded import ThreadedTransport

if TYPE_CHECKING:
    from typing_extensions import Unpack


class AsyncSupplierClient(SupplierBase):
    """`SupplierClient` for asyncio: the same arguments and results.

    Deciding happens on the loop's thread and takes some thirty microseconds a step; sending and
    waiting are awaited. Cancelling a task ends its call at once. `transport` is
    `ThreadedTransport()` by default; take `AsyncHttpxTransport()` for hundreds of calls at a time.
    """

    def __init__(
        self,
        profile: Profile,
        credentials: Mapping[str, str] | None = None,
        *,
        overrides: Profile | None = None,
        transport: AsyncTransport | None = None,
        store: Store | AsyncStore | None = None,
        logger: logging.Logger | None = None,
        on_attempt: Callable[[Attempt], object] | None = None,
        clock: Clock | None = None,
    ) -> None:
        super().__init__(profile, credentials, overrides, logger, on_attempt, clock)
        if transport is not None:
            transport_of(transport, "supplier_client.transport.httpx.AsyncHttpxTransport(...)")
        self._transport = transport or ThreadedTransport()
        self._closed = False
        self._store = store

    async def send(
        self,
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
    ) -> Reply:
        """See `SupplierClient.send`."""
        reply = await self._run(
            asked(
                method,
                target,
                query=query,
                headers=headers,
                body=body,
                json=json,
                operation=operation,
                idempotency_key=idempotency_key,
                deadline=deadline,
                max_wait=max_wait,
            )
        )
        assert isinstance(reply, Reply)  # what the engine's goal was
        return reply

    async def page(
        self,
        target: str,
        position: str | None = None,
        *,
        method: str = "GET",
        query: Pairs | None = None,
        headers: HeaderPairs | None = None,
        body: bytes | str | None = None,
        json: Any = None,
        operation: str | None = None,
        deadline: float | None = None,
        max_wait: float | None = None,
    ) -> Page:
        """See `SupplierClient.page`."""
        page = await self._run(
            page_asked(
                target,
                position,
                method,
                query=query,
                headers=headers,
                body=body,
                json=json,
                operation=operation,
                deadline=deadline,
                max_wait=max_wait,
            )
        )
        assert isinstance(page, Page)  # what the engine's goal was
        return page

    async def pages(
        self, target: str, position: str | None = None, **options: Unpack[PageOptions]
    ) -> AsyncIterator[Page]:
        """See `SupplierClient.pages`."""
        while True:
            page = await self.page(target, position, **options)
            yield page
            if page.next is None:
                return
            position = page.next

    async def items(
        self,
        target: str,
        position: str | None = None,
        *,
        loads: Callable[[str], Any] = _json.loads,
        **options: Unpack[PageOptions],
    ) -> AsyncIterator[Any]:
        """See `SupplierClient.items`."""
        async for page in self.pages(target, position, **options):
            for item in loads(page.items_json):
                yield item

    async def close(self) -> None:
        """Gives up connections. No call can be made afterwards. One that waits ends after its
        wait (`CallCancelledError`); to end it at once, cancel its task."""
        self._closed = True
        await self._transport.close()

    async def __aenter__(self) -> AsyncSupplierClient:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def _run(self, question: Asked) -> Reply | Page:
        try:
            if self._closed:
                raise closed()
            with Conversation(self._engine, question, self._on_attempt) as talk:
                result = await self._talk(talk)
        except CallError as error:
            self._log_failure(error)
            raise
        self._log_reply(result)
        return result

    async def _talk(self, talk: Conversation) -> Reply | Page:
        try:
            action = talk.go()
            while not isinstance(action, Done):
                action = await self._perform(talk, action)
            return action.result
        except (asyncio.CancelledError, KeyboardInterrupt, SystemExit):
            talk.cancel()
            raise

    async def _perform(self, talk: Conversation, action: Action) -> Action:
        match action:
            case Send(message):
                sending = self._transport.send(message)
                if not inspect.isawaitable(sending):
                    raise TypeError("an AsyncSupplierClient's transport has an `async def send`")
                try:
                    answer = await sending
                except Exception as error:
                    return talk.broke(error)
                return talk.answered(answer)
            case Wait(seconds):
                self._log_wait(talk.name, action)
                await self._wait(seconds)
                if self._closed:
                    raise talk.cancel(CLOSED)
                return talk.go()
            case Ask():
                return await self._ask(talk, action)
            case Done():  # never: the caller's loop has ended
                return action

    async def _wait(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def _ask(self, talk: Conversation, ask: Ask) -> Action:
        if self._store is None:
            return talk.store_failed(self._store_missing())
        try:
            if ask.value is None:
                current = await self._stored(ask, "load", ask.key)
                won = True
            else:
                won, current = await self._stored(
                    ask, "compare_and_swap", ask.key, ask.expect, ask.value, ask.ttl
                )
        except Exception as error:
            return talk.store_failed(self._store_failed(error))
        return talk.stored(won, current)

    async def _stored(self, ask: Ask, name: str, *values: Any) -> Any:
        """The store's answer, within its patience; a store that is not async does not hold up
        the loop."""
        method = functools.partial(getattr(self._store, name), *values, ask.patience)
        if isinstance(self._store, MemoryStore):
            return method()
        if inspect.iscoroutinefunction(method):
            return await within(ask.patience, method())
        return await within(ask.patience, asyncio.to_thread(method))
