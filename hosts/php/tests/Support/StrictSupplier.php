<?php

declare(strict_types=1);

namespace SupplierClient\Tests\Support;

use PHPUnit\Framework\TestCase;

/**
 * Runs `supplier-test serve`.
 */
final class StrictSupplier
{
    public readonly string $url;
    private mixed $process;

    /** @var array<int, resource> */
    private array $pipes = [];

    private string $report = '';

    /** @param list<string> $arguments */
    private function __construct(string $binary, array $arguments)
    {
        $this->process = proc_open([$binary, 'serve', '--port', '0', ...$arguments], [['pipe', 'r'], ['pipe', 'w'], ['file', '/dev/null', 'w']], $this->pipes);
        $this->url = trim(substr((string) fgets($this->pipes[1]), strlen('listening on ')));
    }

    public static function running(string ...$arguments): self
    {
        $binary = getenv('SUPPLIER_TEST_BIN') ?: dirname(__DIR__, 4) . '/target/release/supplier-test';
        if (!is_executable($binary)) {
            TestCase::fail("build $binary: cargo build --release -p supplier-test");
        }

        return new self($binary, array_values($arguments));
    }

    /** Ends it and returns its exit code: 0 if there was no violation. */
    public function stop(): int
    {
        fclose($this->pipes[0]);
        $this->report = (string) stream_get_contents($this->pipes[1]);
        $status = proc_close($this->process);
        $this->process = null;

        return $status;
    }

    public function report(): string
    {
        return $this->report;
    }

    public function __destruct()
    {
        if ($this->process !== null) {
            $this->stop();
        }
    }
}
