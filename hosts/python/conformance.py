"""Plays what another program asks for, and says what came of it: one JSON job a line on standard
input, one JSON result a line on standard output. The project's scenarios run through this worker,
so that every language is seen to do the same.

job     {"id", "profile", "overrides", "credentials", "calls": [{"send": REQ} |
        {"page": REQ, "position": null | text | "next"} | {"walk": REQ, "pages": n?}]}
result  {"id", "problems": [...]} or {"id", "results": [...], "health": {...}}
"""

from __future__ import annotations

import base64
import json
import sys
from typing import Any

from supplier_client import CallError, Page, ProfileError, Reply, Response, SupplierClient


def main() -> None:
    for line in sys.stdin:
        if line.strip():
            print(json.dumps(_play(json.loads(line))), flush=True)


def _play(job: dict[str, Any]) -> dict[str, Any]:
    try:
        client = SupplierClient(job["profile"], job["credentials"], overrides=job.get("overrides"))
    except ProfileError as error:
        return {"id": job["id"], "problems": [problem.__dict__ for problem in error.problems]}
    with client:
        results = _Caller(client).all(job["calls"])
        return {"id": job["id"], "results": results, "health": client.health()}


class _Caller:
    def __init__(self, client: SupplierClient) -> None:
        self._client = client
        self._next: str | None = None

    def all(self, calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [self._one(call) for call in calls]

    def _one(self, call: dict[str, Any]) -> dict[str, Any]:
        try:
            if "send" in call:
                options = _options(call["send"])
                return {"reply": _reply(self._client.send(**options))}
            if "page" in call:
                position = call.get("position")
                page = self._page(call["page"], self._next if position == "next" else position)
                return {"page": _page(page)}
            return {"walk": self._walk(call["walk"], call.get("pages"))}
        except CallError as error:
            return {"failure": _failure(error)}

    def _page(self, request: dict[str, Any], position: str | None) -> Page:
        options = _options(request)
        options.pop("idempotency_key", None)
        page = self._client.page(options.pop("target"), position, **options)
        self._next = page.next
        return page

    def _walk(self, request: dict[str, Any], pages: int | None) -> dict[str, Any]:
        items: list[str] = []
        read, position, ended, failure = 0, None, False, None
        try:
            while pages is None or read < pages:
                page = self._page(request, position)
                read += 1
                if inner := page.items_json.strip()[1:-1].strip():
                    items.append(inner)
                position, ended = page.next, page.next is None
                if ended:
                    break
        except CallError as error:
            failure = _failure(error)
        return {
            "items": f"[{','.join(items)}]",
            "pages": read,
            "ended": ended,
            "failure": failure,
        }


def _options(request: dict[str, Any]) -> dict[str, Any]:
    options = {key: value for key, value in request.items() if not key.endswith("_ms")}
    for name in ("deadline", "max_wait"):
        if (ms := request.get(f"{name}_ms")) is not None:
            options[name] = ms / 1000
    body = options.pop("body", None)
    if body is not None:
        options["body"] = body["text"] if "text" in body else base64.b64decode(body["base64"])
    for name in ("query", "headers"):
        options[name] = [tuple(pair) for pair in options.get(name) or []]
    return options


def _reply(reply: Reply) -> dict[str, Any]:
    return {
        "verdict": reply.verdict,
        **_response(reply.response),
        "retry_after_ms": reply.retry_after_ms,
        "journal": reply.journal,
    }


def _page(page: Page) -> dict[str, Any]:
    return {
        "items": page.items_json,
        "count": page.count,
        "next": page.next,
        "journal": page.journal,
    }


def _failure(error: CallError) -> dict[str, Any]:
    return {
        "kind": error.kind,
        "code": error.code,
        "message": error.message,
        "retry_after_ms": error.retry_after_ms,
        "status": error.status,
        "response": None if error.response is None else _response(error.response),
        "journal": error.journal,
    }


def _response(response: Response) -> dict[str, Any]:
    body: dict[str, str]
    try:
        body = {"text": response.body.decode()}
    except UnicodeDecodeError:
        body = {"base64": base64.b64encode(response.body).decode("ascii")}
    return {"status": response.status, "headers": list(response.headers), "body": body}


if __name__ == "__main__":
    main()
