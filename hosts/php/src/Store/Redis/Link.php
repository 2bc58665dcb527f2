<?php

declare(strict_types=1);

namespace SupplierClient\Store\Redis;

use SupplierClient\Store\StoreException;

/**
 * Sends one command to Redis, as it is: no key prefix, no serializer, whatever the client is set to.
 *
 * @internal
 */
interface Link
{
    /**
     * @param list<string> $command
     * @param int $patienceMs for everything, connecting included
     * @return mixed null, an integer, a text or a list of these
     * @throws StoreException if there is no answer
     * @throws ErrorReply if Redis refuses the command
     */
    public function command(array $command, int $patienceMs): mixed;
}
