<?php

declare(strict_types=1);

namespace SupplierClient\Tests;

use SupplierClient\Exception\UnknownOutcome;
use SupplierClient\Request;
use SupplierClient\Tests\Support\Logger;
use SupplierClient\Tests\Support\ScriptedServer;

final class LoggingTest extends ClientTestCase
{
    public function testJournalOfEachCallAndEachWaitWhenItBegins(): void
    {
        $logger = new Logger();
        $server = new ScriptedServer([
            ScriptedServer::response(200, '{"private": 1}'),
            ScriptedServer::response(429, '', 'Retry-After: 0'),
            ScriptedServer::response(200),
            ['then' => 'close'],
        ]);
        $client = self::client($server, ['retry' => ['base_delay_ms' => 1, 'max_delay_ms' => 1]], logger: $logger);
        $client->send('/private-path?private-query=1');
        $client->send('/x');
        try {
            $client->send(new Request('POST', '/orders', body: 'private'));
        } catch (UnknownOutcome) {
        }

        self::assertSame(['info', 'notice', 'notice', 'error'], array_column($logger->records, 0));
        [, [, , $wait], [, , $retried], [, $message, $failed]] = $logger->records;
        self::assertArrayHasKey('why', $wait);
        self::assertSame([429, 200], array_column($retried['journal']['attempts'], 'status'));
        self::assertSame('maybe-applied', $failed['outcome']);
        self::assertSame('{supplier} {method} {operation}: {outcome} after {attempts} attempt(s) in {elapsed_ms} ms', $message);
        $all = (string) json_encode($logger->records);
        foreach (['private', self::SECRET] as $secret) {
            self::assertStringNotContainsString($secret, $all);
        }
    }
}
