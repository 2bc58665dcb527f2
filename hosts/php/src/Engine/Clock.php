<?php

declare(strict_types=1);

namespace SupplierClient\Engine;

/**
 * This machine's clocks, in the engine's units, and its way to wait.
 *
 * @internal
 */
final class Clock
{
    /** Unix time in milliseconds. */
    public static function wall(): float
    {
        return floor(microtime(true) * 1000);
    }

    /** Milliseconds that never go back. */
    public static function mono(): float
    {
        return floor(hrtime(true) / 1e6);
    }

    /** Sleeps through signals: their handlers run, and may throw to end the call. */
    public static function sleep(int $ms): void
    {
        $end = (int) hrtime(true) + $ms * 1_000_000;
        while (($left = $end - (int) hrtime(true)) > 0) {
            time_nanosleep(intdiv($left, 1_000_000_000), $left % 1_000_000_000);
        }
    }
}
