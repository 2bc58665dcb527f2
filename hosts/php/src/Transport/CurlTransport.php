<?php

declare(strict_types=1);

namespace SupplierClient\Transport;

use CurlHandle;
use SupplierClient\Exception\SetupException;

/**
 * HTTP/1.1 over ext-curl, with connections kept alive between calls. It keeps every promise of
 * {@see Transport}. libcurl adds Host and, where there is a body or the method suggests one,
 * Content-Length. Proxies from the environment (https_proxy, no_proxy) are used.
 *
 * One thing needs care: when a kept connection turns out to be closed before a byte of the answer
 * has come, libcurl sends the request again by itself. For a GET that is harmless (RFC 9110 9.2.2).
 * A request of which a second copy could do harm has its body read from a callback, which libcurl
 * cannot rewind, or a fresh connection if there is no body.
 */
final class CurlTransport implements Transport
{
    private CurlHandle $handle;
    private readonly CurlReading $reading;

    /** The process that made the handle. */
    private int $owner;

    /** @var list<CurlHandle> of parents: to clean them up would say goodbye on connections that are still used */
    private static array $inherited = [];

    /** What the handle is prepared for. */
    private ?string $kind = null;

    /**
     * @param array<int, mixed> $options further CURLOPT_* settings: CURLOPT_CAINFO, CURLOPT_PROXY,
     *     CURLOPT_SSLCERT, ... Those that the promises rest on cannot be changed.
     */
    public function __construct(private readonly array $options = [])
    {
        if (!extension_loaded('curl')) {
            throw new SetupException('The PHP extension "curl" is not loaded. Install it (Debian: php-curl) or give the client a PSR-18 client.');
        }
        $this->handle = curl_init();
        $this->owner = (int) getmypid();
        $this->reading = new CurlReading();
    }

    public function exchange(Outgoing $request): Answered|Broke
    {
        if ($this->owner !== getmypid()) {
            $this->leaveParent();
        }
        [$kind, $settings] = self::body($request);
        if ($kind !== $this->kind) {
            $this->kind = $kind;
            $this->prepare();
        }
        $this->reading->begin($request);
        curl_setopt_array($this->handle, [
            CURLOPT_URL => $request->origin() . '/',
            CURLOPT_REQUEST_TARGET => $request->target(),
            CURLOPT_CUSTOMREQUEST => $request->method,
            CURLOPT_HTTPHEADER => self::lines($request->headers),
            CURLOPT_TIMEOUT_MS => max(1, $request->timeoutMs),
            CURLOPT_CONNECTTIMEOUT_MS => max(1, $request->timeoutMs),
        ] + $settings);
        curl_exec($this->handle);
        $error = curl_errno($this->handle);
        $connected = $error === 0 || curl_getinfo($this->handle, CURLINFO_PRETRANSFER_TIME_T) > 0;

        return $this->reading->result($error, $connected);
    }

    /** In the child of a fork: two processes on one connection would read each other's answers. */
    private function leaveParent(): void
    {
        self::$inherited[] = $this->handle;
        $this->handle = curl_init();
        $this->owner = (int) getmypid();
        $this->kind = null;
    }

    /** Settings outlive a request, but those of one kind of body must not meet those of another. */
    private function prepare(): void
    {
        curl_reset($this->handle);
        curl_setopt_array($this->handle, [
            CURLOPT_PATH_AS_IS => true,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_HTTP_VERSION => CURL_HTTP_VERSION_1_1,
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_ENCODING => null,
            CURLOPT_NOSIGNAL => true,
            CURLOPT_HEADERFUNCTION => $this->reading->header(...),
            CURLOPT_WRITEFUNCTION => $this->reading->body(...),
        ] + $this->options);
    }

    /** @return array{string, array<int, mixed>} kind of body and its settings */
    private static function body(Outgoing $request): array
    {
        if ($request->method === 'HEAD') {
            return ['head', [CURLOPT_NOBODY => true]];
        }
        if ($request->body === '' && in_array($request->method, ['GET', 'DELETE', 'OPTIONS', 'TRACE'], true)) {
            return ['none', [CURLOPT_HTTPGET => true, CURLOPT_FRESH_CONNECT => !$request->repeatable]];
        }
        if ($request->body === '' || $request->repeatable) {
            // An empty one, too: Content-Length: 0 where the method anticipates a body (RFC 9110 8.6).
            return ['text', [CURLOPT_POSTFIELDS => $request->body, CURLOPT_FRESH_CONNECT => !$request->repeatable]];
        }
        $at = 0;

        return ['once', [
            CURLOPT_UPLOAD => true,
            CURLOPT_INFILESIZE => strlen($request->body),
            CURLOPT_READFUNCTION => static function (CurlHandle $handle, mixed $file, int $most) use ($request, &$at): string {
                $piece = substr($request->body, $at, $most);
                $at += strlen($piece);

                return $piece;
            },
        ]];
    }

    /**
     * Header lines, and switches against those that libcurl would add.
     *
     * @param list<array{string, string}> $headers
     * @return list<string>
     */
    private static function lines(array $headers): array
    {
        $unwanted = ['accept' => 'Accept:', 'content-type' => 'Content-Type:', 'expect' => 'Expect:'];
        $lines = [];
        foreach ($headers as [$name, $value]) {
            // "Name;" is how libcurl is told to send an empty value.
            $lines[] = $value === '' ? "$name;" : "$name: $value";
            unset($unwanted[strtolower($name)]);
        }

        return [...$lines, ...array_values($unwanted)];
    }
}
