<?php

declare(strict_types=1);

namespace SupplierClient;

/**
 * One page of a list.
 */
final class Page
{
    /**
     * @param list<array{string, string}> $headers
     * @param array<string, mixed> $journal
     */
    public function __construct(
        /** JSON array, cut out of the body unchanged: numbers keep their digits and objects their key order. */
        public readonly string $json,
        public readonly int $count,
        /**
         * Where to go on, now or in next week's job: an opaque text for `page()`, `pages()` or `items()`.
         * Null at the end of the list.
         */
        public readonly ?string $next,
        /** Headers of the response that brought the page. */
        public readonly array $headers,
        /** Every attempt and every wait of the call, see schemas/journal.schema.json. */
        public readonly array $journal,
    ) {}

    /**
     * The items: objects as arrays, integers that do not fit as strings.
     *
     * @return list<mixed>
     */
    public function items(): array
    {
        return json_decode($this->json, true, flags: JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
    }
}
