"""One of many workers that share a supplier's limit: it opens the supplier with the first line of
its standard input, and sends each further line as one request. Answers each with a line of JSON.

first line   {"profile", "overrides", "credentials", "redis": "redis://..." | null,
              "folder": "..." | null}
other lines  {"method", "target", "body", "idempotency_key"}
"""

from __future__ import annotations

import json
import sys
from typing import Any

from supplier_client import CallError, FileStore, SupplierClient
from supplier_client.store.redis import RedisStore


def main() -> None:
    first = json.loads(sys.stdin.readline())
    store: FileStore | RedisStore | None = None
    if first["redis"]:
        store = RedisStore(first["redis"])
    elif first["folder"]:
        store = FileStore(first["folder"])
    client = SupplierClient(
        first["profile"], first["credentials"], overrides=first["overrides"], store=store
    )
    with client:
        say({"ready": True})
        for line in sys.stdin:
            say(send(client, json.loads(line)))


def send(client: SupplierClient, request: dict[str, Any]) -> dict[str, Any]:
    try:
        reply = client.send(**request)
    except CallError as error:
        return {"failure": f"{error.kind} {error.code}: {error.message}", "journal": error.journal}
    return {"verdict": reply.verdict, "status": reply.status, "journal": reply.journal}


def say(answer: dict[str, Any]) -> None:
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
