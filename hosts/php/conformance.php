<?php

declare(strict_types=1);

/**
 * Conformance worker: one JSON job a line on standard input, one JSON result a line on standard output.
 */

use SupplierClient\Engine\Text;
use SupplierClient\Exception\CallFailed;
use SupplierClient\Exception\ProfileException;
use SupplierClient\Options;
use SupplierClient\Page;
use SupplierClient\Reply;
use SupplierClient\Request;
use SupplierClient\Response;
use SupplierClient\Store\MemoryStore;
use SupplierClient\SupplierClient;

require __DIR__ . '/tests/autoload.php';

while (($line = fgets(STDIN)) !== false) {
    if (trim($line) === '') {
        continue;
    }
    fwrite(STDOUT, json(job(json_decode($line, true, flags: JSON_THROW_ON_ERROR))) . "\n");
    fflush(STDOUT);
}

function job(array $job): array
{
    try {
        $client = SupplierClient::open($job['profile'], $job['credentials'] ?? [], $job['overrides'] ?? null, store: new MemoryStore());
    } catch (ProfileException $error) {
        return ['id' => $job['id'], 'problems' => $error->problems];
    }
    $results = [];
    $next = null;
    foreach ($job['calls'] ?? [] as $call) {
        $results[] = call($client, $call, $next);
    }

    return ['id' => $job['id'], 'results' => $results, 'health' => objects($client->health())];
}

/** @param string|null $next of the last page */
function call(SupplierClient $client, array $call, ?string &$next): array
{
    try {
        if (isset($call['send'])) {
            return ['reply' => reply($client->send(...request($call['send'])))];
        }
        if (isset($call['page'])) {
            [$request, $options] = request($call['page']);
            $position = $call['position'] ?? null;
            $page = $client->page($request, $position === 'next' ? $next : $position, $options);
            $next = $page->next;

            return ['page' => page($page)];
        }

        return ['walk' => walk($client, ...request($call['walk']), most: $call['pages'] ?? PHP_INT_MAX)];
    } catch (CallFailed $failure) {
        return ['failure' => failure($failure)];
    }
}

function walk(SupplierClient $client, Request $request, Options $options, int $most): array
{
    $items = [];
    $pages = 0;
    $failure = null;
    $ended = false;
    try {
        $position = null;
        while (!$ended && $pages < $most) {
            $page = $client->page($request, $position, $options);
            $pages++;
            $inner = trim(substr(trim($page->json), 1, -1));
            if ($inner !== '') {
                $items[] = $inner;
            }
            $position = $page->next;
            $ended = $position === null;
        }
    } catch (CallFailed $error) {
        $failure = failure($error);
    }

    return ['items' => '[' . implode(',', $items) . ']', 'pages' => $pages, 'ended' => $ended, 'failure' => $failure];
}

/** @return array{Request, Options} */
function request(array $request): array
{
    $body = $request['body'] ?? [];

    return [
        new Request(
            $request['method'],
            $request['target'],
            $request['query'] ?? [],
            $request['headers'] ?? [],
            isset($body['base64']) ? (string) base64_decode($body['base64'], true) : $body['text'] ?? '',
        ),
        new Options($request['operation'] ?? null, $request['idempotency_key'] ?? null, $request['deadline_ms'] ?? null, $request['max_wait_ms'] ?? null),
    ];
}

function reply(Reply $reply): array
{
    return ['verdict' => $reply->verdict, 'status' => $reply->status()] + response($reply->response)
        + ['retry_after_ms' => $reply->retryAfterMs, 'journal' => $reply->journal];
}

function page(Page $page): array
{
    return ['items' => $page->json, 'count' => $page->count, 'next' => $page->next, 'journal' => $page->journal];
}

function failure(CallFailed $failure): array
{
    $response = $failure->response;

    return [
        'kind' => $failure->kind->value,
        'code' => $failure->reason,
        'message' => $failure->getMessage(),
        'retry_after_ms' => $failure->retryAfterMs,
        'status' => $failure->status,
        'response' => $response === null ? null : ['status' => $response->status] + response($response),
        'journal' => $failure->journal === [] ? new stdClass() : $failure->journal,
    ];
}

function response(Response $response): array
{
    [$text, $base64] = Text::carry($response->body);

    return ['headers' => $response->headers, 'body' => [$base64 ? 'base64' : 'text' => $text]];
}

/** Empty objects are empty arrays in PHP; as JSON, these are objects again. */
function objects(array $health): array
{
    foreach ($health as $key => $value) {
        if (is_array($value)) {
            $health[$key] = $value === [] ? new stdClass() : objects($value);
        }
    }

    return $health;
}

function json(array $value): string
{
    return json_encode($value, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_PRESERVE_ZERO_FRACTION);
}
