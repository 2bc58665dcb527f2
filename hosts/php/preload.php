<?php

/**
 * For opcache.preload under PHP-FPM: the classes that use FFI. With `ffi.enable=preload`, PHP's default,
 * only preloaded code may.
 */

declare(strict_types=1);

foreach (['Exception/SupplierException', 'Exception/SetupException', 'Wasm/WasmException', 'Wasm/Type', 'Wasm/Resource', 'Wasm/Library', 'Wasm/Installation', 'Wasm/Values', 'Wasm/Runtime', 'Wasm/Instance'] as $class) {
    require_once __DIR__ . "/src/$class.php";
}
