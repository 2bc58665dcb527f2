<?php

declare(strict_types=1);

namespace SupplierClient\Store;

/**
 * What came of a compare-and-swap.
 */
final class Swap
{
    public function __construct(
        public readonly bool $won,
        public readonly ?string $current,
    ) {}
}
