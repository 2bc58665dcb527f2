<?php

declare(strict_types=1);

namespace SupplierClient;

use SupplierClient\Exception\CallFailed;

/**
 * Who has to act when a call fails. Closed: match on it exhaustively.
 */
enum FailureKind: string
{
    case Invalid = 'invalid';
    case Denied = 'denied';
    case Throttled = 'throttled';
    case Unavailable = 'unavailable';
    case UnknownOutcome = 'unknown-outcome';
    case BadResponse = 'bad-response';
    case Cancelled = 'cancelled';
    case Internal = 'internal';

    /** @return class-string<CallFailed> */
    public function exception(): string
    {
        return match ($this) {
            self::Invalid => Exception\InvalidRequest::class,
            self::Denied => Exception\Denied::class,
            self::Throttled => Exception\Throttled::class,
            self::Unavailable => Exception\Unavailable::class,
            self::UnknownOutcome => Exception\UnknownOutcome::class,
            self::BadResponse => Exception\BadResponse::class,
            self::Cancelled => Exception\Cancelled::class,
            self::Internal => Exception\InternalFailure::class,
        };
    }
}
