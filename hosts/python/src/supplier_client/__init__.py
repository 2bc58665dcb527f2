"""One supplier's HTTP API, called correctly: every attempt is signed afresh, what may be retried
is decided by one table, requests are paced by the supplier's own headers, and lists are read
page by page.

    from supplier_client import SupplierClient

    with SupplierClient("acme.json", {"signing-secret": secret}) as acme:
        for consignment in acme.items("/consignments", query={"limit": 100}):
            print(consignment["id"])
"""

from typing import TYPE_CHECKING, Any

from ._engine import Clock, Now
from .client import SupplierClient
from .errors import (
    BadResponseError,
    CallCancelledError,
    CallError,
    DeniedError,
    InternalError,
    InvalidRequestError,
    Problem,
    ProfileError,
    RejectedError,
    SetupError,
    SupplierError,
    ThrottledError,
    UnavailableError,
    UnknownOutcomeError,
)
from .model import Attempt, Headers, Page, Reply, Response
from .store import AsyncStore, MemoryStore, Store
from .transport import Answer, AsyncTransport, Broken, Caps, Message, Transport
from .transport.stdlib import StdlibTransport

if TYPE_CHECKING:
    from .aio import AsyncSupplierClient
    from .store.file import FileStore
    from .transport.threaded import ThreadedTransport

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "AsyncStore",
    "AsyncSupplierClient",
    "AsyncTransport",
    "Attempt",
    "BadResponseError",
    "Broken",
    "CallCancelledError",
    "CallError",
    "Caps",
    "Clock",
    "DeniedError",
    "FileStore",
    "Headers",
    "InternalError",
    "InvalidRequestError",
    "MemoryStore",
    "Message",
    "Now",
    "Page",
    "Problem",
    "ProfileError",
    "RejectedError",
    "Reply",
    "Response",
    "SetupError",
    "StdlibTransport",
    "Store",
    "SupplierClient",
    "SupplierError",
    "ThreadedTransport",
    "ThrottledError",
    "Transport",
    "UnavailableError",
    "UnknownOutcomeError",
]

# Importing asyncio takes as long as everything else here: only who uses it pays for it.
_LATER = {
    "AsyncSupplierClient": ".aio",
    "FileStore": ".store.file",
    "ThreadedTransport": ".transport.threaded",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LATER[name], __name__), name)
