<?php

declare(strict_types=1);

namespace SupplierClient\Engine;

/**
 * What the engine wants next.
 *
 * @internal
 */
final class Action
{
    /** @param array<string, mixed> $detail by step, see schemas/detail.schema.json */
    public function __construct(
        public readonly Step $step,
        public readonly int $ms,
        public readonly array $detail,
        public readonly string $body,
    ) {}
}
