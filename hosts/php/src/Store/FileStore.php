<?php

declare(strict_types=1);

namespace SupplierClient\Store;

use SupplierClient\Exception\SetupException;

/**
 * A budget for the workers of one machine, in a folder of files: nothing to install. A change takes the
 * lock of its key and then puts a whole new file in the place of the old one, so that readers need no
 * lock and a worker that dies leaves nothing behind.
 *
 *     new FileStore('/var/lib/shop/budgets');
 *
 * All workers must be able to write there. Not for network file systems: locks are not reliable on them,
 * and the end of a text's use is told by this machine's clock.
 */
final class FileStore implements Store
{
    /** Between two looks at a lock that somebody else has; locks are held for well under a millisecond. */
    private const PAUSE_US = [200, 2000];

    /** @param string $folder made, for its owner alone, if it is not there */
    public function __construct(private readonly string $folder)
    {
        if (!is_dir($folder) && !@mkdir($folder, 0o700, true) && !is_dir($folder)) {
            throw new SetupException("The folder $folder for shared budgets cannot be made: make it, writable for every worker.");
        }
        if (!is_writable($folder)) {
            throw new SetupException("The folder $folder for shared budgets is not writable for this process.");
        }
    }

    public function load(string $key, int $patienceMs): ?string
    {
        return self::read($this->file($key));
    }

    public function compareAndSwap(string $key, ?string $expected, string $value, int $ttlMs, int $patienceMs): Swap
    {
        $file = $this->file($key);
        $lock = self::lock("$file.lock", $patienceMs);
        try {
            $current = self::read($file);
            if ($current !== $expected) {
                return new Swap(false, $current);
            }
            self::write($file, (self::now() + $ttlMs) . "\n$value");

            return new Swap(true, $value);
        } finally {
            fclose($lock);
        }
    }

    /** Keys hold colons and whatever a profile calls its account. */
    private function file(string $key): string
    {
        return "$this->folder/" . hash('sha256', $key);
    }

    /** The first line says until when, in Unix milliseconds; the text follows. */
    private static function read(string $file): ?string
    {
        $content = @file_get_contents($file);
        if ($content === false) {
            clearstatcache(true, $file);

            return file_exists($file) ? throw new StoreException('store-unreachable', "$file cannot be read") : null;
        }
        // Anything else than what is written here counts as nothing.
        $end = strpos($content, "\n");

        return $end !== false && (int) substr($content, 0, $end) > self::now() ? substr($content, $end + 1) : null;
    }

    private static function write(string $file, string $content): void
    {
        if (@file_put_contents("$file.new", $content) !== strlen($content) || !@rename("$file.new", $file)) {
            throw new StoreException('store-unreachable', "$file cannot be written");
        }
    }

    /** @return resource closing it gives the lock back, and so does the end of the process */
    private static function lock(string $file, int $patienceMs): mixed
    {
        $deadline = hrtime(true) + $patienceMs * 1_000_000;
        $lock = @fopen($file, 'c');
        if ($lock === false) {
            throw new StoreException('store-unreachable', "$file cannot be opened");
        }
        while (!flock($lock, LOCK_EX | LOCK_NB, $taken)) {
            if ($taken !== 1 || hrtime(true) >= $deadline) {
                throw $taken === 1
                    ? new StoreException('store-timeout', "$file stayed locked for $patienceMs ms")
                    : new StoreException('store-error', "$file cannot be locked: is this a network file system?");
            }
            usleep(random_int(...self::PAUSE_US));
        }

        return $lock;
    }

    private static function now(): int
    {
        return (int) (microtime(true) * 1000);
    }
}
