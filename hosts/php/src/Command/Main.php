<?php

declare(strict_types=1);

namespace SupplierClient\Command;

use InvalidArgumentException;
use SupplierClient\Exception\SetupException;

/**
 * `vendor/bin/supplier-client`.
 *
 * @internal
 */
final class Main
{
    private const USAGE = <<<'TEXT'
        supplier-client install [--library PATH]   precompile the component for this machine and remember where libwasmtime is
        supplier-client status                     say what is installed, and what PHP-FPM needs

        The library is wasmtime's C API (libwasmtime.so) in version 50.x. Nothing is downloaded: without --library it is
        looked for in SUPPLIER_WASMTIME and where libraries usually are. What is made goes into the package's folder var/,
        or where SUPPLIER_CLIENT_HOME points (set it at run time, too).

        TEXT;

    /** @param list<string> $arguments */
    public static function run(array $arguments): int
    {
        try {
            return match (array_shift($arguments)) {
                'install' => self::say(Install::run(self::library($arguments))),
                'status' => self::say(Status::run()),
                'help', '--help', '-h' => self::say(self::USAGE),
                default => throw new InvalidArgumentException('say "install" or "status"'),
            };
        } catch (InvalidArgumentException $error) {
            fwrite(STDERR, "supplier-client: {$error->getMessage()}\n\n" . self::USAGE);

            return 2;
        } catch (SetupException $error) {
            fwrite(STDERR, "supplier-client: {$error->getMessage()}\n");

            return 1;
        }
    }

    /** @param list<string> $arguments */
    private static function library(array $arguments): ?string
    {
        if ($arguments === []) {
            return null;
        }
        if (count($arguments) === 1 && str_starts_with($arguments[0], '--library=')) {
            return substr($arguments[0], strlen('--library='));
        }
        if (count($arguments) === 2 && $arguments[0] === '--library') {
            return $arguments[1];
        }
        throw new InvalidArgumentException('"install" knows --library PATH and nothing else');
    }

    private static function say(string $text): int
    {
        echo $text;

        return 0;
    }
}
