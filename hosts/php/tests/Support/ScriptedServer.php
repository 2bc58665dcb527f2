<?php

declare(strict_types=1);

namespace SupplierClient\Tests\Support;

/**
 * Runs tests/server.php.
 */
final class ScriptedServer
{
    private mixed $process;
    private mixed $stdin;
    private string $file;
    public readonly int $port;

    /** @param list<array<string, mixed>|string> $steps a string is the raw response of a step */
    public function __construct(array $steps, private readonly bool $tls = false)
    {
        $this->file = (string) tempnam(sys_get_temp_dir(), 'supplier');
        file_put_contents($this->file, json_encode(array_map(self::step(...), $steps)));
        $command = [PHP_BINARY, dirname(__DIR__) . '/server.php', $this->file, "$this->file.log", ...($tls ? ['tls'] : [])];
        $this->process = proc_open($command, [['pipe', 'r'], ['pipe', 'w'], STDERR], $pipes);
        $this->stdin = $pipes[0];
        $this->port = (int) substr((string) fgets($pipes[1]), strlen('listening on '));
    }

    public function url(): string
    {
        return ($this->tls ? 'https' : 'http') . "://127.0.0.1:$this->port";
    }

    /** @return list<string> raw requests in the order they came */
    public function requests(): array
    {
        return array_column($this->log(), 'request');
    }

    /** @return list<array{connection: int, request: string}> */
    public function log(): array
    {
        $lines = is_file("$this->file.log") ? file("$this->file.log") : [];

        return array_map(static function (string $line): array {
            $entry = json_decode($line, true);

            return ['request' => (string) base64_decode($entry['request'], true)] + $entry;
        }, $lines ?: []);
    }

    /** A whole response with its length. */
    public static function response(int $status, string $body = '', string ...$headers): string
    {
        $lines = implode('', array_map(static fn(string $line): string => "$line\r\n", $headers));

        return "HTTP/1.1 $status X\r\n{$lines}Content-Length: " . strlen($body) . "\r\n\r\n$body";
    }

    /**
     * @param array<string, mixed>|string $step
     * @return array<string, mixed>
     */
    private static function step(array|string $step): array
    {
        $step = is_string($step) ? ['send' => $step] : $step;
        $step['send'] = base64_encode($step['send'] ?? '');
        $step['pieces'] = array_map(static fn(array $piece): array => [base64_encode($piece[0]), $piece[1]], $step['pieces'] ?? []);

        return $step;
    }

    public function __destruct()
    {
        fclose($this->stdin);
        proc_close($this->process);
        array_map(unlink(...), array_filter([$this->file, "$this->file.log", "$this->file.pem"], is_file(...)));
    }
}
