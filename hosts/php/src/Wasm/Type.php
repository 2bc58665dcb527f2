<?php

declare(strict_types=1);

namespace SupplierClient\Wasm;

/**
 * Types of the component model, as far as values have to be written. Reading needs none: values
 * that come back say what they are.
 *
 * @internal
 */
final class Type
{
    /** @var array<int, self> */
    private static array $plain = [];

    /**
     * @param int $kind of {@see Values}
     * @param array<int|string, ?Type> $parts of a record by name, of a tuple in order, of a variant by case
     */
    private function __construct(
        public readonly int $kind,
        public readonly ?self $inner = null,
        public readonly array $parts = [],
    ) {}

    public static function bool(): self
    {
        return self::$plain[Values::BOOL] ??= new self(Values::BOOL);
    }

    public static function u16(): self
    {
        return self::$plain[Values::U16] ??= new self(Values::U16);
    }

    public static function u32(): self
    {
        return self::$plain[Values::U32] ??= new self(Values::U32);
    }

    public static function f64(): self
    {
        return self::$plain[Values::F64] ??= new self(Values::F64);
    }

    public static function string(): self
    {
        return self::$plain[Values::STRING] ??= new self(Values::STRING);
    }

    public static function enum(): self
    {
        return self::$plain[Values::ENUM] ??= new self(Values::ENUM);
    }

    public static function resource(): self
    {
        return self::$plain[Values::RESOURCE] ??= new self(Values::RESOURCE);
    }

    public static function option(self $some): self
    {
        return new self(Values::OPTION, $some);
    }

    public static function list(self $of): self
    {
        return new self(Values::LIST, $of);
    }

    public static function tuple(self ...$parts): self
    {
        return new self(Values::TUPLE, parts: array_values($parts));
    }

    public static function record(self ...$fields): self
    {
        return new self(Values::RECORD, parts: $fields);
    }

    /** A value is a pair of case and payload. */
    public static function variant(?self ...$cases): self
    {
        return new self(Values::VARIANT, parts: $cases);
    }
}
