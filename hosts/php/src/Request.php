<?php

declare(strict_types=1);

namespace SupplierClient;

use InvalidArgumentException;
use Psr\Http\Message\RequestInterface;
use Stringable;

/**
 * One request, as the caller means it: what the profile adds (authentication, signature, idempotency
 * header, cursor) is not in it. A PSR-7 request can be used in its place.
 *
 *     new Request('GET', '/consignments', query: ['limit' => 100]);
 *     Request::json('POST', '/orders', ['sku' => 'A-1', 'quantity' => 2]);
 */
final class Request
{
    /** @var list<array{string, string}> unencoded pairs */
    public readonly array $query;

    /** @var list<array{string, string}> in wire order */
    public readonly array $headers;

    /**
     * @param string $target path below the profile's `base_url`, starting with `/`, already percent-encoded;
     *     it may hold an encoded query
     * @param array<string, string|int|float|bool|Stringable|list<string|int|float|bool|Stringable>>|list<array{string, string}> $query
     *     unencoded, by name (a list repeats it), or a list of pairs
     * @param array<string, string|list<string>>|list<array{string, string}> $headers by name (a list repeats it), or a
     *     list of pairs
     */
    public function __construct(
        public readonly string $method,
        public readonly string $target,
        array $query = [],
        array $headers = [],
        public readonly string $body = '',
    ) {
        $this->query = self::pairs($query);
        $this->headers = self::pairs($headers);
    }

    /**
     * A request with a JSON body.
     *
     * @param array<string, string|int|float|bool|Stringable|list<string|int|float|bool|Stringable>> $query
     * @param array<string, string|list<string>> $headers
     */
    public static function json(string $method, string $target, mixed $data, array $query = [], array $headers = []): self
    {
        $body = json_encode($data, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_PRESERVE_ZERO_FRACTION);

        return new self($method, $target, $query, $headers + ['Content-Type' => 'application/json'], $body);
    }

    /** As PSR-7, with the URI relative to the profile's `base_url`. */
    public function psr(): RequestInterface
    {
        $query = implode('&', array_map(
            static fn(array $pair): string => rawurlencode($pair[0]) . '=' . rawurlencode($pair[1]),
            $this->query,
        ));
        $separator = str_contains($this->target, '?') ? '&' : '?';
        $factory = Psr17::find();
        $request = $factory->createRequest($this->method, $this->target . ($query === '' ? '' : $separator . $query));
        foreach ($this->headers as [$name, $value]) {
            $request = $request->withAddedHeader($name, $value);
        }

        return $request->withBody($factory->createStream($this->body));
    }

    /**
     * @param array<int|string, mixed> $given
     * @return list<array{string, string}>
     */
    private static function pairs(array $given): array
    {
        $pairs = [];
        foreach ($given as $name => $values) {
            if (is_int($name) && is_array($values) && count($values) === 2) {
                [$name, $values] = array_values($values);
            }
            foreach (is_array($values) ? $values : [$values] as $value) {
                $pairs[] = [(string) $name, self::text($value)];
            }
        }

        return $pairs;
    }

    private static function text(mixed $value): string
    {
        return match (true) {
            is_string($value) => $value,
            is_bool($value) => $value ? 'true' : 'false',
            is_int($value), is_float($value), $value instanceof Stringable => (string) $value,
            default => throw new InvalidArgumentException('Values of a query or of headers are strings, numbers, booleans or lists of them, not ' . get_debug_type($value) . '.'),
        };
    }
}
