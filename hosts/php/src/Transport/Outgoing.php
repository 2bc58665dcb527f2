<?php

declare(strict_types=1);

namespace SupplierClient\Transport;

/**
 * A signed request, and how to read what comes back.
 */
final class Outgoing
{
    /**
     * @param list<array{string, string}> $headers all but Host and Content-Length
     */
    public function __construct(
        public readonly string $method,
        /** Absolute; its path and query go out untouched. */
        public readonly string $url,
        public readonly array $headers,
        public readonly string $body,
        /** For the whole exchange. */
        public readonly int $timeoutMs,
        /** Of a response below 400; a longer one is `too-large`. */
        public readonly int $bodyBytes,
        /** Of a response from 400 on; a longer one is cut there. */
        public readonly int $errorBodyBytes,
        /** Names and values together. */
        public readonly int $headerBytes,
        /** Whether a second copy would do no harm: a safe or idempotent method, or an idempotency key. */
        public readonly bool $repeatable,
    ) {}

    /** Scheme and authority. */
    public function origin(): string
    {
        return substr($this->url, 0, $this->targetAt());
    }

    /** Path and query. */
    public function target(): string
    {
        return substr($this->url, $this->targetAt());
    }

    private function targetAt(): int
    {
        // The engine's URLs are `scheme://authority/...`.
        return (int) strpos($this->url, '/', (int) strpos($this->url, '//') + 2);
    }
}
