<?php

declare(strict_types=1);

/**
 * An autoloader for the tests and for scripts in a checkout: this package from src/, what it needs
 * from Composer's vendor folder if there is one, else from Debian's packages in /usr/share/php.
 */
$vendor = __DIR__ . '/../vendor/autoload.php';
if (is_file($vendor)) {
    require $vendor;
}

spl_autoload_register(static function (string $class): void {
    $roots = [
        'SupplierClient\\Tests\\' => __DIR__,
        'SupplierClient\\' => __DIR__ . '/../src',
        '' => '/usr/share/php',
    ];
    foreach ($roots as $prefix => $folder) {
        if (!str_starts_with($class, $prefix)) {
            continue;
        }
        $file = $folder . '/' . strtr(substr($class, strlen($prefix)), '\\', '/') . '.php';
        if (is_file($file)) {
            require $file;
            return;
        }
    }
});

foreach (['/usr/share/php/GuzzleHttp/functions_include.php', '/usr/share/php/GuzzleHttp/Promise/functions_include.php'] as $functions) {
    if (!is_file($vendor) && is_file($functions)) {
        require_once $functions;
    }
}
