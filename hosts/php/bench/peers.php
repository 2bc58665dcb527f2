<?php

declare(strict_types=1);

use GuzzleHttp\Client;
use GuzzleHttp\Handler\CurlHandler;
use GuzzleHttp\HandlerStack;
use GuzzleHttp\Middleware;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;
use SupplierClient\Options;
use SupplierClient\Request;
use SupplierClient\SupplierClient;

/**
 * @return array<string, array{post: callable(): void, page: callable(): void}>
 */
function peers(string $url): array
{
    $body = json_encode(['sku' => 'A-1', 'note' => str_repeat('x', 1000)], JSON_THROW_ON_ERROR);
    $sign = static fn(string $body): string => sprintf('t=%d,v1=%s', $time = time(), hash_hmac('sha256', "$time.$body", 'test_secret_a'));
    $key = static function (): string {
        static $number = 0;

        return getmypid() . '-' . ++$number;
    };

    return [
        'bare-curl' => lazily(static function () use ($url, $body, $sign, $key): array {
            $curl = curl_init();
            $send = static function (string $method, string $target, string $body) use ($curl, $url, $sign, $key): string {
                curl_setopt_array($curl, [
                    CURLOPT_URL => $url . $target,
                    CURLOPT_RETURNTRANSFER => true,
                    CURLOPT_CUSTOMREQUEST => $method,
                    CURLOPT_HTTPHEADER => ['User-Agent: acme-shop/1.0', 'Content-Type: application/json', 'Idempotency-Key: ' . $key(), 'X-Signature: ' . $sign($body)],
                ] + ($body === '' ? [CURLOPT_HTTPGET => true] : [CURLOPT_POSTFIELDS => $body]));
                $answer = curl_exec($curl);
                expect(curl_getinfo($curl, CURLINFO_RESPONSE_CODE), $method);

                return (string) $answer;
            };

            return [
                'post' => static fn() => $send('POST', '/orders', $body),
                'page' => static fn() => hundred(json_decode($send('GET', '/consignments?limit=100', ''), true)['items']),
            ];
        }),
        'guzzle' => lazily(static function () use ($url, $body, $sign, $key): array {
            $stack = HandlerStack::create(new CurlHandler());
            $stack->push(Middleware::retry(
                static fn(int $retries, RequestInterface $request, ?ResponseInterface $response): bool => $retries < 3 && in_array($response?->getStatusCode(), [429, 502, 503, 504], true),
                static fn(int $retries, ?ResponseInterface $response): int => (int) $response?->getHeaderLine('Retry-After') * 1000,
            ));
            $stack->push(Middleware::mapRequest(static fn(RequestInterface $request): RequestInterface => $request->withHeader('X-Signature', $sign((string) $request->getBody()))));
            $client = new Client(['handler' => $stack, 'http_errors' => false, 'headers' => ['User-Agent' => 'acme-shop/1.0']]);

            return [
                'post' => static function () use ($client, $url, $body, $key): void {
                    $response = $client->post("$url/orders", ['body' => $body, 'headers' => ['Content-Type' => 'application/json', 'Idempotency-Key' => $key()]]);
                    (string) $response->getBody();
                    expect($response->getStatusCode(), 'POST');
                },
                'page' => static fn() => hundred(json_decode((string) $client->get("$url/consignments?limit=100")->getBody(), true)['items']),
            ];
        }),
        'supplier-client' => lazily(static function () use ($url, $body, $key): array {
            $client = SupplierClient::open(__DIR__ . '/../tests/acme.json', ['signing-secret' => 'test_secret_a'], ['base_url' => $url]);
            $get = new Request('GET', '/consignments', ['limit' => 100]);

            return [
                'post' => static fn() => expect($client->send(new Request('POST', '/orders', headers: ['Content-Type' => 'application/json'], body: $body), new Options(idempotencyKey: $key()))->status(), 'POST'),
                'page' => static fn() => hundred($client->page($get)->items()),
            ];
        }),
        'supplier-client-unkeyed' => lazily(static function () use ($url, $body): array {
            $client = SupplierClient::open(__DIR__ . '/../tests/acme.json', ['signing-secret' => 'test_secret_a'], ['base_url' => $url]);

            return [
                'post' => static fn() => expect($client->send(new Request('POST', '/orders', headers: ['Content-Type' => 'application/json'], body: $body))->status(), 'POST'),
                'page' => static fn() => hundred($client->page(new Request('GET', '/consignments', ['limit' => 100]))->items()),
            ];
        }),
        'supplier-client-over-guzzle' => lazily(static function () use ($url, $body, $key): array {
            $client = SupplierClient::open(__DIR__ . '/../tests/acme.json', ['signing-secret' => 'test_secret_a'], ['base_url' => $url], new Client());
            $get = new Request('GET', '/consignments', ['limit' => 100]);

            return [
                'post' => static fn() => expect($client->send(new Request('POST', '/orders', headers: ['Content-Type' => 'application/json'], body: $body), new Options(idempotencyKey: $key()))->status(), 'POST'),
                'page' => static fn() => hundred($client->page($get)->items()),
            ];
        }),
    ];
}

/** Made at the first call, so that a cold start pays for one peer only. */
function lazily(callable $make): array
{
    $made = null;

    return [
        'post' => static function () use ($make, &$made): void {
            ($made ??= $make())['post']();
        },
        'page' => static function () use ($make, &$made): void {
            ($made ??= $make())['page']();
        },
    ];
}

function expect(int $status, string $method): void
{
    if ($status >= 300) {
        throw new RuntimeException("$method: $status");
    }
}

function hundred(array $items): void
{
    if (count($items) !== 100) {
        throw new RuntimeException(count($items) . ' items');
    }
}
