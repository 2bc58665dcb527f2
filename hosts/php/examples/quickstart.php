<?php

declare(strict_types=1);

/**
 * Items and an order from the demo supplier.
 *
 *     php quickstart.php http://127.0.0.1:8080/v2
 */

use SupplierClient\Exception\Throttled;
use SupplierClient\Exception\UnknownOutcome;
use SupplierClient\Options;
use SupplierClient\Request;
use SupplierClient\SupplierClient;

require is_file(__DIR__ . '/vendor/autoload.php') ? __DIR__ . '/vendor/autoload.php' : __DIR__ . '/../tests/autoload.php';

$profile = <<<'JSON'
    {
      "profile": 1,
      "supplier": "acme-freight",
      "base_url": "https://api.supplier.test/v2",
      "headers": { "User-Agent": "acme-shop/1.0" },
      "signing": {
        "string_to_sign": ["{timestamp}", ".", "{body}"],
        "algorithm": "hmac-sha256",
        "key": { "credentials": ["signing-secret"], "decode": "utf8" },
        "headers": { "X-Signature": "t={timestamp},{signatures}" },
        "signatures": { "each": "v1={signature}", "join": "," }
      },
      "limits": [
        { "reader": "fields", "name": "requests", "limit": "X-RateLimit-Limit", "remaining": "X-RateLimit-Remaining",
          "reset": "X-RateLimit-Reset", "reset_unit": "epoch-s" }
      ],
      "idempotency": { "header": "Idempotency-Key" },
      "pages": { "items": "/items", "cursor": { "body": "/next" }, "send_as": { "query": "cursor" } }
    }
    JSON;

$acme = SupplierClient::open($profile, ['signing-secret' => getenv('ACME_SECRET') ?: 'test_secret_a'], ['base_url' => $argv[1]]);

$count = 0;
foreach ($acme->items(new Request('GET', '/consignments', query: ['limit' => 100])) as $consignment) {
    $first ??= $consignment;
    if (++$count === 250) {
        break;
    }
}
echo "$count consignments, the first is ", json_encode($first), "\n";

try {
    $reply = $acme->send(Request::json('POST', '/orders', ['sku' => 'A-1', 'quantity' => 2]), new Options(idempotencyKey: 'order-1047'));
    echo "order: {$reply->status()} {$reply->verdict}\n";
} catch (Throttled $limit) {
    echo "come back in {$limit->retryAfterMs} ms\n";
} catch (UnknownOutcome $unknown) {
    echo "look at the order before sending it again: {$unknown->getMessage()}\n";
}
