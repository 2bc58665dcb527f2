<?php

declare(strict_types=1);

/**
 * One of many workers that share a supplier's limit: it opens the supplier with the first line of its
 * standard input, and sends each further line as one request. Answers each with a line of JSON.
 *
 * first line   {"profile", "overrides", "credentials", "redis": "redis://..." | null, "folder": "..." | null}
 * other lines  {"method", "target", "body", "idempotency_key"}
 */

use SupplierClient\Exception\CallFailed;
use SupplierClient\Options;
use SupplierClient\Request;
use SupplierClient\Store\FileStore;
use SupplierClient\Store\RedisStore;
use SupplierClient\SupplierClient;

require __DIR__ . '/../tests/autoload.php';

$first = json_decode((string) fgets(STDIN), true, flags: JSON_THROW_ON_ERROR);
$store = match (true) {
    $first['redis'] !== null => new RedisStore($first['redis']),
    $first['folder'] !== null => new FileStore($first['folder']),
    default => null,
};
$client = SupplierClient::open($first['profile'], $first['credentials'], $first['overrides'], store: $store);
say(['ready' => true]);
while (($line = fgets(STDIN)) !== false) {
    $order = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    try {
        $reply = $client->send(
            new Request($order['method'], $order['target'], body: $order['body']),
            new Options(idempotencyKey: $order['idempotency_key']),
        );
        say(['verdict' => $reply->verdict, 'status' => $reply->status(), 'journal' => $reply->journal]);
    } catch (CallFailed $failure) {
        say(['failure' => "{$failure->kind->value} {$failure->reason}: {$failure->getMessage()}", 'journal' => $failure->journal]);
    }
}

function say(array $answer): void
{
    fwrite(STDOUT, json_encode($answer, JSON_THROW_ON_ERROR) . "\n");
    fflush(STDOUT);
}
