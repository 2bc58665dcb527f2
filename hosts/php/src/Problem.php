<?php

declare(strict_types=1);

namespace SupplierClient;

/**
 * One mistake in a profile, its overrides or a credential.
 */
final class Problem
{
    public function __construct(
        /** JSON Pointer into the profile with its overrides applied; empty for the whole document. */
        public readonly string $pointer,
        /** `unknown-key`, `missing`, `out-of-range`, `unknown-credential`, ... */
        public readonly string $code,
        /** What is wrong and what to write instead. Never quotes a credential. */
        public readonly string $message,
    ) {}

    public function __toString(): string
    {
        return ($this->pointer === '' ? '' : "$this->pointer: ") . $this->message;
    }
}
