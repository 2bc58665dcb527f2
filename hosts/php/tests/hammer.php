<?php

declare(strict_types=1);

/**
 * Many processes that change one text at once, as fast as they can:
 *
 *     php hammer.php 'return new FileStore("budgets");' PROCESSES CHANGES
 *
 * Each counts the text up by one CHANGES times, by compare-and-swap. Prints the text at the end: one lost
 * update, and it is less than the product. The code is run before the processes part.
 */

use SupplierClient\Store\StoreException;

require __DIR__ . '/autoload.php';

const KEY = 'sc1:acme:127.0.0.1:8080:default:requests';
const PATIENCE_MS = 20_000;

[, $code, $processes, $changes] = $argv;
$make = static fn(): mixed => eval('use SupplierClient\Store\{ApcuStore, FileStore, RedisStore};' . $code);
$store = $make();
$children = [];
for ($i = 0; $i < (int) $processes; $i++) {
    $child = pcntl_fork();
    if ($child === 0) {
        try {
            for ($done = 0; $done < (int) $changes;) {
                $current = $store->load(KEY, PATIENCE_MS);
                $swap = $store->compareAndSwap(KEY, $current, (string) ((int) $current + 1), 60_000, PATIENCE_MS);
                $done += $swap->won ? 1 : 0;
            }
            exit(0);
        } catch (StoreException $error) {
            fwrite(STDERR, $error->getMessage() . "\n");
            exit(1);
        }
    }
    $children[] = $child;
}
$failed = 0;
foreach ($children as $child) {
    pcntl_waitpid($child, $status);
    $failed += pcntl_wexitstatus($status) === 0 && !pcntl_wifsignaled($status) ? 0 : 1;
}
echo $failed === 0 ? $store->load(KEY, PATIENCE_MS) : "$failed processes failed", "\n";
