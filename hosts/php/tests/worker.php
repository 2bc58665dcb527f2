<?php

declare(strict_types=1);

/**
 * One worker of several: sends orders, and prints how many of its attempts were refused with 429.
 *
 *     php worker.php URL NAME ORDERS [REDIS]
 *
 * With the address of a Redis it shares the budget that stands there.
 */

use SupplierClient\Options;
use SupplierClient\Request;
use SupplierClient\Store\RedisStore;
use SupplierClient\SupplierClient;

require __DIR__ . '/autoload.php';

[, $url, $name, $orders] = $argv;
$redis = $argv[4] ?? null;
$client = SupplierClient::open(
    __DIR__ . '/acme.json',
    ['signing-secret' => 'test_secret_a'],
    ['base_url' => $url, 'budget' => ['shared' => $redis !== null, 'patience_ms' => 5000], 'retry' => ['max_attempts' => 10]],
    store: $redis === null ? null : new RedisStore($redis),
);
$refused = 0;
for ($i = 0; $i < (int) $orders; $i++) {
    $reply = $client->send(Request::json('POST', '/orders', ['worker' => $name, 'number' => $i]), new Options(idempotencyKey: "$name-$i", deadlineMs: 60_000));
    if (!$reply->isOk() || in_array('store-unavailable', array_column($reply->journal['notes'] ?? [], 'code'), true)) {
        exit("order $i: {$reply->status()} " . json_encode($reply->journal) . "\n");
    }
    $refused += count(array_filter($reply->journal['attempts'], static fn(array $attempt): bool => $attempt['status'] === 429));
}
echo "$refused refused\n";
