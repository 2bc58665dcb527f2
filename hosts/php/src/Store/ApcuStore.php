<?php

declare(strict_types=1);

namespace SupplierClient\Store;

use SupplierClient\Exception\SetupException;

/**
 * A budget for the workers of one PHP-FPM (or one web server with PHP inside), in the memory that they
 * share. It is gone when that is restarted or when APCu makes room, which costs one window's knowledge.
 *
 * On the command line every process has a memory of its own, except for forks made after `apc.enable_cli=1`
 * took effect: there, use {@see FileStore} or {@see RedisStore}.
 *
 * APCu can compare and swap integers only. So the key holds a random number, the text stands under key and
 * number, and what is swapped is the number: no lock that a dying worker could leave behind.
 */
final class ApcuStore implements Store
{
    /** More changes than this during one load are no load but a storm. */
    private const LOOKS = 1000;

    public function __construct()
    {
        if (!function_exists('apcu_enabled') || !apcu_enabled()) {
            throw new SetupException('APCu is not there or not enabled. Install it (Debian: php-apcu); on the command line it also needs apc.enable_cli=1.');
        }
    }

    public function load(string $key, int $patienceMs): ?string
    {
        return self::look($key)[1];
    }

    public function compareAndSwap(string $key, ?string $expected, string $value, int $ttlMs, int $patienceMs): Swap
    {
        [$number, $current] = self::look($key);
        if ($current !== $expected) {
            return new Swap(false, $current);
        }
        $next = random_int(1, PHP_INT_MAX);
        // APCu counts whole seconds; the end in milliseconds stands before the text.
        if (!apcu_store("$key#$next", (self::now() + $ttlMs) . "\n$value", intdiv($ttlMs, 1000) + 2)) {
            throw new StoreException('store-error', 'APCu: no room; see apc.shm_size');
        }
        $won = $number === null ? apcu_add($key, $next) : apcu_cas($key, $number, $next);
        if (!$won) {
            apcu_delete("$key#$next");

            return new Swap(false, self::look($key)[1]);
        }
        if ($number !== null) {
            apcu_delete("$key#$number");
        }

        return new Swap(true, $value);
    }

    /** @return array{int|null, string|null} the number under the key, and the text that belongs to it */
    private static function look(string $key): array
    {
        for ($i = 0; $i < self::LOOKS; $i++) {
            $number = apcu_fetch($key);
            if (!is_int($number)) {
                // Somebody else's value would be in the way for ever.
                $number === false || apcu_delete($key);

                return [null, null];
            }
            $entry = apcu_fetch("$key#$number");
            if (is_string($entry)) {
                [$until, $text] = explode("\n", $entry, 2);

                return [$number, (int) $until > self::now() ? $text : null];
            }
            if (apcu_fetch($key) === $number) {
                return [$number, null];
            }
            // It was swapped between the two looks, and its text removed.
        }
        throw new StoreException('store-timeout', 'APCu: the text changes faster than it can be read');
    }

    private static function now(): int
    {
        return (int) (microtime(true) * 1000);
    }
}
