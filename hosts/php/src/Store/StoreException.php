<?php

declare(strict_types=1);

namespace SupplierClient\Store;

use RuntimeException;

/**
 * The store cannot be reached. The call goes on or fails, as the profile's `budget.store_failure` says.
 */
final class StoreException extends RuntimeException
{
    /** @param string $reason a short name without spaces: `store-unreachable`, `store-timeout` */
    public function __construct(public readonly string $reason, string $message = '')
    {
        parent::__construct($message === '' ? $reason : $message);
    }
}
