<?php

declare(strict_types=1);

namespace SupplierClient\Tests;

use SupplierClient\Exception\CallFailed;
use SupplierClient\Exception\Throttled;
use SupplierClient\Options;
use SupplierClient\Store\MemoryStore;
use SupplierClient\Store\Store;
use SupplierClient\Store\StoreException;
use SupplierClient\Store\Swap;
use SupplierClient\Tests\Support\ScriptedServer;

final class StoreTest extends ClientTestCase
{
    private const SHARED = ['budget' => ['shared' => true]];

    public function testMemoryStoreSwapsByText(): void
    {
        $store = new MemoryStore();
        self::assertNull($store->load('k', 10));
        self::assertEquals(new Swap(true, 'a'), $store->compareAndSwap('k', null, 'a', 60_000, 10));
        self::assertEquals(new Swap(false, 'a'), $store->compareAndSwap('k', null, 'b', 60_000, 10));
        self::assertEquals(new Swap(false, 'a'), $store->compareAndSwap('k', 'x', 'b', 60_000, 10));
        self::assertEquals(new Swap(true, 'b'), $store->compareAndSwap('k', 'a', 'b', 1, 10));
        usleep(5000);
        self::assertNull($store->load('k', 10));
    }

    public function testTwoClientsShareOneBudget(): void
    {
        $server = new ScriptedServer([
            ScriptedServer::response(200, '', 'X-RateLimit-Limit: 10', 'X-RateLimit-Remaining: 0', 'X-RateLimit-Reset: ' . time() + 30),
        ]);
        $store = new MemoryStore();
        self::client($server, self::SHARED, store: $store)->send('/x');
        try {
            self::client($server, self::SHARED, store: $store)->send('/x', new Options(maxWaitMs: 0));
            self::fail('the second client knew nothing of the first');
        } catch (Throttled $failure) {
            self::assertGreaterThan(20_000, $failure->retryAfterMs);
        }
        self::assertCount(1, $server->requests());
    }

    public function testWithoutAStoreTheWorkerGoesOnAlone(): void
    {
        $server = new ScriptedServer([ScriptedServer::response(200)]);
        $reply = self::client($server, self::SHARED)->send('/x');
        self::assertTrue($reply->isOk());
        self::assertContains('store-unavailable', array_column($reply->journal['notes'] ?? [], 'code'));
    }

    public function testClosedStoreFailsTheCall(): void
    {
        $broken = new class implements Store {
            public function load(string $key, int $patienceMs): ?string
            {
                throw new StoreException('store-unreachable');
            }

            public function compareAndSwap(string $key, ?string $expected, string $value, int $ttlMs, int $patienceMs): Swap
            {
                throw new StoreException('store-unreachable');
            }
        };
        $this->expectException(CallFailed::class);
        self::client('http://127.0.0.1:1/v2', ['budget' => ['shared' => true, 'store_failure' => 'closed']], store: $broken)->send('/x');
    }
}
