"""One of several processes that count up under one key, as a budget is changed: load, change, swap,
and after a loss again with what stands there.

    python hammer.py file:FOLDER|redis://... KEY TIMES
"""

from __future__ import annotations

import sys

from supplier_client import FileStore, Store
from supplier_client.store.redis import RedisStore


def main(place: str, key: str, times: str) -> None:
    kind, _, rest = place.partition(":")
    store: Store = FileStore(rest) if kind == "file" else RedisStore(place)
    for _ in range(int(times)):
        current, won = store.load(key, 10), False
        while not won:
            won, current = store.compare_and_swap(key, current, str(int(current or 0) + 1), 60, 10)


if __name__ == "__main__":
    main(*sys.argv[1:])
