<?php

declare(strict_types=1);

namespace SupplierClient\Tests;

use PHPUnit\Framework\TestCase;
use SupplierClient\Store\Store;
use SupplierClient\Store\Swap;

/**
 * What every store promises.
 */
abstract class StoreTestCase extends TestCase
{
    protected const KEY = "sc1:acme:127.0.0.1:80:K\u{f6}ln / 1:requests";
    protected const PATIENCE_MS = 10_000;

    abstract protected function store(): Store;

    public function testSwapsByText(): void
    {
        $store = $this->store();
        $swap = static fn(?string $expected, string $value): Swap => $store->compareAndSwap(self::KEY, $expected, $value, 60_000, self::PATIENCE_MS);
        self::assertNull($store->load(self::KEY, self::PATIENCE_MS));
        self::assertEquals(new Swap(false, null), $swap('a', 'b'));
        self::assertEquals(new Swap(true, "a\r\n\0\u{e9}"), $swap(null, "a\r\n\0\u{e9}"));
        self::assertSame("a\r\n\0\u{e9}", $store->load(self::KEY, self::PATIENCE_MS));
        self::assertEquals(new Swap(false, "a\r\n\0\u{e9}"), $swap(null, 'b'));
        self::assertEquals(new Swap(false, "a\r\n\0\u{e9}"), $swap('x', 'b'));
        self::assertEquals(new Swap(true, 'b'), $swap("a\r\n\0\u{e9}", 'b'));
        self::assertEquals(new Swap(true, ''), $swap('b', ''));
        self::assertEquals(new Swap(false, ''), $swap(null, 'c'));
        self::assertNull($store->load(self::KEY . '2', self::PATIENCE_MS));
    }

    public function testTextsEndWithTheirTime(): void
    {
        $store = $this->store();
        self::assertTrue($store->compareAndSwap(self::KEY, null, 'a', 1, self::PATIENCE_MS)->won);
        usleep(20_000);
        self::assertNull($store->load(self::KEY, self::PATIENCE_MS));
        self::assertEquals(new Swap(true, 'b'), $store->compareAndSwap(self::KEY, null, 'b', 60_000, self::PATIENCE_MS));
        self::assertSame('b', $store->load(self::KEY, self::PATIENCE_MS));
    }

    /** @param string $code makes the store */
    protected static function hammer(string $code, int $processes, int $changes): void
    {
        $command = [PHP_BINARY, '-d', 'apc.enable_cli=1', __DIR__ . '/hammer.php', $code, (string) $processes, (string) $changes];
        exec(implode(' ', array_map(escapeshellarg(...), $command)) . ' 2>&1', $lines);
        self::assertSame((string) ($processes * $changes), implode("\n", $lines));
    }
}
