<?php

declare(strict_types=1);

namespace SupplierClient\Tests\Support;

use PHPUnit\Framework\TestCase;

/**
 * PHP-FPM on a socket, and just enough FastCGI to ask it for a script.
 */
final class Fpm
{
    private readonly string $folder;
    private mixed $process;

    /** @param array<string, string> $ini */
    private function __construct(string $binary, array $ini)
    {
        $this->folder = sys_get_temp_dir() . '/supplier-fpm-' . bin2hex(random_bytes(4));
        mkdir($this->folder);
        $user = posix_getpwuid(posix_geteuid())['name'] ?? 'root';
        $ini = ['opcache.enable' => '1', 'opcache.preload_user' => $user, 'opcache.file_cache' => ''] + $ini;
        file_put_contents("$this->folder/php.ini", implode("\n", array_map(static fn(string $key): string => "$key=\"{$ini[$key]}\"", array_keys($ini))));
        file_put_contents("$this->folder/fpm.conf", <<<CONF
            [global]
            error_log = $this->folder/log
            daemonize = no
            [www]
            listen = {$this->socket()}
            user = $user
            pm = static
            pm.max_children = 2
            clear_env = no
            CONF);
        // Debian's extensions come from its own folder of settings.
        $this->process = proc_open([$binary, '-R', '-y', "$this->folder/fpm.conf", '-c', "$this->folder/php.ini"], [['file', '/dev/null', 'r'], ['file', "$this->folder/out", 'w'], ['file', "$this->folder/out", 'w']], $pipes);
        for ($i = 0; $i < 400 && !file_exists($this->socket()); $i++) {
            usleep(50_000);
        }
    }

    /** @param array<string, string> $ini */
    public static function running(array $ini): self
    {
        $binary = (glob('/usr/sbin/php-fpm*') ?: [])[0] ?? null;
        if ($binary === null) {
            TestCase::fail('install php-fpm, as ci.sh does');
        }

        return new self($binary, $ini);
    }

    /** What the script printed. */
    public function get(string $script, string $query): string
    {
        $stream = @stream_socket_client("unix://{$this->socket()}", timeout: 5);
        if ($stream === false) {
            return (string) @file_get_contents("$this->folder/log") . @file_get_contents("$this->folder/out");
        }
        $parameters = '';
        foreach (['SCRIPT_FILENAME' => $script, 'REQUEST_METHOD' => 'GET', 'QUERY_STRING' => $query] as $name => $value) {
            $parameters .= pack('NN', strlen($name) | 1 << 31, strlen($value) | 1 << 31) . $name . $value;
        }
        fwrite($stream, self::record(1, "\0\1\0\0\0\0\0\0") . self::record(4, $parameters) . self::record(4, '') . self::record(5, ''));
        $output = '';
        while (strlen($header = (string) stream_get_contents($stream, 8)) === 8) {
            ['type' => $type, 'length' => $length, 'padding' => $padding] = unpack('Cversion/Ctype/nid/nlength/Cpadding/Creserved', $header) ?: [];
            $content = (string) stream_get_contents($stream, $length + $padding);
            $output .= $type === 6 ? substr($content, 0, $length) : '';
        }

        return substr((string) strstr($output, "\r\n\r\n"), 4);
    }

    private static function record(int $type, string $content): string
    {
        return pack('CCnnCC', 1, $type, 1, strlen($content), 0, 0) . $content;
    }

    private function socket(): string
    {
        return "$this->folder/socket";
    }

    public function __destruct()
    {
        proc_terminate($this->process, SIGTERM);
        proc_close($this->process);
        array_map(unlink(...), glob("$this->folder/*") ?: []);
        rmdir($this->folder);
    }
}
