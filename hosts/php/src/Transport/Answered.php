<?php

declare(strict_types=1);

namespace SupplierClient\Transport;

/**
 * A complete response arrived (from 400 on, perhaps cut at the cap).
 */
final class Answered
{
    /**
     * @param list<array{string, string}> $headers in wire order, values as bytes
     */
    public function __construct(
        public readonly int $status,
        public readonly array $headers,
        public readonly string $body,
    ) {}
}
