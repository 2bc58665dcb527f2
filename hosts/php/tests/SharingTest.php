<?php

declare(strict_types=1);

namespace SupplierClient\Tests;

use PHPUnit\Framework\TestCase;
use SupplierClient\Tests\Support\RedisServer;
use SupplierClient\Tests\Support\StrictSupplier;

/**
 * Workers in processes of their own, one limit, one Redis.
 */
final class SharingTest extends TestCase
{
    private const WORKERS = 3;
    private const ORDERS = 15;

    public function testWorkersActAsOne(): void
    {
        $redis = RedisServer::running();
        $supplier = StrictSupplier::running('--limit', '15');
        $workers = [];
        for ($i = 0; $i < self::WORKERS; $i++) {
            $command = [PHP_BINARY, __DIR__ . '/worker.php', $supplier->url, "worker-$i", (string) self::ORDERS, $redis->url()];
            $workers[] = [proc_open($command, [['file', '/dev/null', 'r'], ['pipe', 'w'], ['redirect', 1]], $pipes), $pipes[1]];
        }
        $said = [];
        foreach ($workers as [$process, $output]) {
            $said[] = trim((string) stream_get_contents($output));
            self::assertSame(0, proc_close($process));
        }
        self::assertSame(array_fill(0, self::WORKERS, '0 refused'), $said);
        self::assertSame(0, $supplier->stop(), $supplier->report());
    }
}
