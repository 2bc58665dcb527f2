<?php

declare(strict_types=1);

namespace SupplierClient\Wasm;

/**
 * A resource of a component, to be dropped by {@see Instance::drop()}.
 *
 * @internal
 */
final class Resource
{
    public function __construct(public readonly int $address) {}
}
