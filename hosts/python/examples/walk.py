"""Places an order and walks a list. The supplier is the project's own strict one:

cargo xtask serve --port 8080          # prints: listening on http://127.0.0.1:8080/v2
python examples/walk.py http://127.0.0.1:8080/v2
"""

from __future__ import annotations

import logging
import sys
from itertools import islice

from supplier_client import CallError, SupplierClient

PROFILE = {
    "profile": 1,
    "supplier": "acme-freight",
    "base_url": "https://api.acme-freight.example/v2",
    "signing": {
        "string_to_sign": ["{timestamp}", ".", "{body}"],
        "algorithm": "hmac-sha256",
        "key": {"credentials": ["signing-secret"]},
        "headers": {"X-Signature": "t={timestamp},{signatures}"},
        "signatures": {"each": "v1={signature}", "join": ","},
    },
    "limits": [
        {
            "reader": "fields",
            "name": "requests",
            "remaining": "X-RateLimit-Remaining",
            "reset": "X-RateLimit-Reset",
            "reset_unit": "epoch-s",
        }
    ],
    "idempotency": {"header": "Idempotency-Key"},
    "pages": {"items": "/items", "cursor": {"body": "/next"}, "send_as": {"query": "cursor"}},
}


def main(base_url: str) -> int:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    overrides = {"base_url": base_url}
    credentials = {"signing-secret": "test_secret_a"}
    try:
        with SupplierClient(PROFILE, credentials, overrides=overrides) as acme:
            order = acme.send("POST", "/orders", json={"sku": "A1"}, idempotency_key="order-7")
            print(order.status, order.verdict, order.json())
            items = acme.items("/consignments", query={"limit": 100})
            for consignment in islice(items, 250):
                last = consignment["id"]
            print("the 250th consignment is", last)
    except CallError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
