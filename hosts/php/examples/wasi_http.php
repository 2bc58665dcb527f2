<?php

declare(strict_types=1);

/**
 * The other component, supplier_client.wasm: it does its own HTTP over wasi:http, which libwasmtime
 * provides. Use SupplierClient instead wherever you can. The limits of this way:
 *
 * - a new connection, and a new TLS handshake, for every request;
 * - HTTP/1.1 only, certificates of public authorities only: no private CA, no client certificate, no
 *   proxy;
 * - a call blocks inside the component: signals wait until it returns, and only its deadline ends it;
 * - no shared budget, so pacing ends with this process; it does not survive a fork;
 * - byte lists cost 32 bytes a byte here, so binary bodies are slow;
 * - the classes below are internal to this package and may change in any version.
 *
 *     php wasi_http.php http://127.0.0.1:8080/v2
 */

use SupplierClient\Wasm\Installation;
use SupplierClient\Wasm\Instance;
use SupplierClient\Wasm\Library;
use SupplierClient\Wasm\Runtime;
use SupplierClient\Wasm\Type;

require is_file(__DIR__ . '/vendor/autoload.php') ? __DIR__ . '/vendor/autoload.php' : __DIR__ . '/../tests/autoload.php';

$installation = Installation::find(Installation::CLIENT);
$runtime = Runtime::compile(Library::loadChecked($installation->library()), $installation->component());

$pairs = Type::list(Type::tuple(Type::string(), Type::string()));
$request = Type::record(...[
    'method' => Type::string(),
    'target' => Type::string(),
    'query' => $pairs,
    'headers' => $pairs,
    'body' => Type::variant(text: Type::string()),
    'operation' => Type::option(Type::string()),
    'idempotency-key' => Type::option(Type::string()),
    'deadline-ms' => Type::option(Type::u32()),
    'max-wait-ms' => Type::option(Type::u32()),
]);
$client = new Instance($runtime, 'supplier:client/client@0.1.0', [
    '[static]supplier.open' => [Type::string(), Type::option(Type::string()), Type::list(Type::record(name: Type::string(), value: Type::string()))],
    '[method]supplier.page' => [Type::resource(), $request, Type::option(Type::string())],
], http: true);

[$ok, $supplier] = $client->call('[static]supplier.open', [
    (string) file_get_contents($argv[2] ?? __DIR__ . '/../tests/acme.json'),
    json_encode(['base_url' => $argv[1]]),
    [['name' => 'signing-secret', 'value' => 'test_secret_a']],
]);
if (!$ok) {
    exit(json_encode($supplier, JSON_PRETTY_PRINT) . "\n");
}

[$ok, $page] = $client->call('[method]supplier.page', [$supplier, [
    'method' => 'GET',
    'target' => '/consignments',
    'query' => [['limit', '3']],
    'headers' => [],
    'body' => ['text', ''],
    'operation' => null,
    'idempotency-key' => null,
    'deadline-ms' => 10_000,
    'max-wait-ms' => null,
], null]);
$client->drop($supplier);
echo $ok ? "{$page['count']} consignments: {$page['items']}\n" : "{$page['kind']} {$page['code']}: {$page['message']}\n";
exit($ok ? 0 : 1);
