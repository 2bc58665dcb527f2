<?php

declare(strict_types=1);

/**
 * A script for PHP-FPM: one call, printed as JSON. The query names the supplier, and the store.
 */

use SupplierClient\Options;
use SupplierClient\Store\MemoryStore;
use SupplierClient\SupplierClient;

require __DIR__ . '/autoload.php';

try {
    $client = SupplierClient::open(__DIR__ . '/acme.json', ['signing-secret' => 'test_secret_a'], ['base_url' => $_GET['url']], store: isset($_GET['store']) ? new MemoryStore() : null);
    $answer = ['status' => $client->with(new Options(operation: null))->send('/x')->status()];
} catch (Throwable $error) {
    $answer = ['error' => $error::class, 'message' => $error->getMessage(), 'reason' => $error->reason ?? null];
}
echo json_encode($answer);
