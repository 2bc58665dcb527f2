<?php

declare(strict_types=1);

namespace SupplierClient\Tests;

use Closure;
use InvalidArgumentException;
use Redis;
use SupplierClient\Store\RedisStore;
use SupplierClient\Store\Store;
use SupplierClient\Store\StoreException;
use SupplierClient\Store\Swap;
use SupplierClient\Tests\Support\RedisServer;

/**
 * Against a real Redis.
 */
class RedisStoreTest extends StoreTestCase
{
    protected static ?RedisServer $server = null;

    public static function setUpBeforeClass(): void
    {
        self::$server = RedisServer::running('p@ss/word');
    }

    public static function tearDownAfterClass(): void
    {
        self::$server = null;
    }

    protected function setUp(): void
    {
        self::plain()->flushAll();
        self::plain()->script('flush');
    }

    protected function store(): Store
    {
        return new RedisStore(self::$server->url('/2'));
    }

    protected static function plain(): Redis
    {
        $redis = new Redis();
        $redis->connect('127.0.0.1', self::$server->port);
        $redis->auth('p@ss/word');
        $redis->select(2);

        return $redis;
    }

    public function testOneStringUnderTheKeyWithATimeToLive(): void
    {
        $this->store()->compareAndSwap(self::KEY, null, 'text', 60_000, self::PATIENCE_MS);
        $redis = self::plain();
        self::assertSame([self::KEY], $redis->keys('*'));
        self::assertSame('text', $redis->get(self::KEY));
        self::assertGreaterThan(0, $redis->pttl(self::KEY));
        self::assertLessThanOrEqual(60_000, $redis->pttl(self::KEY));
    }

    public function testScriptIsSentOnceAndAgainWhenRedisHasForgottenIt(): void
    {
        $store = $this->store();
        $redis = self::plain();
        $calls = static fn(string $command): int => (int) (preg_match('/calls=(\d+)/', (string) ($redis->info('commandstats')["cmdstat_$command"] ?? ''), $match) ? $match[1] : 0);
        $redis->rawCommand('CONFIG', 'RESETSTAT');
        self::assertTrue($store->compareAndSwap(self::KEY, null, '1', 60_000, self::PATIENCE_MS)->won);
        self::assertTrue($store->compareAndSwap(self::KEY, '1', '2', 60_000, self::PATIENCE_MS)->won);
        self::assertSame(1, $calls('eval'));
        $redis->script('flush');
        self::assertTrue($store->compareAndSwap(self::KEY, '2', '3', 60_000, self::PATIENCE_MS)->won);
        self::assertSame(2, $calls('eval'));
    }

    public function testNoUpdateIsLost(): void
    {
        self::hammer('return new RedisStore("' . self::$server->url() . '");', 6, 300);
        // A connection that was there before the fork.
        self::hammer('$store = new RedisStore("' . self::$server->url('/3') . '"); $store->load("x", 10000); return $store;', 6, 100);
    }

    public function testWhatIsNoStringIsAnError(): void
    {
        self::plain()->hSet(self::KEY, 'field', 'value');
        foreach ([fn() => $this->store()->load(self::KEY, self::PATIENCE_MS), fn() => $this->store()->compareAndSwap(self::KEY, null, 'a', 60_000, self::PATIENCE_MS)] as $do) {
            try {
                $do();
                self::fail('no exception');
            } catch (StoreException $error) {
                self::assertSame('store-error', $error->reason);
                self::assertStringContainsString('WRONGTYPE', $error->getMessage());
            }
        }
    }

    /** @dataProvider clients */
    public function testPatienceEndsAndALateAnswerIsNotTakenForTheNext(callable $open): void
    {
        $store = new RedisStore($open());
        self::assertTrue($store->compareAndSwap(self::KEY, null, 'first', 60_000, self::PATIENCE_MS)->won);
        self::$server->freeze();
        try {
            $store->load(self::KEY, 200);
            self::fail('no exception');
        } catch (StoreException $error) {
            self::assertSame('store-timeout', $error->reason);
        } finally {
            self::$server->thaw();
        }
        self::assertEquals(new Swap(true, 'second'), $store->compareAndSwap(self::KEY, 'first', 'second', 60_000, self::PATIENCE_MS));
        self::assertSame('second', self::plain()->get(self::KEY));
    }

    /** @return iterable<string, array{callable(): (string|Closure)}> */
    public static function clients(): iterable
    {
        yield 'address' => [static fn(): string => self::$server->url('/2')];
        yield 'function' => [static fn(): Closure => self::plain(...)];
    }

    public function testComesBackAfterARestart(): void
    {
        $store = $this->store();
        $store->compareAndSwap(self::KEY, null, 'a', 60_000, self::PATIENCE_MS);
        self::$server->stop();
        try {
            $store->load(self::KEY, 1000);
            self::fail('no exception');
        } catch (StoreException $error) {
            self::assertContains($error->reason, ['store-unreachable', 'store-timeout']);
        }
        self::$server->start();
        self::assertNull($store->load(self::KEY, self::PATIENCE_MS));
        self::assertTrue($store->compareAndSwap(self::KEY, null, 'b', 60_000, self::PATIENCE_MS)->won);
    }

    public function testWrongPasswordIsSaidWithoutIt(): void
    {
        $store = new RedisStore('redis://:not_the_password@127.0.0.1:' . self::$server->port);
        try {
            $store->load(self::KEY, self::PATIENCE_MS);
            self::fail('no exception');
        } catch (StoreException $error) {
            self::assertMatchesRegularExpression('/WRONGPASS|NOAUTH|AUTH/', $error->getMessage());
            self::assertStringNotContainsString('not_the_password', "$error" . print_r($store, true));
        }
    }

    public function testSettingsOfAClientDoNotChangeWhatIsStored(): void
    {
        $store = new RedisStore(static function (float $seconds): Redis {
            self::assertGreaterThan(0, $seconds);
            $redis = self::plain();
            $redis->setOption(Redis::OPT_PREFIX, 'shop:');
            $redis->setOption(Redis::OPT_SERIALIZER, Redis::SERIALIZER_PHP);

            return $redis;
        });
        self::assertTrue($store->compareAndSwap(self::KEY, null, 'text', 60_000, self::PATIENCE_MS)->won);
        self::assertSame('text', $store->load(self::KEY, self::PATIENCE_MS));
        self::assertSame('text', self::plain()->get(self::KEY));
    }

    public function testAddressThatIsNone(): void
    {
        foreach (['127.0.0.1:6379', 'http://x', 'redis://x/word', 'unix://'] as $address) {
            try {
                new RedisStore($address);
                self::fail("no exception: $address");
            } catch (InvalidArgumentException $error) {
                self::assertStringContainsString('redis://', $error->getMessage());
            }
        }
    }
}
