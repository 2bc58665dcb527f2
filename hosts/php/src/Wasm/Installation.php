<?php

declare(strict_types=1);

namespace SupplierClient\Wasm;

use SupplierClient\Exception\SetupException;

/**
 * Where the library, the component and its machine code are on this machine.
 *
 * @internal
 */
final class Installation
{
    public const ENGINE = 'supplier_engine.wasm';
    public const CLIENT = 'supplier_client.wasm';

    private const PACKAGE = __DIR__ . '/../..';

    /** @param array{library?: string, compiled?: string} $installed what `supplier-client install` wrote down */
    public function __construct(
        private readonly string $folder,
        private readonly array $installed = [],
        private readonly string $component = self::ENGINE,
    ) {}

    /** Reads what the installer wrote: below SUPPLIER_CLIENT_HOME if that is set, else inside the package. */
    public static function find(string $component = self::ENGINE): self
    {
        $folder = self::folder();
        $file = "$folder/install.php";
        $installed = is_file($file) ? require $file : [];

        return new self($folder, is_array($installed) ? $installed : [], $component);
    }

    public static function folder(): string
    {
        return self::environment('SUPPLIER_CLIENT_HOME') ?? self::PACKAGE . '/var';
    }

    public function library(): string
    {
        $named = self::environment('SUPPLIER_WASMTIME') ?? $this->installed['library'] ?? null;
        if ($named === null) {
            return self::firstOf(Library::candidates());
        }
        if (!is_file($named)) {
            throw new SetupException(
                "There is no libwasmtime at $named. Get wasmtime " . Library::MAJOR
                . '.x and run "vendor/bin/supplier-client install --library PATH".',
            );
        }

        return $named;
    }

    /**
     * The component: in the package, in the folder that SUPPLIER_COMPONENTS names, or where a
     * checkout of the project builds it.
     */
    public function component(): string
    {
        $folders = [self::PACKAGE . '/wasm', self::environment('SUPPLIER_COMPONENTS'), self::PACKAGE . '/../../target/components'];
        foreach ($folders as $folder) {
            if ($folder !== null && is_file("$folder/$this->component")) {
                return (string) realpath("$folder/$this->component");
            }
        }
        throw new SetupException(
            "The component $this->component is missing. It belongs into the package's folder wasm/; in a checkout, "
            . '"cargo xtask build" makes it; SUPPLIER_COMPONENTS may name another folder.',
        );
    }

    /** The machine code of exactly this component, if it was installed. */
    public function compiled(string $component): ?string
    {
        $file = $this->installed['compiled'] ?? null;
        if ($file === null || self::environment('SUPPLIER_WASMTIME') !== null) {
            return null;
        }
        $file = "$this->folder/$file";

        return $file === $this->compiledName($component) && is_file($file) ? $file : null;
    }

    /** Named after what it was made from, so that a newer component is never run with older code. */
    public function compiledName(string $component): string
    {
        return sprintf('%s/%s-%s.cwasm', $this->folder, basename($component, '.wasm'), hash_file('xxh3', $component));
    }

    /** @param list<string> $candidates */
    private static function firstOf(array $candidates): string
    {
        foreach ($candidates as $candidate) {
            if (is_file($candidate)) {
                return $candidate;
            }
        }

        return $candidates[array_key_last($candidates)];
    }

    private static function environment(string $name): ?string
    {
        $value = getenv($name);

        return $value === false || $value === '' ? null : $value;
    }
}
