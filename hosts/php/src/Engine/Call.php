<?php

declare(strict_types=1);

namespace SupplierClient\Engine;

use Psr\Http\Message\RequestInterface;
use SupplierClient\Exception\InvalidRequest;
use SupplierClient\FailureKind;
use SupplierClient\Options;
use SupplierClient\Request;

/**
 * A request with its options, in the engine's words.
 *
 * @internal
 */
final class Call
{
    private const IDEMPOTENT = ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE'];

    /**
     * @param list<array{string, string}> $query
     * @param list<array{string, string}> $headers
     */
    private function __construct(
        public readonly Request|RequestInterface $request,
        private readonly string $method,
        private readonly string $target,
        private readonly array $query,
        private readonly array $headers,
        public readonly string $body,
        private readonly Options $options,
    ) {}

    public static function of(Request|RequestInterface|string $request, Options $options, string $baseUrl): self
    {
        if (is_string($request)) {
            $request = new Request('GET', $request);
        }
        if ($request instanceof Request) {
            return new self($request, $request->method, $request->target, $request->query, $request->headers, $request->body, $options);
        }
        $body = (string) $request->getBody();

        return new self($request, $request->getMethod(), self::target($request, $baseUrl), [], self::headers($request, $body), $body, $options);
    }

    /** Whether a second copy of it on the wire would do no harm. */
    public function isRepeatable(): bool
    {
        return $this->options->idempotencyKey !== null || in_array($this->method, self::IDEMPOTENT, true);
    }

    /** JSON, see schemas/request.schema.json. */
    public function json(string $goal = 'reply', ?string $position = null): string
    {
        $json = json_encode([
            'method' => $this->method,
            'target' => $this->target,
            'query' => $this->query,
            'headers' => $this->headers,
            'operation' => $this->options->operation,
            'idempotency_key' => $this->options->idempotencyKey,
            'deadline_ms' => $this->options->deadlineMs,
            'max_wait_ms' => $this->options->maxWaitMs,
            'goal' => $goal,
            'position' => $position,
        ], JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
        if ($json === false) {
            throw $this->invalid('invalid-request', 'The method, target, query and headers of a request must be UTF-8.');
        }

        return $json;
    }

    private function invalid(string $reason, string $message): InvalidRequest
    {
        return new InvalidRequest(FailureKind::Invalid, $reason, $message, $this->request);
    }

    /** Path and query below the base URL. */
    private static function target(RequestInterface $request, string $baseUrl): string
    {
        $uri = $request->getUri();
        $target = $request->getRequestTarget();
        if ($uri->getHost() === '') {
            return $target;
        }
        $base = (parse_url($baseUrl) ?: []) + ['scheme' => '', 'host' => '', 'path' => ''];
        $path = rtrim($base['path'], '/');
        $same = strcasecmp($uri->getScheme(), $base['scheme']) === 0
            && strcasecmp($uri->getHost(), $base['host']) === 0
            && self::port($uri->getScheme(), $uri->getPort()) === self::port($base['scheme'], $base['port'] ?? null)
            && $uri->getUserInfo() === '';
        if (!$same || !str_starts_with($target, "$path/")) {
            throw new InvalidRequest(
                FailureKind::Invalid,
                'other-origin',
                "The request's URI must be relative or below the profile's base_url: this client sends nowhere else.",
                $request,
            );
        }

        return substr($target, strlen($path));
    }

    private static function port(string $scheme, ?int $port): int
    {
        return $port ?? (strtolower($scheme) === 'http' ? 80 : 443);
    }

    /**
     * All headers but those that PSR-7 implementations and PSR-18 callers set by themselves and that
     * say what is true anyway.
     *
     * @return list<array{string, string}>
     */
    private static function headers(RequestInterface $request, string $body): array
    {
        $uri = $request->getUri();
        $port = $uri->getPort();
        $given = ['host' => $uri->getHost() . ($port === null ? '' : ":$port"), 'content-length' => (string) strlen($body)];
        $headers = [];
        foreach ($request->getHeaders() as $name => $values) {
            foreach ($values as $value) {
                if (($given[strtolower((string) $name)] ?? null) !== $value) {
                    $headers[] = [(string) $name, $value];
                }
            }
        }

        return $headers;
    }
}
