<?php

declare(strict_types=1);

namespace SupplierClient;

/**
 * The response that ended a call: also a 4xx or a 5xx, if that is the supplier's last word.
 */
final class Reply
{
    /**
     * @param array<string, mixed> $journal
     */
    public function __construct(
        public readonly Response $response,
        /**
         * `ok` (2xx, 304), `redirect` (other 3xx, never followed), `forbidden` (403), `exhausted` (still to
         * be retried, but the attempts are spent), the `code` of the profile's rule that matched, or
         * `rejected` (whatever else).
         */
        public readonly string $verdict,
        /** What the supplier asked to wait before the next request; 0 is a number, null is none. */
        public readonly ?int $retryAfterMs,
        /** Every attempt and every wait of the call, see schemas/journal.schema.json. */
        public readonly array $journal,
    ) {}

    public function isOk(): bool
    {
        return $this->verdict === 'ok';
    }

    public function status(): int
    {
        return $this->response->status;
    }

    public function json(): mixed
    {
        return $this->response->json();
    }
}
