<?php

declare(strict_types=1);

namespace SupplierClient\Tests;

use ReflectionProperty;
use RuntimeException;
use SupplierClient\Request;
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
            $status = $client->send('/child')->isOk() && $client->health()['calls'] === 2 ? 0 : 1;
            // Without destructors: the server belongs to the parent.
            posix_kill(posix_getpid(), $status === 0 ? SIGKILL : SIGTERM);
        }
        pcntl_waitpid($child, $status);
        self::assertSame(SIGKILL, pcntl_wtermsig($status));
        self::assertTrue($client->send('/parent')->isOk());
        self::assertSame(2, $client->health()['calls']);
        self::assertSame([1, 2, 1], array_column($server->log(), 'connection'), 'a connection belongs to one process');
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

    /** Handlers that throw leave the client whole, wherever they strike. */
    public function testSurvivesHandlersThatThrowAnywhere(): void
    {
        $client = self::client('http://127.0.0.1:1/v2');
        $request = Request::json('POST', '/orders', ['note' => str_repeat('x', 100)]);
        pcntl_async_signals(true);
        $inside = false;
        pcntl_signal(SIGUSR1, static function () use (&$inside): void {
            if ($inside) {
                $inside = false;
                throw new RuntimeException('interrupted');
            }
        });
        $parent = (int) getmypid();
        $child = pcntl_fork();
        if ($child === 0) {
            for ($i = 0; $i < 300; $i++) {
                usleep(random_int(100, 1500));
                posix_kill($parent, SIGUSR1);
            }
            posix_kill((int) getmypid(), SIGKILL);
        }
        $seen = [];
        while (pcntl_waitpid($child, $status, WNOHANG) !== $child) {
            try {
                $inside = true;
                $client->explain($request);
                $inside = false;
            } catch (RuntimeException $error) {
                $inside = false;
                $seen[$error->getMessage()] = ($seen[$error->getMessage()] ?? 0) + 1;
            }
        }
        pcntl_signal(SIGUSR1, SIG_DFL);
        pcntl_async_signals(false);
        self::assertSame(['interrupted'], array_keys($seen));
        self::assertGreaterThan(10, $seen['interrupted']);
        self::assertSame(0, $client->health()['attempts']);
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
        self::assertLessThan(20_000, (hrtime(true) - $began) / 1e6);
        self::assertSame(['cancelled' => 1], $client->health()['failures']);
    }
}
