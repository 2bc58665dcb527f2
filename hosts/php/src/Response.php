<?php

declare(strict_types=1);

namespace SupplierClient;

use InvalidArgumentException;
use JsonException;
use Psr\Http\Message\ResponseInterface;

/**
 * A complete response, as it came: nothing decompressed, no header renamed.
 */
final class Response
{
    /**
     * @param list<array{string, string}> $headers in wire order; a name may occur more than once
     */
    public function __construct(
        public readonly int $status,
        public readonly array $headers,
        public readonly string $body,
    ) {}

    /** The values of a header joined with `, `, or null. */
    public function header(string $name): ?string
    {
        $values = [];
        foreach ($this->headers as [$known, $value]) {
            if (strcasecmp($known, $name) === 0) {
                $values[] = $value;
            }
        }

        return $values === [] ? null : implode(', ', $values);
    }

    /**
     * The body read as JSON: objects as arrays, integers that do not fit as strings.
     *
     * @throws JsonException
     */
    public function json(): mixed
    {
        return json_decode($this->body, true, flags: JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
    }

    /** As PSR-7. Headers that PSR-7 has no room for (names or values out of RFC 9110) are left out. */
    public function psr(): ResponseInterface
    {
        $factory = Psr17::find();
        $response = $factory->createResponse($this->status);
        foreach ($this->headers as [$name, $value]) {
            try {
                $response = $response->withAddedHeader($name, $value);
            } catch (InvalidArgumentException) {
                continue;
            }
        }

        return $response->withBody($factory->createStream($this->body));
    }
}
