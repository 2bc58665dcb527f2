"""Cases driven with a clock of our own (B151): the same waits and bytes as every other host."""

from __future__ import annotations

import pytest

from conftest import SECRET, acme
from supplier_client import (
    Answer,
    BadResponseError,
    Clock,
    Message,
    Now,
    SupplierClient,
)

T0 = 1_772_452_800_000.0
# HMAC-SHA256 over `timestamp.{"sku":"A1","qty":2}` under `test_secret_a`.
V1 = "t=1772452800,v1=c13bc0eaf1035ed813f29f6644c9ee2aff2bbfd0d425dfd59a3e78fd249ef3f9"
V2 = "t=1772452805,v1=f36d3c603198eb94b87f94835be1cb8ccc489c9a73bad497ccc2b66d32ded9d6"


class Time(Clock):
    def __init__(self) -> None:
        self.ms = 0.0

    def now(self) -> Now:
        return Now(T0 + self.ms, self.ms)


class Script:
    """Answers in order; keeps what it was sent and when."""

    def __init__(self, time: Time, *answers: Answer) -> None:
        self._time = time
        self._answers = list(answers)
        self.sent: list[tuple[float, Message]] = []

    def send(self, message: Message) -> Answer:
        self.sent.append((self._time.ms, message))
        return self._answers.pop(0)

    def close(self) -> None:
        pass


class Virtual(SupplierClient):
    """Waits without waiting."""

    def __init__(self, *answers: Answer) -> None:
        self.time = Time()
        self.script = Script(self.time, *answers)
        retry = {"base_delay_ms": 500, "max_delay_ms": 8000, "jitter": 0}
        profile = acme("https://api.supplier.test/v2", retry=retry)
        super().__init__(profile, SECRET, transport=self.script, clock=self.time)

    def _wait(self, seconds: float) -> bool:
        self.time.ms += seconds * 1000
        return False


@pytest.mark.parametrize(("given", "waited"), [("0.503", 503.0), ("29.052427053", 29053.0)])
def test_b05_fractions_are_rounded_up(given: str, waited: float) -> None:
    client = Virtual(Answer(429, [("Retry-After", given)], b""), Answer(200, [], b""))
    client.send("GET", "/x")
    assert [at for at, _ in client.script.sent] == [0.0, waited]


def test_b57_the_timestamp_is_read_after_the_wait() -> None:
    client = Virtual(Answer(503, [("Retry-After", "5")], b""), Answer(200, [], b""))
    client.send("POST", "/orders", body='{"sku":"A1","qty":2}')
    signatures = [dict(message.headers)["X-Signature"] for _, message in client.script.sent]
    assert signatures == [V1, V2]
    assert [at for at, _ in client.script.sent] == [0.0, 5000.0]


def test_b100_a_cursor_that_does_not_advance() -> None:
    client = Virtual(
        Answer(200, [], b'{"items":[1],"next":"c1"}'),
        Answer(200, [], b'{"items":[2],"next":"c1"}'),
    )
    items = client.items("/things")
    assert [next(items), next(items)] == [1, 2]
    with pytest.raises(BadResponseError) as caught:
        next(items)
    assert caught.value.code == "cursor-not-advancing"
    assert len(client.script.sent) == 2
