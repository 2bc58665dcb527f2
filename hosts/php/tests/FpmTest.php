<?php

declare(strict_types=1);

namespace SupplierClient\Tests;

use PHPUnit\Framework\TestCase;
use SupplierClient\Exception\SetupException;
use SupplierClient\Exception\Throttled;
use SupplierClient\Tests\Support\Fpm;
use SupplierClient\Tests\Support\ScriptedServer;

/**
 * Under a real PHP-FPM.
 */
final class FpmTest extends TestCase
{
    private const FINE = '{"status":200,"notes":[]}';

    public function testPreloadedCodeMayUseFfi(): void
    {
        $server = new ScriptedServer([ScriptedServer::response(200), ScriptedServer::response(200), ScriptedServer::response(503, '', 'Retry-After: 2')]);
        $fpm = Fpm::running(['opcache.preload' => dirname(__DIR__) . '/preload.php']);
        for ($i = 0; $i < 2; $i++) {
            self::assertSame(self::FINE, $fpm->get(__DIR__ . '/fpm.php', "store=memory&url={$server->url()}"));
        }
        // A worker is not held for two seconds unless it is asked for.
        $answer = self::json($fpm->get(__DIR__ . '/fpm.php', "store=memory&url={$server->url()}"));
        self::assertSame([Throttled::class, 'wait-too-long'], [$answer['error'], $answer['reason']]);
        // Nobody said where the budget is.
        $answer = self::json($fpm->get(__DIR__ . '/fpm.php', "url={$server->url()}"));
        self::assertSame(SetupException::class, $answer['error']);
        self::assertStringContainsString('has limits', $answer['message']);
        self::assertCount(3, $server->requests());
    }

    public function testRequestsShareABudgetInApcu(): void
    {
        if (!extension_loaded('apcu')) {
            self::fail('install php-apcu, as ci.sh does');
        }
        $server = new ScriptedServer([
            ScriptedServer::response(200, '', 'X-RateLimit-Limit: 10', 'X-RateLimit-Remaining: 1', 'X-RateLimit-Reset: ' . time() + 600),
            ScriptedServer::response(200, '', 'X-RateLimit-Limit: 10', 'X-RateLimit-Remaining: 0', 'X-RateLimit-Reset: ' . time() + 600),
        ]);
        $fpm = Fpm::running(['ffi.enable' => 'true']);
        self::assertSame(self::FINE, $fpm->get(__DIR__ . '/fpm.php', "store=apcu&url={$server->url()}"));
        self::assertSame(self::FINE, $fpm->get(__DIR__ . '/fpm.php', "store=apcu&url={$server->url()}"));
        for ($i = 0; $i < 4; $i++) {
            $answer = self::json($fpm->get(__DIR__ . '/fpm.php', "store=apcu&url={$server->url()}"));
            self::assertSame([Throttled::class, 'wait-too-long'], [$answer['error'], $answer['reason']]);
        }
        self::assertCount(2, $server->requests());
    }

    public function testPoolThatAllowsFfi(): void
    {
        $server = new ScriptedServer([ScriptedServer::response(200)]);
        $fpm = Fpm::running(['ffi.enable' => 'true']);
        self::assertSame(self::FINE, $fpm->get(__DIR__ . '/fpm.php', "store=memory&url={$server->url()}"));
    }

    public function testWithoutEitherTheMessageSaysWhatToDo(): void
    {
        $fpm = Fpm::running([]);
        $answer = self::json($fpm->get(__DIR__ . '/fpm.php', 'store=memory&url=http://127.0.0.1:1'));
        self::assertSame(SetupException::class, $answer['error']);
        self::assertStringContainsString('opcache.preload=', $answer['message']);
        self::assertStringContainsString('ffi.enable=true', $answer['message']);
    }

    /** @return array<string, mixed> */
    private static function json(string $text): array
    {
        self::assertJson($text);

        return json_decode($text, true);
    }
}
