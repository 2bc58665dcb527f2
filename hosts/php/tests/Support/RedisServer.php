<?php

declare(strict_types=1);

namespace SupplierClient\Tests\Support;

use PHPUnit\Framework\TestCase;

/**
 * A real Redis on a free port of loopback, that keeps nothing.
 */
final class RedisServer
{
    public readonly int $port;
    private mixed $process = null;

    private function __construct(private readonly string $password)
    {
        // Redis takes no port 0: one is asked of the system, and given back for it to take.
        $probe = stream_socket_server('tcp://127.0.0.1:0');
        assert($probe !== false);
        $this->port = (int) substr((string) strrchr((string) stream_socket_get_name($probe, false), ':'), 1);
        fclose($probe);
        $this->start();
    }

    public static function running(string $password = ''): self
    {
        if (!extension_loaded('redis') || exec('command -v redis-server') === '') {
            TestCase::fail('install redis-server and php-redis, as ci.sh does');
        }

        return new self($password);
    }

    public function start(): void
    {
        $this->process = proc_open(
            ['redis-server', '--bind', '127.0.0.1', '--port', (string) $this->port, '--save', '', '--appendonly', 'no', '--dir', sys_get_temp_dir(), ...($this->password === '' ? [] : ['--requirepass', $this->password])],
            [['file', '/dev/null', 'r'], ['file', '/dev/null', 'w'], ['file', '/dev/null', 'w']],
            $pipes,
        );
        for ($i = 0; $i < 200; $i++) {
            $connection = @stream_socket_client("tcp://127.0.0.1:$this->port", timeout: 1);
            if ($connection !== false) {
                fclose($connection);

                return;
            }
            usleep(50_000);
        }
        TestCase::fail('redis-server does not answer');
    }

    public function url(string $database = ''): string
    {
        return 'redis://' . ($this->password === '' ? '' : ':' . rawurlencode($this->password) . '@') . "127.0.0.1:$this->port$database";
    }

    /** It goes on listening, and answers nothing. */
    public function freeze(): void
    {
        proc_terminate($this->process, SIGSTOP);
    }

    public function thaw(): void
    {
        proc_terminate($this->process, SIGCONT);
    }

    public function stop(): void
    {
        if ($this->process !== null) {
            proc_terminate($this->process, SIGKILL);
            proc_close($this->process);
            $this->process = null;
        }
    }

    public function __destruct()
    {
        $this->stop();
    }
}
