"""Lists, page by page."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from decimal import Decimal

import pytest

from supplier_client import BadResponseError, InvalidRequestError, SupplierClient
from wire import Act, Request, Wire, answer

Open = Callable[..., SupplierClient]
Start = Callable[..., Wire]

PAGES = {
    "GET /v2/things?limit=2 HTTP/1.1": b'{"items":[{"n":1.50},{"n":2}],"next":"a+/="}',
    "GET /v2/things?limit=2&cursor=a%2B%2F%3D HTTP/1.1": b'{"items":[{"n":3}],"next":"b"}',
    "GET /v2/things?limit=2&cursor=b HTTP/1.1": b'{"items":[],"next":null}',
}


def paged(request: Request) -> Act:
    return answer(200, PAGES[request.line]) if request.line in PAGES else answer(404)


def test_all_items_come_once_and_lazily(wire: Start, client: Open) -> None:
    server = wire(decide=paged)
    items = client(server.url + "/v2").items("/things", query={"limit": 2})
    assert server.requests == []
    assert next(items) == {"n": 1.5}
    assert len(server.requests) == 1
    assert list(items) == [{"n": 2}, {"n": 3}]
    assert len(server.requests) == 3


def test_digits_can_be_kept(wire: Start, client: Open) -> None:
    acme = client(wire(decide=paged).url + "/v2")
    loads = functools.partial(json.loads, parse_float=Decimal)
    first = next(iter(acme.items("/things", query={"limit": 2}, loads=loads)))
    assert str(first["n"]) == "1.50"
    assert acme.page("/things", query={"limit": 2}).items_json == '[{"n":1.50},{"n":2}]'


def test_a_walk_goes_on_elsewhere(wire: Start, client: Open) -> None:
    server = wire(decide=paged)
    first = client(server.url + "/v2").page("/things", query={"limit": 2})
    assert (first.count, first.items) == (2, [{"n": 1.5}, {"n": 2}])
    assert first.headers.get("content-length")
    rest = client(server.url + "/v2").pages("/things", first.next, query={"limit": 2})
    assert [page.count for page in rest] == [1, 0]


def test_a_position_belongs_to_its_request(wire: Start, client: Open) -> None:
    acme = client(wire(decide=paged).url + "/v2")
    position = acme.page("/things", query={"limit": 2}).next
    with pytest.raises(InvalidRequestError):
        acme.page("/things", position, query={"limit": 3})


def test_a_list_that_does_not_advance_ends_in_an_error(wire: Start, client: Open) -> None:
    """Case B100."""
    server = wire(
        answer(200, b'{"items":[1],"next":"c1"}'), answer(200, b'{"items":[2],"next":"c1"}')
    )
    seen = []
    with pytest.raises(BadResponseError) as caught:
        for item in client(server.url).items("/x"):
            seen.append(item)
    assert (seen, caught.value.code) == ([1, 2], "cursor-not-advancing")
    assert len(server.requests) == 2
