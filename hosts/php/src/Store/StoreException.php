<?php

declare(strict_types=1);

namespace SupplierClient\Store;

use RuntimeException;
use Throwable;

/**
 * The store gives no answer, or none of use. The call goes on or fails, as the profile's
 * `budget.store_failure` says.
 */
final class StoreException extends RuntimeException
{
    /** @param string $reason a short name without spaces: `store-unreachable`, `store-timeout`, `store-error` */
    public function __construct(public readonly string $reason, string $message = '', ?Throwable $previous = null)
    {
        parent::__construct($message === '' ? $reason : $message, previous: $previous);
    }
}
