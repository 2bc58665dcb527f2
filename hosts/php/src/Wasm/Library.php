<?php

declare(strict_types=1);

namespace SupplierClient\Wasm;

use FFI;
use SupplierClient\Exception\SetupException;

/**
 * libwasmtime: where it is, and whether it is the one that this package can talk to.
 *
 * Nothing is downloaded. The library is looked for where somebody said it is (the argument, then
 * the environment variable SUPPLIER_WASMTIME, then what `supplier-client install` wrote down), then
 * where the system's loader finds `libwasmtime`.
 *
 * @internal
 */
final class Library
{
    /** The layouts of values change between majors, so there is exactly one. */
    public const MAJOR = 50;

    private const DEFINITIONS = __DIR__ . '/../../resources/wasmtime-50.h';

    private function __construct(
        public readonly FFI $ffi,
        public readonly string $path,
    ) {}

    /**
     * Loads a library without asking for its version: for one whose version the installer has
     * checked, and whose precompiled component says the same.
     */
    public static function load(string $path): self
    {
        if (!extension_loaded('ffi')) {
            throw new SetupException('The PHP extension "ffi" is not loaded. Install it (Debian: part of php8.2-common; Docker: docker-php-ext-install ffi).');
        }
        try {
            return new self(FFI::cdef((string) file_get_contents(self::DEFINITIONS), $path), $path);
        } catch (FFI\Exception $error) {
            throw new SetupException(self::explain($path, $error->getMessage()), previous: $error);
        }
    }

    /** Loads a library and refuses one of another major version. */
    public static function loadChecked(string $path): self
    {
        $library = self::load($path);
        $found = $library->major();
        if ($found !== self::MAJOR) {
            throw new SetupException(sprintf(
                '%s is wasmtime %d; this version of supplier-client needs wasmtime %d.x. Get that one and run "vendor/bin/supplier-client install --library PATH".',
                $path,
                $found,
                self::MAJOR,
            ));
        }

        return $library;
    }

    /**
     * The major version, read from a compiled empty component: the library has no function that
     * tells. Compiling takes no struct whose layout has changed.
     */
    public function major(): int
    {
        $ffi = $this->ffi;
        $engine = $ffi->wasm_engine_new();
        $component = $ffi->new('component_t *');
        $bytes = $ffi->new('bytes_t');
        try {
            $this->check($ffi->wasmtime_component_new($engine, "\0asm\x0d\0\x01\0", 8, FFI::addr($component)));
            $this->check($ffi->wasmtime_component_serialize($component, FFI::addr($bytes)));
            $image = FFI::string($bytes->data, $bytes->size);
            $ffi->wasm_byte_vec_delete(FFI::addr($bytes));
            $ffi->wasmtime_component_delete($component);
        } finally {
            $ffi->wasm_engine_delete($engine);
        }
        // The section `.wasmtime.engine` begins with a byte of format, the version and the target
        // triple, each text after its length.
        if (preg_match('/[\x01-\x20](\d{1,4})[.\d]*[\x08-\x40]\w+-\w+-/', $image, $match) !== 1) {
            throw new SetupException("$this->path does not tell its version; supplier-client needs wasmtime " . self::MAJOR . '.x.');
        }

        return (int) $match[1];
    }

    /**
     * Turns the library's error into an exception.
     */
    public function check(?FFI\CData $error): void
    {
        if ($error !== null) {
            throw new WasmException($this->message($error));
        }
    }

    private function message(FFI\CData $error): string
    {
        $text = $this->ffi->new('bytes_t');
        $this->ffi->wasmtime_error_message($error, FFI::addr($text));
        $message = $text->size === 0 ? '' : FFI::string($text->data, $text->size);
        $this->ffi->wasm_byte_vec_delete(FFI::addr($text));
        $this->ffi->wasmtime_error_delete($error);

        return $message;
    }

    /**
     * Where to look, best first.
     *
     * @return list<string>
     */
    public static function candidates(): array
    {
        $name = PHP_OS_FAMILY === 'Darwin' ? 'libwasmtime.dylib' : 'libwasmtime.so';
        $folders = ['/usr/local/lib', '/usr/lib', '/usr/lib/*-linux-gnu', '/opt/wasmtime*/lib', '/opt/homebrew/lib'];
        $found = array_merge(...array_map(static fn(string $folder): array => glob("$folder/$name") ?: [], $folders));

        return [...$found, $name];
    }

    private static function explain(string $path, string $message): string
    {
        if (str_contains($message, 'restricted') && PHP_SAPI === 'cli-server') {
            return 'PHP\'s built-in server does not let this script use FFI ("ffi.enable=preload" is the default). '
                . 'Start it as "php -d ffi.enable=true -S ...".';
        }
        if (str_contains($message, 'restricted')) {
            return 'PHP does not let this script use FFI ("ffi.enable=preload" is the default outside the command line). '
                . 'Either preload this package (opcache.preload=vendor/supplier-client/supplier-client/preload.php) or set ffi.enable=true for this pool. '
                . 'See "vendor/bin/supplier-client install".';
        }
        if (str_contains($message, 'Failed resolving C function')) {
            return "$path is no wasmtime library of major version " . self::MAJOR . " ($message).";
        }
        if (!str_contains($path, '/')) {
            return 'libwasmtime was not found on this machine. Get wasmtime ' . self::MAJOR . '.x (the C API archive of its releases, or the '
                . 'library inside the Python wheel "wasmtime") and run "vendor/bin/supplier-client install --library PATH".';
        }

        return "libwasmtime cannot be loaded from $path ($message). Get wasmtime " . self::MAJOR . '.x and run "vendor/bin/supplier-client install --library PATH".';
    }
}
