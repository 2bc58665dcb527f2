<?php

declare(strict_types=1);

namespace SupplierClient;

/**
 * What one call asks for beside its request.
 */
final class Options
{
    public function __construct(
        /** Name of an entry of the profile's `operations`. It also stands in the journal, where the path does not. */
        public readonly ?string $operation = null,
        /**
         * Makes an unsafe request safe to repeat. It must come from a stable identity of the work (an order
         * number), never from a clock or a random number.
         */
        public readonly ?string $idempotencyKey = null,
        /** Milliseconds for the whole call, waits included; the profile's `deadline_ms` when null. */
        public readonly ?int $deadlineMs = null,
        /** The longest single wait to accept. 0: never sleep, fail with `wait-too-long` and say how long it would have been. */
        public readonly ?int $maxWaitMs = null,
    ) {}

    /** What is not said here is as in the other. */
    public function or(self $other): self
    {
        return new self(
            $this->operation ?? $other->operation,
            $this->idempotencyKey ?? $other->idempotencyKey,
            $this->deadlineMs ?? $other->deadlineMs,
            $this->maxWaitMs ?? $other->maxWaitMs,
        );
    }
}
