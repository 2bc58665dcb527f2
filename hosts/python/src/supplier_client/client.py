"""The client for threads and scripts."""

from __future__ import annotations

import json as _json
import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ._base import CLOSED, PageOptions, SupplierBase, closed, page_asked, transport_of
from ._call import Action, Ask, Conversation, Done, Send, Wait
from ._engine import Clock
from ._fork import reset_after_fork
from ._request import Asked, HeaderPairs, Pairs, Profile, asked
from .errors import CallError
from .model import Attempt, Page, Reply
from .store import Store
from .transport import Transport
from .transport.stdlib import StdlibTransport

if TYPE_CHECKING:
    from typing_extensions import Unpack


class SupplierClient(SupplierBase):
    """Calls one supplier by its profile. Keep it: pacing, the supplier's clock and its health
    live in it. Safe to share between threads, and to use in a child of `fork`.

    - `profile`: a mapping, JSON text, or the path of a JSON file.
    - `credentials`: name to value, for the names that the profile uses.
    - `overrides`: a JSON Merge Patch on the profile, for what differs between installations.
    - `transport`: how messages are sent; `StdlibTransport()` by default.
    - `store`: where a budget that several processes share lives.
    - `on_attempt`: called after each attempt, from the thread of the call.

    Raises `ProfileError` with every problem at once, and `SetupError`.
    """

    def __init__(
        self,
        profile: Profile,
        credentials: Mapping[str, str] | None = None,
        *,
        overrides: Profile | None = None,
        transport: Transport | None = None,
        store: Store | None = None,
        logger: logging.Logger | None = None,
        on_attempt: Callable[[Attempt], object] | None = None,
        clock: Clock | None = None,
    ) -> None:
        super().__init__(profile, credentials, overrides, logger, on_attempt, clock)
        if transport is not None:
            transport_of(transport, "supplier_client.transport.httpx.HttpxTransport(...)")
        self._transport = transport or StdlibTransport()
        self._store = store
        self._closed = threading.Event()
        reset_after_fork(self)

    def send(
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
        """Sends one request and returns the response that ends the call, 4xx and 5xx included.

        - `target`: the path below the profile's `base_url`, already percent-encoded.
        - `query`: pairs, not encoded. - `headers`: those that the profile does not set.
        - `body`, or `json` for any value.
        - `operation`: an entry of the profile's `operations`; also how the log names the call.
        - `idempotency_key`: makes a POST safe to repeat. From a stable identity of the work
          (an order number), never from a clock or a random number.
        - `deadline`: seconds for the whole call, waits included.
        - `max_wait`: the longest single wait in seconds; 0 never waits.

        Raises a `CallError` where no response can be handed over.
        """
        reply = self._run(
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

    def page(
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
        """Reads one page: the first without a position, any other with the `next` of the page
        before. Raises a `CallError` on whatever is not a page."""
        page = self._run(
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

    def pages(
        self, target: str, position: str | None = None, **options: Unpack[PageOptions]
    ) -> Iterator[Page]:
        """All pages from `position` on, each read when it is asked for. `options` are those of
        `page`. Store `page.next` to go on from there later."""
        while True:
            page = self.page(target, position, **options)
            yield page
            if page.next is None:
                return
            position = page.next

    def items(
        self,
        target: str,
        position: str | None = None,
        *,
        loads: Callable[[str], Any] = _json.loads,
        **options: Unpack[PageOptions],
    ) -> Iterator[Any]:
        """All items of a list, page by page. `loads` reads a page's JSON array:
        `functools.partial(json.loads, parse_float=Decimal)` keeps every digit."""
        for page in self.pages(target, position, **options):
            yield from loads(page.items_json)

    def close(self) -> None:
        """Ends waits that are under way (`CallCancelledError`) and gives up connections. No
        call can be made afterwards."""
        self._closed.set()
        self._transport.close()

    def __enter__(self) -> SupplierClient:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _run(self, question: Asked) -> Reply | Page:
        try:
            if self._closed.is_set():
                raise closed()
            with Conversation(self._engine, question, self._on_attempt) as talk:
                result = self._talk(talk)
        except CallError as error:
            self._log_failure(error)
            raise
        self._log_reply(result)
        return result

    def _talk(self, talk: Conversation) -> Reply | Page:
        try:
            action = talk.go()
            while not isinstance(action, Done):
                action = self._perform(talk, action)
            return action.result
        except (KeyboardInterrupt, SystemExit):
            talk.cancel()
            raise

    def _perform(self, talk: Conversation, action: Action) -> Action:
        match action:
            case Send(message):
                try:
                    answer = self._transport.send(message)
                except Exception as error:
                    return talk.broke(error)
                return talk.answered(answer)
            case Wait(seconds):
                self._log_wait(talk.name, action)
                # On the main thread Ctrl-C ends the wait at once.
                if self._wait(seconds):
                    raise talk.cancel(CLOSED)
                return talk.go()
            case Ask():
                return self._ask(talk, action)
            case Done():  # never: the caller's loop has ended
                return action

    def _wait(self, seconds: float) -> bool:
        """Whether the client was closed meanwhile."""
        return self._closed.wait(seconds)

    def _ask(self, talk: Conversation, ask: Ask) -> Action:
        if self._store is None:
            return talk.store_failed(self._store_missing())
        try:
            if ask.value is None:
                won, current = True, self._store.load(ask.key, ask.patience)
            else:
                won, current = self._store.compare_and_swap(
                    ask.key, ask.expect, ask.value, ask.ttl, ask.patience
                )
        except Exception as error:
            return talk.store_failed(self._store_failed(error))
        return talk.stored(won, current)

    def _after_fork(self) -> None:
        closed = self._closed.is_set()
        self._closed = threading.Event()
        if closed:
            self._closed.set()
