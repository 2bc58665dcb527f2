<?php

declare(strict_types=1);

namespace SupplierClient\Transport;

/**
 * No complete response arrived.
 */
final class Broke
{
    /**
     * @param list<array{string, string}> $headers if they had arrived, with the status
     */
    public function __construct(
        public readonly Phase $phase,
        /** A wasi:http error code in lower case (`connection-refused`), or another short name without spaces. */
        public readonly string $code,
        /** In the host's own words; stands in the journal. Must not hold a path, query or secret. */
        public readonly string $detail = '',
        public readonly ?int $status = null,
        public readonly array $headers = [],
    ) {}
}
