<?php

declare(strict_types=1);

namespace SupplierClient\Wasm;

use FFI;
use FFI\CData;

/**
 * One instance of a component in a store of its own. Functions are looked up once.
 *
 * @internal
 */
final class Instance
{
    private readonly FFI $ffi;
    private readonly CData $store;
    private readonly CData $context;
    private readonly CData $instance;
    private readonly Values $values;

    /** @var array<string, CData> arrays of one, since those can be passed as pointers and stay alive */
    private array $functions = [];

    /** @var array<string, list<string>> names of the fields of what a function returns */
    private array $fields = [];

    private bool $dead = false;

    /**
     * @param array<string, list<Type>> $signatures parameters of the functions of the interface, all of which return something
     * @param bool $http whether the component may use wasi:http (and with it clocks and randomness)
     */
    public function __construct(
        private readonly Runtime $runtime,
        private readonly string $interface,
        private readonly array $signatures,
        bool $http = false,
    ) {
        $this->ffi = $runtime->library->ffi;
        $this->values = new Values($this->ffi);
        $this->store = $this->ffi->wasmtime_store_new($runtime->engine, null, null);
        $this->context = $this->ffi->wasmtime_store_context($this->store);
        $this->instance = $this->ffi->new('instance_t[1]');
        $this->instantiate($http);
    }

    private function instantiate(bool $http): void
    {
        $linker = $this->ffi->wasmtime_component_linker_new($this->runtime->engine);
        $check = $this->runtime->library->check(...);
        try {
            if ($http) {
                $check($this->ffi->wasmtime_component_linker_add_wasip2($linker));
                $check($this->ffi->wasmtime_component_linker_add_wasi_http($linker));
                $check($this->ffi->wasmtime_context_set_wasi($this->context, $this->ffi->wasi_config_new()));
                $this->ffi->wasmtime_context_set_wasi_http($this->context);
            }
            $check($this->ffi->wasmtime_component_linker_instantiate($linker, $this->context, $this->runtime->component, $this->instance));
        } finally {
            $this->ffi->wasmtime_component_linker_delete($linker);
        }
    }

    /**
     * Calls an exported function and returns what it returned, read as {@see Values} says.
     *
     * @param list<mixed> $arguments
     */
    public function call(string $name, array $arguments): mixed
    {
        if ($this->dead) {
            throw new WasmException('this instance has trapped');
        }
        $held = self::holdSignals();
        try {
            $function = $this->functions[$name] ??= $this->find($name);
            $types = $this->signatures[$name];
            $this->values->write($types, $arguments);

            return $this->invoke($name, $function, $this->values->slots(), count($types));
        } finally {
            $held && self::releaseSignals();
        }
    }

    /** @param CData $slots the result's, which holds nothing yet, and the arguments */
    private function invoke(string $name, CData $function, CData $slots, int $count): mixed
    {
        try {
            $error = $this->ffi->wasmtime_component_func_call($function, $this->context, $slots + 1, $count, $slots, 1);
            if ($error !== null) {
                $this->dead = true;
                $this->runtime->library->check($error);
            }
            $value = $this->values->read($this->fields[$name] ?? null);
            // A function returns the same fields each time.
            $this->fields[$name] ??= is_array($value) && !array_is_list($value) ? array_keys($value) : [];

            return $value;
        } finally {
            $this->ffi->wasmtime_component_val_delete($slots);
        }
    }

    public function drop(Resource $resource): void
    {
        $held = self::holdSignals();
        try {
            $handle = $this->values->handle($resource);
            if (!$this->dead) {
                $error = $this->ffi->wasmtime_component_resource_any_drop($this->context, $handle);
                if ($error !== null) {
                    $this->dead = true;
                    $this->ffi->wasmtime_error_delete($error);
                }
            }
            $this->ffi->wasmtime_component_resource_any_delete($handle);
        } finally {
            $held && self::releaseSignals();
        }
    }

    public function isDead(): bool
    {
        return $this->dead;
    }

    /**
     * Handlers of asynchronous signals run between any two steps of PHP. One that throws, or uses the same
     * client, in the middle of a crossing would find values half written; so it runs after it, which is
     * microseconds later.
     *
     * @return bool whether they were on
     */
    private static function holdSignals(): bool
    {
        return function_exists('pcntl_async_signals') && pcntl_async_signals(false);
    }

    private static function releaseSignals(): void
    {
        pcntl_async_signals(true);
        pcntl_signal_dispatch();
    }

    private function find(string $name): CData
    {
        $interface = $this->index(null, $this->interface);
        $index = $this->index($interface, $name);
        $function = $this->ffi->new('func_t[1]');
        $found = $this->ffi->wasmtime_component_instance_get_func($this->instance, $this->context, $index, $function);
        $this->ffi->wasmtime_component_export_index_delete($index);
        $this->ffi->wasmtime_component_export_index_delete($interface);
        if (!$found) {
            throw new WasmException("the component exports no function $name in $this->interface");
        }

        return $function;
    }

    private function index(?CData $parent, string $name): CData
    {
        return $this->ffi->wasmtime_component_instance_get_export_index($this->instance, $this->context, $parent, $name, strlen($name))
            ?? throw new WasmException("the component has no export $name");
    }

    public function __destruct()
    {
        // At the end of the script, resources may be dropped after this.
        $this->dead = true;
        $this->ffi->wasmtime_store_delete($this->store);
    }
}
