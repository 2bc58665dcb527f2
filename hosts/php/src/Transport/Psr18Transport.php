<?php

declare(strict_types=1);

namespace SupplierClient\Transport;

use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\ResponseInterface;
use RuntimeException;
use SupplierClient\Psr17;

/**
 * Any PSR-18 client. PSR-18 has no words for timers, caps and connections, so these promises are the
 * client's to keep: give it a timeout of at most the profile's `attempt_timeout_ms`, and turn off its
 * redirects, retries, cookies, cache and decompression. What can be checked afterwards is checked:
 * caps, and bodies that are shorter than they say. Every failure counts as "may have been sent".
 *
 * Guzzle can be told all of it by request: {@see GuzzleTransport}.
 */
final class Psr18Transport implements Transport
{
    private const PIECE = 65536;

    public function __construct(private readonly ClientInterface $client) {}

    public function exchange(Outgoing $request): Answered|Broke
    {
        $message = Messages::request($request, Psr17::find());
        if ($message === null) {
            return new Broke(Phase::Never, 'http-request-uri-invalid', 'the PSR-7 implementation changes the target');
        }
        try {
            $response = $this->client->sendRequest($message);
        } catch (ClientExceptionInterface $error) {
            return new Broke(Phase::MaybeSent, 'connection-terminated', get_debug_type($error));
        }

        return self::read($response, $request);
    }

    private static function read(ResponseInterface $response, Outgoing $request): Answered|Broke
    {
        $status = $response->getStatusCode();
        $headers = Messages::headers($response);
        if (Messages::headerBytes($headers) > $request->headerBytes) {
            return new Broke(Phase::TooLarge, 'http-response-header-section-size', '', $status, $headers);
        }
        $cap = $status >= 400 ? $request->errorBodyBytes : $request->bodyBytes;
        $stream = $response->getBody();
        if ($stream->isSeekable()) {
            $stream->rewind();
        }
        $body = '';
        try {
            while (!$stream->eof() && strlen($body) <= $cap) {
                $body .= $stream->read(self::PIECE);
            }
        } catch (RuntimeException $error) {
            return new Broke(Phase::MaybeSent, 'http-response-incomplete', get_debug_type($error), $status, $headers);
        }

        return Messages::result($request, $status, $headers, $body);
    }
}
