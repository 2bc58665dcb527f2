<?php

declare(strict_types=1);

namespace SupplierClient\Wasm;

use FFI;
use FFI\CData;
use SupplierClient\Exception\SetupException;

/**
 * A loaded library with one component, ready to be instantiated. There is one a process: the
 * machine code and its memory are shared by every client.
 *
 * The engine component imports nothing, so it goes on working in the child of a fork.
 *
 * @internal
 */
final class Runtime
{
    private static ?self $shared = null;

    private function __construct(
        public readonly Library $library,
        public readonly CData $engine,
        public readonly CData $component,
    ) {}

    /**
     * The engine component: precompiled where `supplier-client install` has run, otherwise compiled
     * now, in every process, which takes a good part of a second.
     */
    public static function shared(): self
    {
        return self::$shared ??= self::open(Installation::find());
    }

    public static function open(Installation $installation): self
    {
        $component = $installation->component();
        $compiled = $installation->compiled($component);
        if ($compiled === null) {
            return self::compile(Library::loadChecked($installation->library()), $component);
        }
        $library = Library::load($installation->library());
        $engine = $library->ffi->wasm_engine_new();
        $out = $library->ffi->new('component_t *');
        try {
            $library->check($library->ffi->wasmtime_component_deserialize_file($engine, $compiled, FFI::addr($out)));
        } catch (WasmException $error) {
            $library->ffi->wasm_engine_delete($engine);
            throw new SetupException(
                "The precompiled component $compiled does not fit this machine or this libwasmtime ({$error->getMessage()}). "
                . 'Run "vendor/bin/supplier-client install" on the machine that will use it.',
                previous: $error,
            );
        }

        return new self($library, $engine, $out);
    }

    public static function compile(Library $library, string $file): self
    {
        $engine = $library->ffi->wasm_engine_new();
        $bytes = (string) file_get_contents($file);
        $out = $library->ffi->new('component_t *');
        try {
            $library->check($library->ffi->wasmtime_component_new($engine, $bytes, strlen($bytes), FFI::addr($out)));
        } catch (WasmException $error) {
            $library->ffi->wasm_engine_delete($engine);
            throw new SetupException("$file is no component that wasmtime can load ({$error->getMessage()}).", previous: $error);
        }

        return new self($library, $engine, $out);
    }

    /** The machine code, for `deserialize_file` on this machine with this library. */
    public function serialize(): string
    {
        $bytes = $this->library->ffi->new('bytes_t');
        $this->library->check($this->library->ffi->wasmtime_component_serialize($this->component, FFI::addr($bytes)));
        $image = FFI::string($bytes->data, $bytes->size);
        $this->library->ffi->wasm_byte_vec_delete(FFI::addr($bytes));

        return $image;
    }

    public function __destruct()
    {
        $this->library->ffi->wasmtime_component_delete($this->component);
        $this->library->ffi->wasm_engine_delete($this->engine);
    }
}
