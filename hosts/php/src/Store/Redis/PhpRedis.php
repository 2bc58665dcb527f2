<?php

declare(strict_types=1);

namespace SupplierClient\Store\Redis;

use Redis;
use RedisException;
use SupplierClient\Store\StoreException;

/**
 * A client of ext-redis that the application has made and shares with this store.
 *
 * @internal
 */
final class PhpRedis implements Link
{
    public function __construct(private readonly Redis $redis) {}

    public function command(array $command, int $patienceMs): mixed
    {
        $timeout = $this->redis->getOption(Redis::OPT_READ_TIMEOUT);
        try {
            $this->redis->setOption(Redis::OPT_READ_TIMEOUT, max(1, $patienceMs) / 1000);

            return self::ask($this->redis, $command, hrtime(true) + $patienceMs * 1_000_000);
        } finally {
            $this->redis->setOption(Redis::OPT_READ_TIMEOUT, $timeout);
        }
    }

    /**
     * @param list<string> $command
     * @param int $deadline of hrtime, to tell a timer that ran out from another failure
     */
    public static function ask(Redis $redis, array $command, int $deadline): mixed
    {
        try {
            $redis->clearLastError();
            $answer = $redis->rawCommand(...$command);
        } catch (RedisException $error) {
            throw self::unreachable($error, $deadline);
        }
        $refusal = $redis->getLastError();
        if ($refusal !== null) {
            throw new ErrorReply($refusal);
        }

        // This is how ext-redis says nil.
        return $answer === false ? null : $answer;
    }

    public static function unreachable(RedisException $error, int $deadline): StoreException
    {
        // Its message is the same for both. Timers may end a little early.
        $reason = hrtime(true) >= $deadline - 2_000_000 ? 'store-timeout' : 'store-unreachable';

        return new StoreException($reason, "Redis: {$error->getMessage()}", $error);
    }
}
