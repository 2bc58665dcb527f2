<?php

declare(strict_types=1);

namespace SupplierClient\Store\Redis;

use Predis\Client;
use Predis\PredisException;
use SupplierClient\Store\StoreException;

/**
 * A Predis client that the application has made. How long it waits is its own `timeout` and
 * `read_write_timeout`: Predis cannot be told by command.
 *
 * @internal
 */
final class Predis implements Link
{
    public function __construct(private readonly Client $client) {}

    public function command(array $command, int $patienceMs): mixed
    {
        $refused = false;
        try {
            $answer = $this->client->executeRaw($command, $refused);
        } catch (PredisException $error) {
            $this->client->disconnect();
            throw new StoreException('store-unreachable', "Redis: {$error->getMessage()}", $error);
        }
        if ($refused) {
            throw new ErrorReply((string) $answer);
        }

        return $answer;
    }
}
