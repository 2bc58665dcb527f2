<?php

declare(strict_types=1);

namespace SupplierClient\Command;

use SupplierClient\Exception\SetupException;
use SupplierClient\Wasm\Installation;
use SupplierClient\Wasm\Library;
use SupplierClient\Wasm\Runtime;

/**
 * Checks the library's version, compiles the component and writes both down. Machine code depends on
 * wasmtime's version and on the processor, so it is made here and never shipped.
 *
 * @internal
 */
final class Install
{
    public static function run(?string $path): string
    {
        $installation = new Installation(Installation::folder());
        $path ??= $installation->library();
        $path = realpath($path) ?: $path;
        $library = Library::loadChecked($path);
        $component = $installation->component();
        $code = Runtime::compile($library, $component)->serialize();
        $compiled = $installation->compiledName($component);

        self::write($compiled, $code);
        $settings = ['library' => $path, 'compiled' => basename($compiled)];
        self::write(Installation::folder() . '/install.php', '<?php return ' . var_export($settings, true) . ";\n");

        return sprintf(
            "libwasmtime   %s (version %d)\ncomponent     %s (%d KB)\nprecompiled   %s (%d KB)\n\n%s",
            $path,
            Library::MAJOR,
            $component,
            intdiv((int) filesize($component) + 999, 1000),
            realpath($compiled),
            intdiv(strlen($code) + 999, 1000),
            Status::fpm(),
        );
    }

    /** All or nothing: a worker may be reading the old file. */
    private static function write(string $file, string $content): void
    {
        $folder = dirname($file);
        if (!is_dir($folder) && !@mkdir($folder, 0o755, true) && !is_dir($folder)) {
            throw new SetupException("The folder $folder cannot be made. Run this as somebody who may, or set SUPPLIER_CLIENT_HOME.");
        }
        $draft = "$file." . (int) getmypid();
        if (@file_put_contents($draft, $content) !== strlen($content) || !rename($draft, $file)) {
            throw new SetupException("$file cannot be written. Run this as somebody who may, or set SUPPLIER_CLIENT_HOME.");
        }
    }
}
