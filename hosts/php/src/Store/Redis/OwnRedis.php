<?php

declare(strict_types=1);

namespace SupplierClient\Store\Redis;

use InvalidArgumentException;
use Redis;
use RedisException;
use SensitiveParameter;
use SensitiveParameterValue;
use SupplierClient\Exception\SetupException;
use SupplierClient\Store\StoreException;

/**
 * A connection of this store's own over ext-redis: made when it is first needed, kept, made anew after
 * a failure and in the child of a fork, never waiting longer than the caller's patience.
 *
 * @internal
 */
final class OwnRedis implements Link
{
    private readonly string $host;
    private readonly int $port;
    private readonly int $database;
    private readonly SensitiveParameterValue $login;

    private ?Redis $redis = null;

    /** Of the process that made the connection. */
    private int $owner = 0;

    /** @param string $url `redis://[user:password@]host[:port][/database]`, `rediss://...`, `unix:///path/of/the/socket` */
    public function __construct(#[SensitiveParameter] string $url)
    {
        if (!extension_loaded('redis')) {
            throw new SetupException('The PHP extension "redis" is not loaded. Install it (Debian: php-redis) or give RedisStore a Predis client.');
        }
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
        $login = array_map(rawurldecode(...), array_filter([$parts['user'] ?? '', $parts['pass'] ?? ''], static fn(string $part): bool => $part !== ''));
        $this->login = new SensitiveParameterValue(array_values($login));
    }

    public function command(array $command, int $patienceMs): mixed
    {
        $deadline = hrtime(true) + max(1, $patienceMs) * 1_000_000;
        try {
            $redis = $this->connected($deadline);
            $redis->setOption(Redis::OPT_READ_TIMEOUT, self::left($deadline));

            return PhpRedis::ask($redis, $command, $deadline);
        } catch (StoreException $error) {
            // An answer that comes late must not be taken for that of the next command.
            $this->redis = null;
            throw $error;
        }
    }

    private function connected(int $deadline): Redis
    {
        if ($this->redis !== null && $this->owner === getmypid()) {
            return $this->redis;
        }
        $this->redis = null;
        $redis = new Redis();
        try {
            // It warns about names that do not resolve, and then throws.
            $open = @$redis->connect($this->host, $this->port, self::left($deadline), null, 0, self::left($deadline))
                && ($this->login->getValue() === [] || $redis->auth($this->login->getValue()))
                && ($this->database === 0 || $redis->select($this->database));
        } catch (RedisException $error) {
            throw PhpRedis::unreachable($error, $deadline);
        }
        if (!$open) {
            throw new StoreException('store-unreachable', 'Redis: ' . ($redis->getLastError() ?? 'no connection'));
        }
        $this->owner = (int) getmypid();

        return $this->redis = $redis;
    }

    /** Seconds; 0 would be for ever. */
    private static function left(int $deadline): float
    {
        return max(0.001, ($deadline - hrtime(true)) / 1e9);
    }
}
