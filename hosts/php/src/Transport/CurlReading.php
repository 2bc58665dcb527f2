<?php

declare(strict_types=1);

namespace SupplierClient\Transport;

use CurlHandle;

/**
 * Reads responses under the caps, one after the other. A callback that takes fewer bytes than it was
 * given ends the transfer, and with it the connection.
 *
 * @internal
 */
final class CurlReading
{
    /** The head as it comes: interim responses and trailers are in it, too. */
    private string $head = '';

    /** 0 as long as the body has not begun. */
    private int $status = 0;

    private string $body = '';
    private int $cap = 0;
    private bool $full = false;
    private Outgoing $request;

    public function begin(Outgoing $request): void
    {
        $this->request = $request;
        $this->head = '';
        $this->status = 0;
        $this->body = '';
        $this->full = false;
    }

    public function header(CurlHandle $handle, string $line): int
    {
        $this->head .= $line;

        // Roughly, to bound the memory; exactly when it is whole.
        return strlen($this->head) > 2 * $this->request->headerBytes + 1024 ? 0 : strlen($line);
    }

    public function body(CurlHandle $handle, string $piece): int
    {
        if ($this->status === 0) {
            $this->status = (int) curl_getinfo($handle, CURLINFO_RESPONSE_CODE);
            $this->cap = $this->status >= 400 ? $this->request->errorBodyBytes : $this->request->bodyBytes;
        }
        $this->body .= $piece;
        $this->full = strlen($this->body) > $this->cap;

        return $this->full ? 0 : strlen($piece);
    }

    public function result(int $error, bool $connected): Answered|Broke
    {
        $head = $this->head();
        if ($head === null) {
            return CurlErrors::broke($error, $connected);
        }
        [$status, $headers] = $head;
        if (Messages::headerBytes($headers) > $this->request->headerBytes) {
            return new Broke(Phase::TooLarge, 'http-response-header-section-size', '', $status, $headers);
        }
        if ($this->full && $status < 400) {
            return new Broke(Phase::TooLarge, 'http-response-body-size', '', $status, $headers);
        }
        if ($this->full) {
            return new Answered($status, $headers, substr($this->body, 0, $this->cap));
        }

        return $error === 0 ? new Answered($status, $headers, $this->body) : CurlErrors::broke($error, $connected, $status, $headers);
    }

    /**
     * The head of the final response: interim ones (100, 103) come before it, trailers after it.
     *
     * @return array{int, list<array{string, string}>}|null null if it has not ended
     */
    private function head(): ?array
    {
        $status = null;
        $headers = [];
        foreach (explode("\r\n", $this->head) as $line) {
            if (str_starts_with($line, 'HTTP/')) {
                $status = (int) substr($line, (int) strpos($line, ' ') + 1, 3);
                $headers = [];
            } elseif ($line !== '') {
                $colon = strpos($line, ':') ?: strlen($line);
                $headers[] = [substr($line, 0, $colon), trim(substr($line, $colon + 1), " \t")];
            } elseif ($status !== null && $status >= 200) {
                return [$status, $headers];
            }
        }
        // Aborted in the middle of a head that was too long.
        return $status !== null && strlen($this->head) > 2 * $this->request->headerBytes ? [$status, $headers] : null;
    }
}
