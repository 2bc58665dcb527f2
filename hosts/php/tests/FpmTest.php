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
    public function testPreloadedCodeMayUseFfi(): void
    {
        $server = new ScriptedServer([ScriptedServer::response(200), ScriptedServer::response(200), ScriptedServer::response(503, '', 'Retry-After: 2')]);
        $fpm = Fpm::startOrSkip(['opcache.preload' => dirname(__DIR__) . '/preload.php']);
        for ($i = 0; $i < 2; $i++) {
            self::assertSame('{"status":200}', $fpm->get(__DIR__ . '/fpm.php', "store=1&url={$server->url()}"));
        }
        // A worker is not held for two seconds unless it is asked for.
        $answer = self::json($fpm->get(__DIR__ . '/fpm.php', "store=1&url={$server->url()}"));
        self::assertSame([Throttled::class, 'wait-too-long'], [$answer['error'], $answer['reason']]);
        // Nobody said where the budget is.
        $answer = self::json($fpm->get(__DIR__ . '/fpm.php', "url={$server->url()}"));
        self::assertSame(SetupException::class, $answer['error']);
        self::assertStringContainsString('has limits', $answer['message']);
        self::assertCount(3, $server->requests());
    }

    public function testPoolThatAllowsFfi(): void
    {
        $server = new ScriptedServer([ScriptedServer::response(200)]);
        $fpm = Fpm::startOrSkip(['ffi.enable' => 'true']);
        self::assertSame('{"status":200}', $fpm->get(__DIR__ . '/fpm.php', "store=1&url={$server->url()}"));
    }

    public function testWithoutEitherTheMessageSaysWhatToDo(): void
    {
        $fpm = Fpm::startOrSkip([]);
        $answer = self::json($fpm->get(__DIR__ . '/fpm.php', 'store=1&url=http://127.0.0.1:1'));
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
