"""One clear message for each mistake of an installation or a profile."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import SECRET, acme
from supplier_client import ProfileError, SetupError, SupplierClient, _component

PROFILE = acme("http://127.0.0.1:9/v2")


def test_every_problem_of_a_profile_at_once() -> None:
    profile = {**PROFILE, "base_url": "ftp://x", "colour": 1, "retry": {"max_attempts": "many"}}
    with pytest.raises(ProfileError) as caught:
        SupplierClient(profile, SECRET)
    pointers = [problem.pointer for problem in caught.value.problems]
    assert {"/base_url", "/colour", "/retry/max_attempts"} <= set(pointers)
    assert all(pointer in str(caught.value) for pointer in pointers)


def test_a_missing_credential_is_named_and_none_is_quoted() -> None:
    with pytest.raises(ProfileError) as caught:
        SupplierClient(PROFILE, {"signing-secrets": "s3cret"})
    assert "signing-secret" in str(caught.value)
    assert "s3cret" not in str(caught.value)


def test_a_credential_is_a_str() -> None:
    with pytest.raises(TypeError, match="signing-secret"):
        SupplierClient(PROFILE, {"signing-secret": b"bytes"})  # type: ignore[dict-item]


def test_a_credential_that_is_not_set_is_named() -> None:
    with pytest.raises(TypeError, match=r"signing-secret.*environment variable"):
        SupplierClient(PROFILE, {"signing-secret": os.environ.get("NOT_SET")})  # type: ignore[dict-item]


def test_a_profile_is_a_mapping_a_text_or_a_path(tmp_path: Path) -> None:
    file = tmp_path / "acme.json"
    file.write_text("\ufeff" + json.dumps(PROFILE), encoding="utf-8")
    for profile in (PROFILE, json.dumps(PROFILE), str(file), file):
        with SupplierClient(profile, SECRET) as client:
            assert client.health()["supplier"] == "acme-freight"
    with pytest.raises(FileNotFoundError):
        SupplierClient(tmp_path / "none.json", SECRET)


def test_text_that_is_no_json_is_a_problem() -> None:
    with pytest.raises(ProfileError):
        SupplierClient("{not json", SECRET)


def test_overrides_are_merged() -> None:
    overrides = {"supplier": "acme-staging"}
    with SupplierClient(PROFILE, SECRET, overrides=overrides) as client:
        assert client.health()["supplier"] == "acme-staging"


def test_a_missing_library_says_how_to_get_it() -> None:
    code = """
import sys, importlib.metadata as m
real = m.version
def version(name):
    if name == "wasmtime":
        raise m.PackageNotFoundError(name)
    return real(name)
m.version = version
sys.modules["wasmtime"] = None
import supplier_client
try:
    supplier_client.SupplierClient({}, {})
except supplier_client.SetupError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'wasmtime>=50,<51'" in done.stdout


def test_another_major_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "44.0.1")
    with pytest.raises(SetupError, match=r"wasmtime 44\.0\.1 is installed, but 50 is needed"):
        _component.runtime_version()


def test_a_missing_component_says_where_it_was_looked_for(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SUPPLIER_COMPONENTS", str(tmp_path))
    monkeypatch.setattr(_component, "__file__", str(tmp_path / "a/b/c/d/e/f.py"))
    with pytest.raises(SetupError, match="SUPPLIER_COMPONENTS") as caught:
        _component.find()
    assert str(tmp_path) in str(caught.value)


def test_a_file_that_is_no_component_is_named(tmp_path: Path) -> None:
    (tmp_path / "supplier_engine.wasm").write_bytes(b"\0asm nonsense")
    done = subprocess.run(
        [sys.executable, "-m", "supplier_client"],
        capture_output=True,
        text=True,
        env={**os.environ, "SUPPLIER_COMPONENTS": str(tmp_path)},
        check=False,
    )
    assert done.returncode == 1
    assert "is not the component of this package" in done.stderr
    assert "Traceback" not in done.stderr
