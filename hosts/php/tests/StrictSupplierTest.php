<?php

declare(strict_types=1);

namespace SupplierClient\Tests;

use GuzzleHttp\Client;
use PHPUnit\Framework\TestCase;
use SupplierClient\Options;
use SupplierClient\Request;
use SupplierClient\SupplierClient;
use SupplierClient\Tests\Support\StrictSupplier;

/**
 * Against `supplier-test serve`, which verifies every signature and reports every violation.
 */
final class StrictSupplierTest extends TestCase
{
    /** @dataProvider transports */
    public function testWalkAndOrdersWithoutViolations(?callable $http): void
    {
        $supplier = StrictSupplier::running('--items', '3000', '--faults', '503+1@7,429+1@12,drop@17,cut@20');
        $client = SupplierClient::open(__DIR__ . '/acme.json', ['signing-secret' => 'test_secret_a'], [
            'base_url' => $supplier->url,
            'retry' => ['base_delay_ms' => 20, 'max_delay_ms' => 50],
        ], $http === null ? null : $http());
        $ids = [];
        foreach ($client->items('/consignments?limit=100') as $item) {
            $ids[json_encode($item)] = true;
        }
        self::assertCount(3000, $ids);
        for ($i = 0; $i < 5; $i++) {
            $reply = $client->send(Request::json('POST', '/orders', ['number' => $i]), new Options(idempotencyKey: "order-$i"));
            self::assertTrue($reply->isOk(), "{$reply->status()} {$reply->response->body}");
        }
        self::assertSame(0, $supplier->stop(), $supplier->report());
    }

    /** @return iterable<string, array{(callable(): Client)|null}> */
    public static function transports(): iterable
    {
        yield 'curl' => [null];
        yield 'Guzzle' => [static fn(): Client => new Client()];
    }

    public function testMemoryOfALongWalkIsOnePage(): void
    {
        $supplier = StrictSupplier::running('--items', '20000', '--limit', '1000000');
        $client = SupplierClient::open(__DIR__ . '/acme.json', ['signing-secret' => 'test_secret_a'], ['base_url' => $supplier->url]);
        $count = 0;
        $early = 0;
        foreach ($client->items('/consignments?limit=100') as $item) {
            if (++$count === 1000) {
                $early = memory_get_usage();
            }
        }
        self::assertSame(20_000, $count);
        self::assertLessThan(500_000, memory_get_usage() - $early);
    }

    public function testExamples(): void
    {
        $supplier = StrictSupplier::running();
        foreach (['quickstart.php' => '250 consignments', 'wasi_http.php' => '3 consignments'] as $example => $says) {
            exec(PHP_BINARY . ' ' . __DIR__ . "/../examples/$example $supplier->url 2>&1", $lines, $status);
            self::assertSame(0, $status, implode("\n", $lines));
            self::assertStringContainsString($says, implode("\n", $lines));
        }
    }
}
