"""A budget for whoever reaches one Redis (from 2.6 on) or Valkey, in whatever language: one string
under each of the engine's keys, with a time to live, changed by one small script.

Needs the `redis` package: `pip install 'supplier-client[redis]'`.
"""

from __future__ import annotations

import math
from typing import Any

try:
    import redis
    import redis.asyncio
    from redis.backoff import NoBackoff
except ImportError as error:
    raise ImportError("this store needs redis: pip install 'supplier-client[redis]'") from error

# Arguments: value, time to live in ms, and the expected text if there is one.
SWAP = """
local current = redis.call('GET', KEYS[1])
if current ~= (ARGV[3] or false) then return {0, current} end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return {1}
"""


class RedisStore:
    """For `SupplierClient`; share one between any number of clients.

    - `redis`: an address (`redis://[user:password@]host[:port][/database]`, `rediss://...`,
      `unix://...`), or a client of your own, whose own timeouts and retries then bound what the
      profile calls `budget.patience_ms`.

    Connections are made when they are first needed, and afresh in a child of fork. The script is
    sent once; where Redis has forgotten it (a restart), once more.
    """

    def __init__(self, redis: str | redis.Redis) -> None:
        self._redis = _Clients(redis, _open)

    def load(self, key: str, patience: float) -> str | None:
        client, _ = self._redis.get(patience)
        return _text(client.get(key))

    def compare_and_swap(
        self, key: str, expect: str | None, value: str, ttl: float, patience: float
    ) -> tuple[bool, str | None]:
        _, swap = self._redis.get(patience)
        return _swapped(swap([key], _arguments(expect, value, ttl)), value)

    def close(self) -> None:
        """Gives up the connections that it made itself."""
        for client in self._redis.opened():
            client.close()


class AsyncRedisStore:
    """The same for `AsyncSupplierClient`, over `redis.asyncio`: in one event loop."""

    def __init__(self, redis: str | redis.asyncio.Redis) -> None:
        self._redis = _Clients(redis, _open_async)

    async def load(self, key: str, patience: float) -> str | None:
        client, _ = self._redis.get(patience)
        return _text(await client.get(key))

    async def compare_and_swap(
        self, key: str, expect: str | None, value: str, ttl: float, patience: float
    ) -> tuple[bool, str | None]:
        _, swap = self._redis.get(patience)
        return _swapped(await swap([key], _arguments(expect, value, ttl)), value)

    async def close(self) -> None:
        """Gives up the connections that it made itself."""
        for client in self._redis.opened():
            await client.aclose()


class _Clients:
    """The given client, or one for each patience that is asked for: `redis` sets timeouts by
    connection. There are as many as there are values of `budget.patience_ms`."""

    def __init__(self, given: Any, open_client: Any) -> None:
        self._open = open_client
        self._url = given if isinstance(given, str) else None
        self._by_patience: dict[float, tuple[Any, Any]] = {}
        if self._url is None:
            self._given = given, given.register_script(SWAP)
        else:
            self._open(self._url, 1.0)  # a wrong address is said at once; nothing connects yet

    def get(self, patience: float) -> tuple[Any, Any]:
        """The client and its script."""
        if self._url is None:
            return self._given
        if patience not in self._by_patience:
            client = self._open(self._url, patience)
            # Two threads may both come here; the first one's client stays.
            self._by_patience.setdefault(patience, (client, client.register_script(SWAP)))
        return self._by_patience[patience]

    def opened(self) -> list[Any]:
        return [client for client, _ in list(self._by_patience.values())]


def _open(url: str, patience: float) -> redis.Redis:
    # Retries would multiply the patience; what failed is asked again by the next call.
    retry = redis.retry.Retry(NoBackoff(), 0)
    return redis.Redis.from_url(
        url, socket_timeout=patience, socket_connect_timeout=patience, retry=retry
    )


def _open_async(url: str, patience: float) -> redis.asyncio.Redis:
    retry = redis.asyncio.retry.Retry(NoBackoff(), 0)
    return redis.asyncio.Redis.from_url(
        url, socket_timeout=patience, socket_connect_timeout=patience, retry=retry
    )


def _arguments(expect: str | None, value: str, ttl: float) -> list[str]:
    arguments = [value, str(max(1, math.ceil(ttl * 1000)))]
    return arguments if expect is None else [*arguments, expect]


def _swapped(answer: Any, value: str) -> tuple[bool, str | None]:
    if int(answer[0]) == 1:
        return True, value
    return False, _text(answer[1] if len(answer) > 1 else None)


def _text(answer: Any) -> str | None:
    """Text or bytes, as the client is set to answer."""
    return answer.decode() if isinstance(answer, bytes) else answer
