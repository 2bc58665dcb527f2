<?php

declare(strict_types=1);

namespace SupplierClient\Tests;

use PHPUnit\Framework\TestCase;
use SupplierClient\SupplierClient;
use SupplierClient\Tests\Support\ScriptedServer;

/**
 * Clients of the acme profile, over the real engine and real sockets.
 */
abstract class ClientTestCase extends TestCase
{
    protected const SECRET = 'test_secret_a';

    protected static function profile(): string
    {
        return (string) file_get_contents(__DIR__ . '/acme.json');
    }

    /** @param array<string, mixed> $overrides */
    protected static function client(ScriptedServer|string $server, array $overrides = [], mixed ...$more): SupplierClient
    {
        $url = is_string($server) ? $server : $server->url() . '/v2';

        return SupplierClient::open(self::profile(), ['signing-secret' => self::SECRET], ['base_url' => $url] + $overrides, ...$more);
    }

    /** Asserts that a request carries a signature of its own body by a timestamp of now. */
    protected static function assertSigned(string $request, string $secret = self::SECRET): int
    {
        self::assertMatchesRegularExpression('/^X-Signature: t=\d+,v1=[0-9a-f]{64}\r$/m', $request);
        preg_match('/^X-Signature: t=(\d+),v1=([0-9a-f]{64})\r$/m', $request, $match);
        $body = substr((string) strstr($request, "\r\n\r\n"), 4);
        self::assertSame(hash_hmac('sha256', "$match[1].$body", $secret), $match[2]);
        self::assertEqualsWithDelta(time(), (int) $match[1], 30);

        return (int) $match[1];
    }

    protected static function body(string $request): string
    {
        return substr((string) strstr($request, "\r\n\r\n"), 4);
    }

    protected static function firstLine(string $request): string
    {
        return (string) strstr($request, "\r\n", true);
    }
}
