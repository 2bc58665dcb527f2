"""The compiled component on disk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

CODE = """
import wasmtime.component as c
compile, made = c.Component.__init__, []
def spy(self, *args):
    made.append(1)
    compile(self, *args)
c.Component.__init__ = spy
from supplier_client._component import compiled
compiled()
print(len(made))
"""


def compiles(cache: Path) -> int:
    env = {**os.environ, "SUPPLIER_CACHE": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", CODE], capture_output=True, text=True, env=env, check=True
    )
    return int(done.stdout)


def test_it_is_compiled_once(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert compiles(cache) == 1
    (file,) = cache.iterdir()
    assert file.stat().st_mode & 0o077 == 0
    assert compiles(cache) == 0


def test_what_others_could_have_written_is_not_loaded(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert compiles(cache) == 1
    cache.chmod(0o777)
    assert compiles(cache) == 1


def test_a_damaged_file_is_compiled_anew(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert compiles(cache) == 1
    (file,) = cache.iterdir()
    file.write_bytes(file.read_bytes()[:1000])
    assert compiles(cache) == 1
    assert compiles(cache) == 0


def test_a_folder_that_cannot_be_made_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert compiles(tmp_path / "file" / "cache") == 1
