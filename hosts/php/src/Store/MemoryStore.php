<?php

declare(strict_types=1);

namespace SupplierClient\Store;

/**
 * A store that lasts as long as this object and is shared by the clients it is given to. Under
 * PHP-FPM that is one request: giving it says that every request may spend a budget of its own.
 */
final class MemoryStore implements Store
{
    /** @var array<string, array{string, int}> text and end of use, in ms of hrtime */
    private array $texts = [];

    public function load(string $key, int $patienceMs): ?string
    {
        [$text, $end] = $this->texts[$key] ?? [null, 0];

        return self::now() < $end ? $text : null;
    }

    public function compareAndSwap(string $key, ?string $expected, string $value, int $ttlMs, int $patienceMs): Swap
    {
        $current = $this->load($key, $patienceMs);
        if ($current !== $expected) {
            return new Swap(false, $current);
        }
        $this->texts[$key] = [$value, self::now() + $ttlMs];

        return new Swap(true, $value);
    }

    private static function now(): int
    {
        return intdiv((int) hrtime(true), 1_000_000);
    }
}
