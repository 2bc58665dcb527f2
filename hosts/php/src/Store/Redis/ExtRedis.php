<?php

declare(strict_types=1);

namespace SupplierClient\Store\Redis;

use Closure;
use Redis;
use RedisException;
use SupplierClient\Exception\SetupException;
use SupplierClient\Store\StoreException;

/**
 * A connection of this store's own over ext-redis: made when it is first needed, kept, made anew after
 * a failure and in the child of a fork. It must not be shared: after a timer has run out, ext-redis takes the late
 * answer for that of the next command, and where it connects again by itself, it forgets the database.
 *
 * @internal
 */
final class ExtRedis implements Link
{
    private ?Redis $redis = null;

    /** The process that made the connection. */
    private int $owner = 0;

    /** @param Closure(float): Redis $connect in at most so many seconds */
    public function __construct(private readonly Closure $connect)
    {
        if (!extension_loaded('redis')) {
            throw new SetupException('The PHP extension "redis" is not loaded. Install it (Debian: php-redis) or give RedisStore a Predis client.');
        }
    }

    public function command(array $command, int $patienceMs): mixed
    {
        $deadline = hrtime(true) + max(1, $patienceMs) * 1_000_000;
        try {
            $redis = $this->connected($deadline);
            $redis->setOption(Redis::OPT_READ_TIMEOUT, self::left($deadline));
            $redis->clearLastError();
            $answer = $redis->rawCommand(...$command);
        } catch (RedisException $error) {
            $this->redis = null;
            // Its message is the same for a timer that ran out and for a lost connection. Timers may end a little early.
            $reason = hrtime(true) >= $deadline - 2_000_000 ? 'store-timeout' : 'store-unreachable';
            throw new StoreException($reason, "Redis: {$error->getMessage()}", $error);
        }
        $refusal = $redis->getLastError();
        if ($refusal !== null) {
            throw new ErrorReply($refusal);
        }

        // This is how ext-redis says nil.
        return $answer === false ? null : $answer;
    }

    private function connected(int $deadline): Redis
    {
        if ($this->redis === null || $this->owner !== getmypid()) {
            $this->redis = null;
            $this->redis = ($this->connect)(self::left($deadline));
            $this->owner = (int) getmypid();
        }

        return $this->redis;
    }

    /** Seconds; 0 would be for ever. */
    private static function left(int $deadline): float
    {
        return max(0.001, ($deadline - hrtime(true)) / 1e9);
    }
}
