<?php

declare(strict_types=1);

/**
 * A script for PHP-FPM: one call, printed as JSON. The query names the supplier, and the store.
 */

use SupplierClient\Store\ApcuStore;
use SupplierClient\Store\MemoryStore;
use SupplierClient\SupplierClient;

require __DIR__ . '/autoload.php';

try {
    $store = match ($_GET['store'] ?? null) {
        null => null,
        'memory' => new MemoryStore(),
        'apcu' => new ApcuStore(),
    };
    $overrides = ['base_url' => $_GET['url'], 'budget' => ['shared' => $store instanceof ApcuStore]];
    $client = SupplierClient::open(__DIR__ . '/acme.json', ['signing-secret' => 'test_secret_a'], $overrides, store: $store);
    $reply = $client->send('/x');
    $answer = ['status' => $reply->status(), 'notes' => array_column($reply->journal['notes'] ?? [], 'code')];
} catch (Throwable $error) {
    $answer = ['error' => $error::class, 'message' => $error->getMessage(), 'reason' => $error->reason ?? null];
}
echo json_encode($answer);
