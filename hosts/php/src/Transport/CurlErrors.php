<?php

declare(strict_types=1);

namespace SupplierClient\Transport;

/**
 * What libcurl's error numbers say about the request. A number that is not here may mean anything,
 * so the request may have been sent.
 *
 * @internal
 */
final class CurlErrors
{
    private const TABLE = [
        // The engine's URLs are http or https, so this is an answer that is neither (HTTP/0.9).
        CURLE_UNSUPPORTED_PROTOCOL => [Phase::MaybeSent, 'http-protocol-error'],
        CURLE_URL_MALFORMAT => [Phase::Never, 'http-request-uri-invalid'],
        CURLE_COULDNT_RESOLVE_PROXY => [Phase::NotSent, 'dns-error'],
        CURLE_COULDNT_RESOLVE_HOST => [Phase::NotSent, 'dns-error'],
        CURLE_COULDNT_CONNECT => [Phase::NotSent, 'connection-refused'],
        8 /* WEIRD_SERVER_REPLY */ => [Phase::MaybeSent, 'http-protocol-error'],
        16 /* HTTP2 */ => [Phase::MaybeSent, 'http-protocol-error'],
        CURLE_PARTIAL_FILE => [Phase::MaybeSent, 'http-response-incomplete'],
        27 /* OUT_OF_MEMORY, also for a header line that is too long */ => [Phase::TooLarge, 'http-response-header-size'],
        CURLE_OPERATION_TIMEDOUT => [Phase::MaybeSent, 'attempt-timeout'],
        CURLE_SSL_CONNECT_ERROR => [Phase::NotSent, 'tls-protocol-error'],
        CURLE_GOT_NOTHING => [Phase::MaybeSent, 'connection-terminated'],
        CURLE_SSL_ENGINE_NOTFOUND => [Phase::Never, 'configuration-error'],
        CURLE_SSL_ENGINE_SETFAILED => [Phase::Never, 'configuration-error'],
        CURLE_SEND_ERROR => [Phase::MaybeSent, 'connection-terminated'],
        CURLE_RECV_ERROR => [Phase::MaybeSent, 'connection-terminated'],
        CURLE_SSL_CERTPROBLEM => [Phase::Never, 'configuration-error'],
        CURLE_SSL_CIPHER => [Phase::Never, 'configuration-error'],
        60 /* PEER_FAILED_VERIFICATION, 51 in old versions */ => [Phase::Never, 'tls-certificate-error'],
        51 => [Phase::Never, 'tls-certificate-error'],
        65 /* SEND_FAIL_REWIND: see CurlTransport */ => [Phase::MaybeSent, 'connection-terminated'],
        CURLE_SSL_CACERT_BADFILE => [Phase::Never, 'configuration-error'],
        83 /* SSL_ISSUER_ERROR */ => [Phase::Never, 'tls-certificate-error'],
        90 /* SSL_PINNEDPUBKEYNOTMATCH */ => [Phase::Never, 'tls-certificate-error'],
        91 /* SSL_INVALIDCERTSTATUS */ => [Phase::Never, 'tls-certificate-error'],
        92 /* HTTP2_STREAM */ => [Phase::MaybeSent, 'http-protocol-error'],
        97 /* PROXY */ => [Phase::NotSent, 'connection-refused'],
        98 /* SSL_CLIENTCERT */ => [Phase::Never, 'configuration-error'],
        100 /* TOO_LARGE */ => [Phase::TooLarge, 'http-response-header-section-size'],
    ];

    /**
     * @param list<array{string, string}> $headers
     * @param bool $connected whether a connection was ready for the request
     */
    public static function broke(int $number, bool $connected, ?int $status = null, array $headers = []): Broke
    {
        [$phase, $code] = self::TABLE[$number] ?? [Phase::MaybeSent, "curl-$number"];
        if (!$connected && $phase === Phase::MaybeSent) {
            // Whatever it was, it was before the first byte.
            $phase = Phase::NotSent;
        }
        if ($status !== null && $code === 'connection-terminated') {
            $code = 'http-response-incomplete';
        }

        return new Broke($phase, $code, sprintf('curl %d: %s', $number, curl_strerror($number) ?? 'unknown'), $status, $headers);
    }
}
