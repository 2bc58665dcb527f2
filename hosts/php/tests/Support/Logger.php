<?php

declare(strict_types=1);

namespace SupplierClient\Tests\Support;

use Psr\Log\AbstractLogger;

final class Logger extends AbstractLogger
{
    /** @var list<array{string, string, array<mixed>}> */
    public array $records = [];

    public function log($level, $message, array $context = []): void
    {
        $this->records[] = [(string) $level, (string) $message, $context];
    }
}
