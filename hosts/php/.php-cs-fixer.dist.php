<?php

declare(strict_types=1);

return (new PhpCsFixer\Config())
    ->setRules([
        '@PER-CS2.0' => true,
        'declare_strict_types' => true,
        'no_unused_imports' => true,
        'ordered_imports' => true,
        'strict_comparison' => true,
        'strict_param' => true,
    ])
    ->setRiskyAllowed(true)
    ->setCacheFile(__DIR__ . '/../../target/php/php-cs-fixer.cache')
    ->setFinder(PhpCsFixer\Finder::create()->in(__DIR__)->exclude(['vendor', 'var'])->append([__DIR__ . '/bin/supplier-client']));
