<?php

declare(strict_types=1);

namespace SupplierClient\Store\Redis;

use RuntimeException;

/**
 * Redis is there and said `-ERR ...`.
 *
 * @internal
 */
final class ErrorReply extends RuntimeException
{
    public function isMissingScript(): bool
    {
        return str_starts_with($this->getMessage(), 'NOSCRIPT');
    }
}
