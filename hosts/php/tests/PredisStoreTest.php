<?php

declare(strict_types=1);

namespace SupplierClient\Tests;

use Predis\Client;
use SupplierClient\Store\RedisStore;
use SupplierClient\Store\Store;
use SupplierClient\Store\StoreException;
use SupplierClient\Store\Swap;
use SupplierClient\Tests\Support\RedisServer;

final class PredisStoreTest extends StoreTestCase
{
    private RedisServer $server;

    protected function setUp(): void
    {
        if (!class_exists(Client::class)) {
            self::fail('install php-nrk-predis, as ci.sh does');
        }
        $this->server = RedisServer::running();
    }

    protected function store(): Store
    {
        return new RedisStore(new Client("tcp://127.0.0.1:{$this->server->port}", ['prefix' => 'shop:']));
    }

    public function testComesBackAfterARestart(): void
    {
        $store = $this->store();
        self::assertTrue($store->compareAndSwap(self::KEY, null, 'a', 60_000, self::PATIENCE_MS)->won);
        $this->server->stop();
        try {
            $store->load(self::KEY, self::PATIENCE_MS);
            self::fail('no exception');
        } catch (StoreException $error) {
            self::assertSame('store-unreachable', $error->reason);
        }
        $this->server->start();
        self::assertEquals(new Swap(true, 'b'), $store->compareAndSwap(self::KEY, null, 'b', 60_000, self::PATIENCE_MS));
    }
}
