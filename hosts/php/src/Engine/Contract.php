<?php

declare(strict_types=1);

namespace SupplierClient\Engine;

use SupplierClient\Wasm\Type;

/**
 * The interface `engine` of wit/supplier.wit: the parameters of its functions.
 *
 * @internal
 */
final class Contract
{
    public const INTERFACE = 'supplier:client/engine@0.1.0';

    /** @return array<string, list<Type>> */
    public static function signatures(): array
    {
        $credentials = Type::list(Type::record(name: Type::string(), value: Type::string()));
        $now = [Type::f64(), Type::f64()];
        $self = Type::resource();
        $text = Type::string();
        $body = [Type::string(), Type::bool()];

        return [
            '[static]supplier.open' => [$text, Type::option($text), $credentials],
            '[method]supplier.set-credentials' => [$self, $credentials],
            '[method]supplier.begin' => [$self, $text, ...$body, $text],
            '[method]supplier.health' => [$self],
            '[method]supplier.explain' => [$self, $text, ...$body, ...$now],
            '[method]call.go' => [$self, ...$now],
            '[method]call.answered' => [$self, Type::u16(), $text, ...$body, ...$now],
            '[method]call.broke' => [$self, Type::enum(), $text, Type::option(Type::u16()), $text, ...$now],
            '[method]call.stored' => [$self, Type::bool(), Type::option($text), ...$now],
            '[method]call.store-failed' => [$self, $text, ...$now],
            '[method]call.cancel' => [$self, ...$now],
        ];
    }
}
