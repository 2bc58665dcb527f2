"""The worker that the project's own scenarios run through."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from conftest import SECRET, acme
from wire import Act, Request, Wire, answer

WORKER = Path(__file__).parents[1] / "conformance.py"


def play(*jobs: dict[str, Any]) -> list[dict[str, Any]]:
    lines = "".join(json.dumps(job) + "\n" for job in jobs)
    done = subprocess.run(
        [sys.executable, str(WORKER)], input=lines, capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_jobs_in_results_out(wire: Callable[..., Wire]) -> None:
    def decide(request: Request) -> Act:
        target = request.line.split()[1]
        if target.startswith("/list"):
            more = "cursor" not in target
            return answer(200, b'{"items":[1.0],"next":"c"}' if more else b'{"items":[2]}')
        return answer(404, b"\xff", "X-A: b")

    server = wire(decide=decide)
    listed = {"method": "GET", "target": "/list", "query": [], "headers": [], "body": {"text": ""}}
    calls = [
        {"send": {**listed, "target": "/x", "body": {"base64": "/w=="}}},
        {"page": listed, "position": None},
        {"page": listed, "position": "next"},
        {"walk": listed},
        {"walk": listed, "pages": 1},
        {"send": {**listed, "target": "bad"}},
    ]
    job = {"overrides": None, "credentials": SECRET, "calls": calls}
    first, second = play(
        {"id": 1, "profile": json.dumps(acme(server.url)), **job},
        {"id": 2, "profile": "{}", **job},
    )
    reply, page, following, walk, part, failure = first["results"]
    assert reply["reply"]["status"] == 404
    assert reply["reply"]["body"] == {"base64": "/w=="}
    assert ["X-A", "b"] in reply["reply"]["headers"]
    assert (page["page"]["items"], page["page"]["count"]) == ("[1.0]", 1)
    assert (following["page"]["items"], following["page"]["next"]) == ("[2]", None)
    assert walk["walk"] == {"items": "[1.0,2]", "pages": 2, "ended": True, "failure": None}
    assert part["walk"]["ended"] is False
    assert (failure["failure"]["kind"], failure["failure"]["code"]) == ("invalid", "invalid-path")
    assert first["health"]["calls"] >= 6
    assert {problem["code"] for problem in second["problems"]} >= {"missing"}
    assert server.requests[0].body == b"\xff"
