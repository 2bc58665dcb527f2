<?php

declare(strict_types=1);

namespace SupplierClient\Exception;

use SupplierClient\Problem;

/**
 * The profile, its overrides or a credential is wrong. Holds every mistake, not only the first.
 * Nothing was sent.
 */
final class ProfileException extends SupplierException
{
    /** @param list<Problem> $problems */
    public function __construct(public readonly array $problems)
    {
        $lines = array_map(static fn(Problem $problem): string => "\n- $problem", $problems);
        parent::__construct(sprintf(
            'The supplier profile has %s:%s',
            count($problems) === 1 ? 'a problem' : count($problems) . ' problems',
            implode('', $lines),
        ));
    }
}
