<?php

declare(strict_types=1);

namespace SupplierClient\Store;

/**
 * Where workers share a budget: texts under keys, changed by compare-and-swap. Used where the profile
 * says `"budget": { "shared": true }`.
 */
interface Store
{
    /**
     * The text under the key, or null.
     *
     * @param int $patienceMs how long this may take
     * @throws StoreException
     */
    public function load(string $key, int $patienceMs): ?string;

    /**
     * Puts the value if the text that stands there is the expected one (null: if none does).
     *
     * @param int $ttlMs how long the value is of use
     * @param int $patienceMs how long this may take
     * @return Swap whether it was put, and what stands there now
     * @throws StoreException
     */
    public function compareAndSwap(string $key, ?string $expected, string $value, int $ttlMs, int $patienceMs): Swap;
}
