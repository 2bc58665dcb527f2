<?php

declare(strict_types=1);

namespace SupplierClient\Wasm;

use SupplierClient\Exception\SupplierException;

/**
 * What libwasmtime said was wrong, in its own words. From a client that is open, this is a defect of
 * supplier-client: please report it. The next call starts anew.
 */
final class WasmException extends SupplierException {}
