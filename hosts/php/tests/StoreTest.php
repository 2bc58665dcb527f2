<?php

declare(strict_types=1);

namespace SupplierClient\Tests;

use DomainException;
use SupplierClient\Exception\InternalFailure;
use SupplierClient\Exception\SetupException;
use SupplierClient\Exception\Throttled;
use SupplierClient\Options;
use SupplierClient\Store\FileStore;
use SupplierClient\Store\MemoryStore;
use SupplierClient\Store\Store;
use SupplierClient\Store\StoreException;
use SupplierClient\Store\Swap;
use SupplierClient\Tests\Support\Logger;
use SupplierClient\Tests\Support\ScriptedServer;
use Throwable;

final class StoreTest extends ClientTestCase
{
    private const SHARED = ['budget' => ['shared' => true]];

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
        $server = new ScriptedServer([ScriptedServer::response(200), ScriptedServer::response(200)]);
        $logger = new Logger();
        $client = self::client($server, self::SHARED, logger: $logger);
        $reply = $client->send('/x');
        self::assertTrue($reply->isOk());
        self::assertContains('store-unavailable', array_column($reply->journal['notes'] ?? [], 'code'));
        $client->send('/x');
        $warnings = array_filter($logger->records, static fn(array $record): bool => $record[0] === 'warning');
        self::assertCount(1, $warnings);
        self::assertStringContainsString('was given no store', array_values($warnings)[0][1]);
    }

    public function testStoreThatFailsIsLeftAloneForAWhile(): void
    {
        $server = new ScriptedServer(array_fill(0, 3, ScriptedServer::response(200)));
        $store = self::broken(new StoreException('store-unreachable'));
        $client = self::client($server, self::SHARED, store: $store);
        foreach (range(1, 3) as $number) {
            self::assertTrue($client->send("/$number")->isOk());
        }
        self::assertSame(1, $store->asked);
    }

    public function testClosedStoreFailsTheCall(): void
    {
        $this->expectException(InternalFailure::class);
        $this->expectExceptionMessageMatches('/store_failure/');
        self::client('http://127.0.0.1:1/v2', ['budget' => ['shared' => true, 'store_failure' => 'closed']], store: self::broken(new StoreException('store-unreachable')))->send('/x');
    }

    public function testWhateverElseAStoreThrowsEndsTheCall(): void
    {
        $client = self::client('http://127.0.0.1:1/v2', self::SHARED, store: self::broken(new DomainException('mine')));
        try {
            $client->send('/x');
            self::fail('no exception');
        } catch (DomainException $error) {
            self::assertSame('mine', $error->getMessage());
        }
        self::assertSame(['cancelled' => 1], $client->health()['failures']);
    }

    /** @dataProvider garbage */
    public function testGarbageUnderTheKeyIsReplaced(string $garbage): void
    {
        $server = new ScriptedServer([ScriptedServer::response(200, '', 'X-RateLimit-Limit: 10', 'X-RateLimit-Remaining: 9', 'X-RateLimit-Reset: ' . time() + 600)]);
        $store = new MemoryStore();
        $client = self::client($server, self::SHARED, store: $store);
        $key = $client->explain('/x')['pool'];
        $store->compareAndSwap($key, null, $garbage, 600_000, 10);
        self::assertSame([], $client->send('/x')->journal['notes'] ?? []);
        self::assertStringContainsString('"requests"', (string) $store->load($key, 10));
    }

    /** @return iterable<array{string}> */
    public static function garbage(): iterable
    {
        yield ['garbage'];
        yield [''];
        yield ["\xff\0\xfe"];
        yield ['{"w": 7}'];
    }

    public function testStoreThatNothingWouldUseIsRefused(): void
    {
        $this->expectException(SetupException::class);
        $this->expectExceptionMessageMatches('/does not share its budget/');
        self::client('http://127.0.0.1:1/v2', store: self::broken(new DomainException()));
    }

    public function testWhatStandsInTheStoreIsNoSecret(): void
    {
        $server = new ScriptedServer([ScriptedServer::response(200, '{"private": 1}', 'X-RateLimit-Limit: 10', 'X-RateLimit-Remaining: 9', 'X-RateLimit-Reset: ' . time() + 30)]);
        $folder = sys_get_temp_dir() . '/supplier-budgets-' . bin2hex(random_bytes(6));
        try {
            self::client($server, self::SHARED, store: new FileStore($folder))->send('/private?private');
            $all = implode("\n", array_map(file_get_contents(...), glob("$folder/*") ?: []));
            self::assertStringContainsString('"requests"', $all);
            foreach (['private', self::SECRET, hash('sha256', self::SECRET)] as $secret) {
                self::assertStringNotContainsString($secret, $all);
            }
        } finally {
            array_map(unlink(...), glob("$folder/*") ?: []);
            @rmdir($folder);
        }
    }

    private static function broken(Throwable $error): Store
    {
        return new class ($error) implements Store {
            public int $asked = 0;

            public function __construct(private readonly Throwable $error) {}

            public function load(string $key, int $patienceMs): ?string
            {
                $this->asked++;
                throw $this->error;
            }

            public function compareAndSwap(string $key, ?string $expected, string $value, int $ttlMs, int $patienceMs): Swap
            {
                $this->asked++;
                throw $this->error;
            }
        };
    }
}
