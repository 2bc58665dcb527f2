"""Puts the components into the wheel. They are built, not tracked: `cargo xtask build` makes them
in a checkout, and a source distribution carries them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NAMES = ("supplier_engine.wasm", "supplier_client.wasm")


class Components(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        root = Path(self.root)
        laid = root / "src/supplier_client/components"
        if version == "editable" or (laid / NAMES[0]).is_file():
            return
        told = os.environ.get("SUPPLIER_COMPONENTS")
        built = Path(told) if told else root.parent.parent / "target/components"
        if not (built / NAMES[0]).is_file():
            raise RuntimeError(
                f"{NAMES[0]} is neither in {laid} nor in {built}: run `cargo xtask build` first"
            )
        inside = "src/" if self.target_name == "sdist" else ""
        for name in NAMES:
            if (built / name).is_file():
                place = f"{inside}supplier_client/components/{name}"
                build_data["force_include"][str(built / name)] = place
