<?php

declare(strict_types=1);

namespace SupplierClient\Store\Redis;

use InvalidArgumentException;
use Redis;
use RedisException;
use SensitiveParameter;
use SensitiveParameterValue;

/**
 * Where a Redis is, as text, and how ext-redis connects to it.
 *
 * @internal
 */
final class Address
{
    private readonly string $host;
    private readonly int $port;
    private readonly int $database;
    private readonly SensitiveParameterValue $login;

    /** @param string $url `redis://[user:password@]host[:port][/database]`, `rediss://...`, `unix:///path/of/the/socket` */
    public function __construct(#[SensitiveParameter] string $url)
    {
        $parts = parse_url($url);
        $scheme = $parts['scheme'] ?? null;
        $path = $parts['path'] ?? '';
        [$this->host, $this->port, $this->database] = match (true) {
            $scheme === 'unix' && $path !== '' => [$path, 0, 0],
            in_array($scheme, ['redis', 'rediss'], true) && isset($parts['host']) && preg_match('#^(/\d*)?$#D', $path) === 1 => [
                ($scheme === 'rediss' ? 'tls://' : '') . trim($parts['host'], '[]'),
                $parts['port'] ?? 6379,
                (int) substr($path, 1),
            ],
            default => throw new InvalidArgumentException('The address of Redis is redis://[user:password@]host[:port][/database], rediss://... or unix:///path.'),
        };
        $login = array_filter([$parts['user'] ?? '', $parts['pass'] ?? ''], static fn(string $part): bool => $part !== '');
        $this->login = new SensitiveParameterValue(array_map(rawurldecode(...), array_values($login)));
    }

    /** @throws RedisException */
    public function connect(float $seconds): Redis
    {
        $redis = new Redis();
        // It warns about names that do not resolve, and then throws.
        $open = @$redis->connect($this->host, $this->port, $seconds, null, 0, $seconds)
            && ($this->login->getValue() === [] || $redis->auth($this->login->getValue()))
            && ($this->database === 0 || $redis->select($this->database));

        return $open ? $redis : throw new RedisException($redis->getLastError() ?? 'no connection');
    }
}
