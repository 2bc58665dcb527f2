<?php

declare(strict_types=1);

namespace SupplierClient\Tests;

use SupplierClient\Tests\Support\ScriptedServer;
use SupplierClient\Transport\CurlTransport;
use SupplierClient\Transport\Transport;

final class CurlTransportTest extends TransportTestCase
{
    protected function transport(): Transport
    {
        return new CurlTransport();
    }

    public function testDotSegmentsAreNotRemoved(): void
    {
        $server = new ScriptedServer([ScriptedServer::response(200)]);
        self::answered(200, $this->transport()->exchange(self::request("{$server->url()}/a/../b/./c")));
        self::assertStringStartsWith('GET /a/../b/./c HTTP/1.1', $server->requests()[0]);
    }

    public function testHeadersKeepTheirOrder(): void
    {
        $server = new ScriptedServer([ScriptedServer::response(200)]);
        self::answered(200, $this->transport()->exchange(self::request("{$server->url()}/", headers: [['B', '1'], ['a', '2'], ['B', '3']])));
        self::assertSame(['B: 1', 'a: 2', 'B: 3'], array_slice(self::lines($server->requests()[0]), 1));
    }

    public function testOwnOptionsCannotBreakThePromises(): void
    {
        $server = new ScriptedServer([ScriptedServer::response(302, '', 'Location: /x')]);
        $transport = new CurlTransport([CURLOPT_FOLLOWLOCATION => true, CURLOPT_TIMEOUT_MS => 1, CURLOPT_USERAGENT => 'mine']);
        self::answered(302, $transport->exchange(self::request("{$server->url()}/")));
        self::assertStringContainsString("\r\nUser-Agent: mine\r\n", $server->requests()[0]);
    }

    public function testKeyedPostStaysOnItsConnection(): void
    {
        $server = new ScriptedServer([ScriptedServer::response(200), ScriptedServer::response(200), ScriptedServer::response(200)]);
        $transport = $this->transport();
        foreach ([true, false, true] as $repeatable) {
            self::answered(200, $transport->exchange(self::request("{$server->url()}/", 'POST', body: '{}', repeatable: $repeatable)));
        }
        self::assertSame([1, 1, 1], array_column($server->log(), 'connection'));
    }
}
