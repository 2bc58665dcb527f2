<?php

declare(strict_types=1);

namespace SupplierClient\Transport;

use GuzzleHttp\ClientInterface;
use GuzzleHttp\Exception\ConnectException;
use GuzzleHttp\Exception\GuzzleException;
use GuzzleHttp\Exception\RequestException;
use GuzzleHttp\Psr7\FnStream;
use GuzzleHttp\Psr7\HttpFactory;
use GuzzleHttp\Psr7\Utils;
use Psr\Http\Message\ResponseInterface;

/**
 * A Guzzle client, told by request what this package promises: no redirects, no exceptions for
 * statuses, no decompression, the attempt's timer, the caps while reading. Its handler stack and with
 * it logging, mocking and recording go on working; a retry middleware in it would retry below the
 * signature and does not belong there.
 *
 * Guzzle adds a User-Agent where the profile sets none. Its curl handler repeats a request on a dead
 * connection, so a request of which a second copy could do harm gets a fresh connection.
 */
final class GuzzleTransport implements Transport
{
    private readonly HttpFactory $factory;

    public function __construct(private readonly ClientInterface $client)
    {
        $this->factory = new HttpFactory();
    }

    public function exchange(Outgoing $request): Answered|Broke
    {
        $message = Messages::request($request, $this->factory);
        if ($message === null) {
            return new Broke(Phase::Never, 'http-request-uri-invalid', 'the PSR-7 implementation changes the target');
        }
        $head = null;
        $body = '';
        try {
            $this->client->send($message, [
                'allow_redirects' => false,
                'cookies' => false,
                'decode_content' => false,
                'expect' => false,
                'http_errors' => false,
                'timeout' => max(1, $request->timeoutMs) / 1000,
                'connect_timeout' => max(1, $request->timeoutMs) / 1000,
                'curl' => [
                    CURLOPT_PATH_AS_IS => true,
                    CURLOPT_REQUEST_TARGET => $request->target(),
                    CURLOPT_FRESH_CONNECT => !$request->repeatable,
                ],
                'on_headers' => static function (ResponseInterface $response) use (&$head, $request): void {
                    $head = $response;
                    if (Messages::headerBytes(Messages::headers($response)) > $request->headerBytes) {
                        throw new HeadersTooLarge();
                    }
                },
                'sink' => self::sink($request, $head, $body),
            ]);
        } catch (GuzzleException $error) {
            return self::broke($error, $request, $head, $body);
        }
        if ($head === null) {
            return new Broke(Phase::MaybeSent, 'http-protocol-error');
        }

        return Messages::result($request, $head->getStatusCode(), Messages::headers($head), $body);
    }

    /** Collects the body as far as the cap and one byte on; then it takes no more, which ends the transfer. */
    private static function sink(Outgoing $request, ?ResponseInterface &$head, string &$body): FnStream
    {
        return FnStream::decorate(Utils::streamFor(''), [
            'write' => static function (string $piece) use ($request, &$head, &$body): int {
                $cap = $head !== null && $head->getStatusCode() >= 400 ? $request->errorBodyBytes : $request->bodyBytes;
                $taken = substr($piece, 0, max(0, $cap + 1 - strlen($body)));
                $body .= $taken;

                return strlen($taken);
            },
        ]);
    }

    private static function broke(GuzzleException $error, Outgoing $request, ?ResponseInterface $head, string $body): Answered|Broke
    {
        $status = $head?->getStatusCode();
        $headers = $head === null ? [] : Messages::headers($head);
        if ($error->getPrevious() instanceof HeadersTooLarge) {
            return new Broke(Phase::TooLarge, 'http-response-header-section-size', '', $status, $headers);
        }
        $context = $error instanceof ConnectException || $error instanceof RequestException ? $error->getHandlerContext() : [];
        $number = (int) ($context['errno'] ?? 0);
        if ($status !== null && $number === CURLE_WRITE_ERROR) {
            return Messages::result($request, $status, $headers, $body);
        }
        if ($number === 0) {
            return new Broke(Phase::MaybeSent, 'connection-terminated', get_debug_type($error), $status, $headers);
        }
        $connected = ($context['pretransfer_time'] ?? 1) > 0;

        return CurlErrors::broke($number, $connected, $status, $headers);
    }
}
