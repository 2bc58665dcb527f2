#!/usr/bin/env bash
# What CI runs for the Python package. Installs what is missing into the project's target folder.
# Needs target/components (cargo xtask build) and, as SUPPLIER_TEST_BIN or in target/release, the
# test host (cargo build --release -p supplier-test).
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
work=$root/target/python
venv=$work/venv
export SUPPLIER_COMPONENTS=${SUPPLIER_COMPONENTS:-$root/target/components}
export SUPPLIER_TEST_BIN=${SUPPLIER_TEST_BIN:-$root/target/release/supplier-test}
export SUPPLIER_CACHE=$work/cache
# Warnings of pip about being root or old are none of this script's business.
export PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1

for needed in "$SUPPLIER_COMPONENTS/supplier_engine.wasm" "$SUPPLIER_TEST_BIN"; do
  if [ ! -e "$needed" ]; then
    echo "python: $needed is missing: run 'cargo xtask build' and 'cargo build --release -p supplier-test'" >&2
    exit 1
  fi
done

python=${PYTHON:-python3}
if ! "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
  echo "python: installing python3 and python3-venv"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3 python3-venv >/dev/null
  python=/usr/bin/python3
fi
if ! command -v redis-server >/dev/null; then
  echo "python: installing redis-server, which the tests start on ports of their own"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends redis-server >/dev/null
fi
mkdir -p "$work"
wanted=$("$python" --version; cat requirements-dev.txt pyproject.toml)
if [ "$wanted" != "$(cat "$venv/.wanted" 2>/dev/null)" ]; then
  echo "python: installing the development tools into target/python/venv"
  "$python" -m venv --clear "$venv"
  "$venv/bin/pip" install --quiet -r requirements-dev.txt
  "$venv/bin/pip" install --quiet --no-build-isolation --no-deps --editable .
  printf '%s' "$wanted" > "$venv/.wanted"
fi
export PATH=$venv/bin:$PATH
# `ci.sh setup`: the package is ready to be used.
if [ "${1:-}" = setup ]; then exit 0; fi

echo "python: format, lint, types"
ruff format --quiet --check .
ruff check --quiet .
mypy --cache-dir "$work/mypy"
echo "python: tests and examples"
FAIL_ON_SKIPPED=1 pytest -o cache_dir="$work/pytest"
echo "python: the commands of docs/python.md, in an empty folder"
python tests/guide.py "$root/docs/python.md"
