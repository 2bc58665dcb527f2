<?php

declare(strict_types=1);

namespace SupplierClient\Store;

use Closure;
use Predis\Client;
use Redis;
use SensitiveParameter;
use SupplierClient\Store\Redis\Address;
use SupplierClient\Store\Redis\ErrorReply;
use SupplierClient\Store\Redis\ExtRedis;
use SupplierClient\Store\Redis\Link;
use SupplierClient\Store\Redis\Predis;

/**
 * A budget for all workers that reach one Redis (from 2.6 on) or Valkey, in whatever language they are
 * written: one string under each of the engine's keys, with a time to live, changed by one small script.
 *
 *     new RedisStore('redis://127.0.0.1:6379');
 *
 * The keys are used as they are, also where a client was given a prefix. One store may be given to any
 * number of clients.
 */
final class RedisStore implements Store
{
    /** Arguments: value, time to live in ms, and the expected text if there is one. */
    private const SWAP = <<<'LUA'
        local current = redis.call('GET', KEYS[1])
        if current ~= (ARGV[3] or false) then return {0, current} end
        redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
        return {1}
        LUA;

    private readonly Link $link;
    private readonly string $digest;

    /**
     * @param string|Closure(float): Redis|Client $redis an address (`redis://[user:password@]host[:port][/database]`,
     *     `rediss://...`, `unix:///path`) or a function that connects a new client of ext-redis, for this store
     *     alone, in at most so many seconds: both need ext-redis. Or a Predis client, whose own timeouts then
     *     bound what the profile calls `budget.patience_ms`, and which is not to be used in a fork's parent and child.
     */
    public function __construct(#[SensitiveParameter] string|Closure|Client $redis)
    {
        $this->link = match (true) {
            is_string($redis) => new ExtRedis((new Address($redis))->connect(...)),
            $redis instanceof Closure => new ExtRedis($redis),
            default => new Predis($redis),
        };
        $this->digest = sha1(self::SWAP);
    }

    public function load(string $key, int $patienceMs): ?string
    {
        try {
            return self::text($this->link->command(['GET', $key], $patienceMs));
        } catch (ErrorReply $error) {
            throw self::refused($error);
        }
    }

    public function compareAndSwap(string $key, ?string $expected, string $value, int $ttlMs, int $patienceMs): Swap
    {
        $arguments = ['1', $key, $value, (string) max(1, $ttlMs)];
        if ($expected !== null) {
            $arguments[] = $expected;
        }
        try {
            $answer = $this->swap($arguments, $patienceMs);
        } catch (ErrorReply $error) {
            throw self::refused($error);
        }
        if (!is_array($answer) || !array_key_exists(0, $answer)) {
            throw new StoreException('store-error', 'Redis: an answer that is no pair');
        }

        return (int) $answer[0] === 1 ? new Swap(true, $value) : new Swap(false, self::text($answer[1] ?? null));
    }

    /** @param list<string> $arguments */
    private function swap(array $arguments, int $patienceMs): mixed
    {
        try {
            return $this->link->command(['EVALSHA', $this->digest, ...$arguments], $patienceMs);
        } catch (ErrorReply $error) {
            if (!$error->isMissingScript()) {
                throw $error;
            }
        }

        // The first time, and after a restart. EVAL remembers the script.
        return $this->link->command(['EVAL', self::SWAP, ...$arguments], $patienceMs);
    }

    private static function text(mixed $answer): ?string
    {
        if ($answer === null || $answer === false || is_string($answer)) {
            return $answer === false ? null : $answer;
        }
        throw new StoreException('store-error', 'Redis: an answer that is no text');
    }

    private static function refused(ErrorReply $error): StoreException
    {
        return new StoreException('store-error', "Redis: {$error->getMessage()}", $error);
    }
}
