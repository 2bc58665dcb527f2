<?php

declare(strict_types=1);

namespace SupplierClient\Tests;

use ReflectionProperty;
use RuntimeException;
use SupplierClient\Tests\Support\ScriptedServer;

/**
 * Forks, traps and signals.
 *
 * @requires extension pcntl
 */
final class ProcessTest extends ClientTestCase
{
    public function testWorksInTheChildOfAFork(): void
    {
        $server = new ScriptedServer(array_fill(0, 3, ScriptedServer::response(200)));
        $client = self::client($server);
        self::assertTrue($client->send('/parent')->isOk());
        $child = pcntl_fork();
        if ($child === 0) {
            $status = self::client($server)->send('/child')->isOk() && $client->health()['calls'] === 1 ? 0 : 1;
            // Without destructors: the server belongs to the parent.
            posix_kill(posix_getpid(), $status === 0 ? SIGKILL : SIGTERM);
        }
        pcntl_waitpid($child, $status);
        self::assertSame(SIGKILL, pcntl_wtermsig($status));
        self::assertTrue($client->send('/parent')->isOk());
    }

    public function testStartsAnewAfterATrap(): void
    {
        $server = new ScriptedServer(array_fill(0, 2, ScriptedServer::response(200)));
        $client = self::client($server);
        $client->send('/x');
        // No request makes the engine trap; this is what a trap leaves behind.
        $policy = (new ReflectionProperty($client, 'policy'))->getValue($client);
        $instance = (new ReflectionProperty($policy, 'instance'))->getValue($policy);
        (new ReflectionProperty($instance, 'dead'))->setValue($instance, true);
        self::assertTrue($client->send('/x')->isOk());
        self::assertSame(1, $client->health()['calls']);
    }

    public function testSignalHandlerEndsAWaitAtOnce(): void
    {
        $server = new ScriptedServer([ScriptedServer::response(503, '', 'Retry-After: 30')]);
        $client = self::client($server);
        pcntl_async_signals(true);
        pcntl_signal(SIGALRM, static fn() => throw new RuntimeException('interrupted'));
        pcntl_alarm(1);
        $began = hrtime(true);
        try {
            $client->send('/x');
            self::fail('no exception');
        } catch (RuntimeException $error) {
            self::assertSame('interrupted', $error->getMessage());
        } finally {
            pcntl_signal(SIGALRM, SIG_DFL);
            pcntl_async_signals(false);
        }
        self::assertLessThan(2500, (hrtime(true) - $began) / 1e6);
        self::assertSame(['cancelled' => 1], $client->health()['failures']);
    }
}
