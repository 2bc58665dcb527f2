"""The package beside what its users would pick instead, in one run, against the strict supplier.

    ./ci.sh setup
    ../../target/python/venv/bin/python bench.py [ROUNDS]

For each: CPU and wall time in microseconds of a signed POST of 1 KiB and of a page of 100 items on
one kept connection, milliseconds from the start of a process to its first reply, and resident
memory at the end. Medians of rounds in which every peer has its turn, each time in a process of its
own, so that a noisy moment of the machine hits all of them.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import http.client
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

sys.path += [str(Path(__file__).parent / folder) for folder in ("examples", "tests")]

BODY = json.dumps({"sku": "A1", "note": "x" * 997}, separators=(",", ":")).encode()
SECRET = b"test_secret_a"
BATCHES, CALLS, STARTS = 5, 100, 3


class Peer(NamedTuple):
    post: Callable[[str], object]
    page: Callable[[], object]


def signature(body: bytes) -> str:
    now = str(int(time.time()))
    return f"t={now},v1={hmac.new(SECRET, now.encode() + b'.' + body, hashlib.sha256).hexdigest()}"


def own(url: str, transport: Any = None) -> Peer:
    from supplier_client import SupplierClient
    from walk import PROFILE

    client = SupplierClient(
        PROFILE,
        {"signing-secret": "test_secret_a"},
        overrides={"base_url": url},
        transport=transport,
    )
    return Peer(
        lambda key: client.send("POST", "/orders", body=BODY, idempotency_key=key),
        lambda: client.page("/consignments", query={"limit": 100}).items,
    )


def own_httpx(url: str) -> Peer:
    from supplier_client.transport.httpx import HttpxTransport

    return own(url, HttpxTransport())


def own_asyncio(url: str, transport: Any = None) -> Peer:
    from supplier_client import AsyncSupplierClient
    from walk import PROFILE

    client = AsyncSupplierClient(
        PROFILE,
        {"signing-secret": "test_secret_a"},
        overrides={"base_url": url},
        transport=transport,
    )
    loop = asyncio.new_event_loop()

    async def page() -> object:
        return (await client.page("/consignments", query={"limit": 100})).items

    return Peer(
        lambda key: loop.run_until_complete(
            client.send("POST", "/orders", body=BODY, idempotency_key=key)
        ),
        lambda: loop.run_until_complete(page()),
    )


def own_asyncio_httpx(url: str) -> Peer:
    from supplier_client.transport.httpx import AsyncHttpxTransport

    return own_asyncio(url, AsyncHttpxTransport())


def bare_http_client(url: str) -> Peer:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port)

    def run(method: str, target: str, body: bytes, key: str | None) -> Any:
        headers = {"X-Signature": signature(body)}
        if key:
            headers["Idempotency-Key"] = key
        connection.request(method, parts.path + target, body or None, headers)
        return json.loads(connection.getresponse().read())

    return Peer(
        lambda key: run("POST", "/orders", BODY, key),
        lambda: run("GET", "/consignments?limit=100", b"", None)["items"],
    )


def bare_httpx(url: str) -> Peer:
    import httpx

    client = httpx.Client()

    def run(method: str, target: str, body: bytes, key: str | None) -> Any:
        headers = {"X-Signature": signature(body)}
        if key:
            headers["Idempotency-Key"] = key
        return client.request(method, url + target, content=body, headers=headers).json()

    return Peer(
        lambda key: run("POST", "/orders", BODY, key),
        lambda: run("GET", "/consignments?limit=100", b"", None)["items"],
    )


def httpx_tenacity(url: str) -> Peer:
    import httpx
    import tenacity

    class Signing(httpx.Auth):
        requires_request_body = True

        def auth_flow(self, request: httpx.Request) -> Any:
            request.headers["X-Signature"] = signature(request.content)
            yield request

    client = httpx.Client(auth=Signing())

    @tenacity.retry(  # type: ignore[untyped-decorator]
        stop=tenacity.stop_after_attempt(4),
        wait=tenacity.wait_exponential(multiplier=0.5, max=8),
        retry=tenacity.retry_if_exception_type(httpx.TransportError)
        | tenacity.retry_if_result(lambda r: r.status_code in (429, 502, 503, 504)),
    )
    def run(method: str, target: str, body: bytes, key: str | None) -> httpx.Response:
        headers = {"Idempotency-Key": key} if key else {}
        return client.request(method, url + target, content=body, headers=headers)

    return Peer(
        lambda key: run("POST", "/orders", BODY, key).json(),
        lambda: run("GET", "/consignments?limit=100", b"", None).json()["items"],
    )


def requests_retry(url: str) -> Peer:
    import requests
    from requests.adapters import HTTPAdapter
    from urllib3.util import Retry

    class Signing(requests.auth.AuthBase):  # type: ignore[misc]
        def __call__(self, request: Any) -> Any:
            request.headers["X-Signature"] = signature(request.body or b"")
            return request

    session = requests.Session()
    session.auth = Signing()
    retry = Retry(
        4, backoff_factor=0.5, status_forcelist=(429, 502, 503, 504), allowed_methods=None
    )
    session.mount("http://", HTTPAdapter(max_retries=retry))

    def run(method: str, target: str, body: bytes | None, key: str | None) -> Any:
        headers = {"Idempotency-Key": key} if key else {}
        return session.request(method, url + target, data=body, headers=headers).json()

    return Peer(
        lambda key: run("POST", "/orders", BODY, key),
        lambda: run("GET", "/consignments?limit=100", None, None)["items"],
    )


PEERS: dict[str, Callable[[str], Peer]] = {
    "supplier_client": own,
    "supplier_client, httpx": own_httpx,
    "supplier_client, asyncio": own_asyncio,
    "supplier_client, asyncio httpx": own_asyncio_httpx,
    "http.client, bare": bare_http_client,
    "httpx, bare": bare_httpx,
    "httpx + tenacity": httpx_tenacity,
    "requests + urllib3 Retry": requests_retry,
}


def measure(name: str, url: str) -> dict[str, float]:
    """In a process of its own."""
    peer = PEERS[name](url)
    result: dict[str, float] = {}
    for what in ("post", "page"):
        cpu, wall = [], []
        for batch in range(-2, BATCHES):  # two to warm up
            began, used = time.perf_counter(), time.process_time()
            for call in range(CALLS):
                if what == "post":
                    peer.post(f"{name}-{began}-{call}")
                else:
                    peer.page()
            if batch >= 0:
                cpu.append((time.process_time() - used) / CALLS * 1e6)
                wall.append((time.perf_counter() - began) / CALLS * 1e6)
        result[f"{what}_cpu"] = statistics.median(cpu)
        result[f"{what}_wall"] = statistics.median(wall)
    with open("/proc/self/status", encoding="ascii") as status:
        resident = next(line for line in status if line.startswith("VmRSS"))
    result["resident"] = int(resident.split()[1]) / 1024
    return result


def main(rounds: str = "5") -> None:
    from conftest import Strict

    # A limit that nobody comes near. All orders have one body, so its report does not count.
    supplier = Strict("--limit", "1000000000")
    try:
        compare(supplier.url, int(rounds))
    finally:
        supplier.stop()


def compare(url: str, rounds: int) -> None:
    results: dict[str, list[dict[str, float]]] = {name: [] for name in PEERS}
    starts: dict[str, list[float]] = {name: [] for name in PEERS}
    for _ in range(rounds):
        for name in PEERS:
            me = [sys.executable, __file__]
            done = subprocess.run([*me, "measure", name, url], stdout=subprocess.PIPE, check=True)
            results[name].append(json.loads(done.stdout))
            for _ in range(STARTS):
                began = time.perf_counter()
                subprocess.run([*me, "first", name, url], check=True)
                starts[name].append((time.perf_counter() - began) * 1000)
    print("| | POST CPU/wall us | page CPU/wall us | cold start ms | resident MB |")
    print("|---|---|---|---|---|")
    for name, got in results.items():
        middle = {key: statistics.median(one[key] for one in got) for key in got[0]}
        print(
            f"| {name} | {middle['post_cpu']:.0f} / {middle['post_wall']:.0f} "
            f"| {middle['page_cpu']:.0f} / {middle['page_wall']:.0f} "
            f"| {statistics.median(starts[name]):.0f} | {middle['resident']:.0f} |"
        )


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["measure", name, url]:
            print(json.dumps(measure(name, url)))
        case ["first", name, url]:
            PEERS[name](url).page()
        case rounds:
            main(*rounds)
