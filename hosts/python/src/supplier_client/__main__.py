"""`python -m supplier_client`: says what is installed, and compiles the engine ahead, so that the
first call of the next process need not (in an image: run it as the user who runs the service)."""

from __future__ import annotations

import sys
import time

from . import __version__
from ._component import cached_file, compiled, find, runtime_version
from .errors import SetupError


def main() -> int:
    try:
        version = runtime_version()
        path = find()
        began = time.perf_counter()
        compiled()
        took = (time.perf_counter() - began) * 1000
    except SetupError as error:
        print(f"supplier_client: {error}", file=sys.stderr)
        return 1
    kept = cached_file(path.read_bytes(), version)
    print(f"supplier_client {__version__}, wasmtime {version}, Python {sys.version.split()[0]}")
    print(f"component  {path}")
    print(f"compiled   {kept if kept.is_file() else 'not kept: its folder cannot be written'}")
    print(f"ready in   {took:.0f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
