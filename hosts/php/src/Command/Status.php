<?php

declare(strict_types=1);

namespace SupplierClient\Command;

use SupplierClient\Wasm\Installation;
use SupplierClient\Wasm\Library;
use SupplierClient\Wasm\Runtime;

/**
 * What is installed, and what PHP-FPM needs.
 *
 * @internal
 */
final class Status
{
    public static function run(): string
    {
        $installation = Installation::find();
        $component = $installation->component();
        $compiled = $installation->compiled($component);
        $library = Library::loadChecked($installation->library());
        Runtime::open($installation);

        return sprintf(
            "libwasmtime   %s (version %d)\ncomponent     %s\nprecompiled   %s\n\n%s",
            $library->path,
            Library::MAJOR,
            $component,
            $compiled === null ? 'no: compiled in every process, which takes a good part of a second; run "supplier-client install"' : realpath($compiled),
            self::fpm(),
        );
    }

    public static function fpm(): string
    {
        $preload = realpath(__DIR__ . '/../../preload.php');

        return <<<TEXT
            The command line needs no further settings. PHP-FPM does, since PHP lets only preloaded code use FFI there
            (ffi.enable=preload is the default). Either, which is the better way, in php.ini:

                opcache.enable=1
                opcache.preload=$preload
                opcache.preload_user=www-data

            (an application with a preload file of its own writes "require '$preload';" in it), or, if every
            script of the pool may use FFI, in the pool's configuration:

                php_admin_value[ffi.enable]=true

            TEXT;
    }
}
