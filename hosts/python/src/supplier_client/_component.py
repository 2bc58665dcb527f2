"""The compiled engine: found, compiled once a process, kept on disk for the next one."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ._fork import reset_after_fork
from .errors import SetupError

if TYPE_CHECKING:
    import wasmtime
    from wasmtime.component import Component, Linker

WASMTIME_MAJOR = 50
ENGINE = "supplier_engine.wasm"


class Compiled(NamedTuple):
    """Shared by all clients of the process; none of it is ever changed."""

    engine: wasmtime.Engine
    component: Component
    linker: Linker


class _Cache:
    def __init__(self) -> None:
        self.compiled: Compiled | None = None
        self._after_fork()
        reset_after_fork(self)

    def _after_fork(self) -> None:
        # What is compiled is only memory, and stays good in the child.
        self.lock = threading.Lock()


_cache = _Cache()


def compiled() -> Compiled:
    """The engine component, ready to be instantiated. Raises `SetupError`."""
    if _cache.compiled is None:
        with _cache.lock:
            if _cache.compiled is None:
                _cache.compiled = _load()
    return _cache.compiled


def find(name: str = ENGINE) -> Path:
    """The component's file: in `SUPPLIER_COMPONENTS`, in the package, or in a checkout."""
    here = Path(__file__).resolve()
    folders = [here.parent / "components"]
    if told := os.environ.get("SUPPLIER_COMPONENTS"):
        folders.insert(0, Path(told))
    if len(here.parents) > 4:
        folders.append(here.parents[4] / "target" / "components")
    for folder in folders:
        if (folder / name).is_file():
            return folder / name
    looked = ", ".join(str(folder) for folder in folders)
    raise SetupError(
        f"{name} is not there; looked in {looked}. An installed package brings it along; in a "
        "checkout run `cargo xtask build`, or set SUPPLIER_COMPONENTS to the folder that has it"
    )


def runtime_version() -> str:
    """The version of the wasmtime package; raises `SetupError` if it is not one we know."""
    import importlib.metadata  # not needed after the first client

    wanted = f"pip install 'wasmtime>={WASMTIME_MAJOR},<{WASMTIME_MAJOR + 1}'"
    try:
        version = importlib.metadata.version("wasmtime")
    except importlib.metadata.PackageNotFoundError:
        raise SetupError(f"the package wasmtime is not installed: {wanted}") from None
    if version.split(".")[0] != str(WASMTIME_MAJOR):
        raise SetupError(
            f"wasmtime {version} is installed, but {WASMTIME_MAJOR} is needed: {wanted}"
        )
    return version


def cache_folder() -> Path:
    """Where compiled components are kept: `SUPPLIER_CACHE`, or the user's cache folder."""
    if told := os.environ.get("SUPPLIER_CACHE"):
        return Path(told)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "supplier-client"


def cached_file(wasm: bytes, version: str) -> Path:
    """Named after everything that the compiled code depends on; wasmtime itself refuses a file
    that another version, configuration or processor made."""
    return cache_folder() / f"{hashlib.sha256(wasm).hexdigest()[:32]}-wasmtime-{version}.cwasm"


def _load() -> Compiled:
    version = runtime_version()
    path = find()
    try:
        import wasmtime
        from wasmtime.component import Linker
    except (ImportError, OSError, RuntimeError) as error:
        raise SetupError(f"the wasmtime library does not load on this machine: {error}") from error
    config = wasmtime.Config()
    # Threads of a compiler would be missing in a child of fork.
    config.parallel_compilation = False
    engine = wasmtime.Engine(config)
    wasm = path.read_bytes()
    return Compiled(engine, _component(engine, wasm, path, version), Linker(engine))


def _component(engine: wasmtime.Engine, wasm: bytes, path: Path, version: str) -> Component:
    import wasmtime
    from wasmtime.component import Component

    try:
        kept = cached_file(wasm, version)
        if _ours(kept):
            return Component.deserialize_file(engine, str(kept))
    except (OSError, RuntimeError, wasmtime.WasmtimeError):
        pass  # no home, or made elsewhere: compiled anew below
    try:
        component = Component(engine, wasm)
    except wasmtime.WasmtimeError as error:
        raise SetupError(f"{path} is not the component of this package: {error}") from error
    with contextlib.suppress(OSError, RuntimeError):  # read-only: the next process compiles again
        _keep(cached_file(wasm, version), bytes(component.serialize()))
    return component


def _ours(file: Path) -> bool:
    """A compiled component is native code: only what nobody else can write is loaded."""
    if not file.is_file():
        return False
    if not hasattr(os, "geteuid"):
        return True  # Windows: the user's own profile folder
    return all(
        place.stat().st_uid in (os.geteuid(), 0)
        and not place.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        for place in (file.parent, file)
    )


def _keep(file: Path, code: bytes) -> None:
    """Whole or not at all, also when several processes do it at once."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = file.with_name(f"{file.name}.{os.getpid()}.{os.urandom(4).hex()}")
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
            out.write(code)
        os.replace(part, file)
    except OSError:
        part.unlink(missing_ok=True)
        raise
