<?php

declare(strict_types=1);

namespace SupplierClient\Transport;

use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\StreamFactoryInterface;

/**
 * PSR-7 messages of a transport.
 *
 * @internal
 */
final class Messages
{
    /** Null if the implementation would write another target than the one that was signed. */
    public static function request(Outgoing $request, RequestFactoryInterface&StreamFactoryInterface $factory): ?RequestInterface
    {
        $message = $factory->createRequest($request->method, $request->url);
        $uri = $message->getUri();
        if ($uri->getPath() . ($uri->getQuery() === '' ? '' : '?' . $uri->getQuery()) !== $request->target()) {
            return null;
        }
        foreach ($request->headers as [$name, $value]) {
            $message = $message->withAddedHeader($name, $value);
        }

        return $request->body === '' ? $message : $message->withBody($factory->createStream($request->body));
    }

    /** @return list<array{string, string}> */
    public static function headers(ResponseInterface $response): array
    {
        $headers = [];
        foreach ($response->getHeaders() as $name => $values) {
            foreach ($values as $value) {
                $headers[] = [(string) $name, $value];
            }
        }

        return $headers;
    }

    /** @param list<array{string, string}> $headers */
    public static function headerBytes(array $headers): int
    {
        $bytes = 0;
        foreach ($headers as [$name, $value]) {
            $bytes += strlen($name) + strlen($value);
        }

        return $bytes;
    }

    /**
     * A body that was read as far as the cap and one byte on.
     *
     * @param list<array{string, string}> $headers
     */
    public static function result(Outgoing $request, int $status, array $headers, string $body): Answered|Broke
    {
        $cap = $status >= 400 ? $request->errorBodyBytes : $request->bodyBytes;
        if (strlen($body) > $cap) {
            return $status >= 400
                ? new Answered($status, $headers, substr($body, 0, $cap))
                : new Broke(Phase::TooLarge, 'http-response-body-size', '', $status, $headers);
        }
        if (strlen($body) < self::promised($request->method, $status, $headers)) {
            return new Broke(Phase::MaybeSent, 'http-response-incomplete', '', $status, $headers);
        }

        return new Answered($status, $headers, $body);
    }

    /** @param list<array{string, string}> $headers */
    private static function promised(string $method, int $status, array $headers): int
    {
        if ($method === 'HEAD' || $status === 204 || $status === 304) {
            return 0;
        }
        foreach ($headers as [$name, $value]) {
            if (strcasecmp($name, 'Content-Length') === 0 && ctype_digit($value)) {
                return (int) $value;
            }
        }

        return 0;
    }
}
