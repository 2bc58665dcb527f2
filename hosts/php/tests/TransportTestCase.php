<?php

declare(strict_types=1);

namespace SupplierClient\Tests;

use PHPUnit\Framework\TestCase;
use SupplierClient\Tests\Support\ScriptedServer;
use SupplierClient\Transport\Answered;
use SupplierClient\Transport\Broke;
use SupplierClient\Transport\Outgoing;
use SupplierClient\Transport\Phase;
use SupplierClient\Transport\Transport;

/**
 * What every transport promises (design: adapters).
 */
abstract class TransportTestCase extends TestCase
{
    abstract protected function transport(): Transport;

    /** @param list<array{string, string}> $headers */
    protected static function request(
        string $url,
        string $method = 'GET',
        array $headers = [],
        string $body = '',
        int $timeoutMs = 30_000,
        int $bodyBytes = 1000,
        int $errorBodyBytes = 100,
        int $headerBytes = 2000,
        ?bool $repeatable = null,
    ): Outgoing {
        return new Outgoing($method, $url, $headers, $body, $timeoutMs, $bodyBytes, $errorBodyBytes, $headerBytes, $repeatable ?? $method !== 'POST');
    }

    protected static function broke(Phase $phase, string $code, Answered|Broke $outcome): Broke
    {
        self::assertInstanceOf(Broke::class, $outcome);
        self::assertSame([$phase->value, $code], [$outcome->phase->value, $outcome->code], $outcome->detail);

        return $outcome;
    }

    protected static function answered(int $status, Answered|Broke $outcome): Answered
    {
        self::assertInstanceOf(Answered::class, $outcome, $outcome instanceof Broke ? "$outcome->code $outcome->detail" : '');
        self::assertSame($status, $outcome->status);

        return $outcome;
    }

    /** @return iterable<string, array{string}> */
    public static function targets(): iterable
    {
        foreach (['/', '/a%2fb', '/a%2Fb', '/%7euser/~x', '/a//b', '/q?a=b+c&d=%20e&&f', "/a;b=1,2/(c)!$'*", '/x?next=http://h/p?q=/../'] as $target) {
            yield $target => [$target];
        }
    }

    /** @dataProvider targets */
    public function testTargetGoesOutAsItIs(string $target): void
    {
        $server = new ScriptedServer([ScriptedServer::response(200)]);
        self::answered(200, $this->transport()->exchange(self::request($server->url() . $target)));
        self::assertStringStartsWith("GET $target HTTP/1.1\r\n", $server->requests()[0]);
    }

    public function testHeadersGoOutAsTheyAre(): void
    {
        $server = new ScriptedServer([ScriptedServer::response(200), ScriptedServer::response(200)]);
        $transport = $this->transport();
        $headers = [['user-AGENT', 'acme/1'], ['X-Signature', 't=1,v1=ab'], ['X-Empty', ''], ['Content-Type', 'application/json'], ['X-Utf8', 'Grüße']];
        self::answered(200, $transport->exchange(self::request("{$server->url()}/o", 'POST', $headers, '{"a": 1}')));
        self::answered(200, $transport->exchange(self::request("{$server->url()}/o", headers: [['User-Agent', 'acme/1']])));
        [$post, $get] = $server->requests();
        $expected = ['host: 127.0.0.1:' . $server->port, 'user-AGENT: acme/1', 'X-Signature: t=1,v1=ab', 'X-Empty:', 'Content-Type: application/json', 'X-Utf8: Grüße', 'content-length: 8'];
        self::assertSame(self::sorted($expected), self::sorted(self::lines($post)));
        self::assertStringEndsWith("\r\n\r\n{\"a\": 1}", $post);
        self::assertSame(self::sorted(['host: 127.0.0.1:' . $server->port, 'User-Agent: acme/1']), self::sorted(self::lines($get)));
    }

    public function testBodyOfAnySizeGoesOutAtOnce(): void
    {
        $server = new ScriptedServer(array_fill(0, 4, ScriptedServer::response(200)));
        $transport = $this->transport();
        foreach (['POST', 'PUT'] as $method) {
            foreach (["\0\xff binary", str_repeat('x', 2_000_000)] as $body) {
                self::answered(200, $transport->exchange(self::request("{$server->url()}/o", $method, body: $body)));
            }
        }
        foreach ($server->requests() as $i => $request) {
            self::assertStringNotContainsStringIgnoringCase("\r\nexpect:", substr($request, 0, 1000));
            self::assertStringNotContainsStringIgnoringCase("\r\ntransfer-encoding:", substr($request, 0, 1000));
            self::assertStringEndsWith($i % 2 === 0 ? "\r\n\r\n\0\xff binary" : str_repeat('x', 2_000_000), $request);
        }
    }

    public function testPostWithoutBodySaysSo(): void
    {
        $server = new ScriptedServer([ScriptedServer::response(200)]);
        self::answered(200, $this->transport()->exchange(self::request("{$server->url()}/o", 'POST')));
        self::assertStringContainsStringIgnoringCase("\r\ncontent-length: 0\r\n", $server->requests()[0]);
    }

    public function testHeadHasNoBody(): void
    {
        $server = new ScriptedServer(["HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"]);
        self::assertSame('', self::answered(200, $this->transport()->exchange(self::request("{$server->url()}/", 'HEAD')))->body);
    }

    public function testAnswerComesAsItIs(): void
    {
        $gzip = (string) gzencode('hello');
        $server = new ScriptedServer([ScriptedServer::response(200, $gzip, 'Content-Encoding: gzip', "X-Latin: \xe9", 'X-A: 1', 'X-A: 2')]);
        $answer = self::answered(200, $this->transport()->exchange(self::request("{$server->url()}/")));
        self::assertSame($gzip, $answer->body);
        foreach ([['Content-Encoding', 'gzip'], ['X-Latin', "\xe9"], ['X-A', '1'], ['X-A', '2'], ['Content-Length', (string) strlen($gzip)]] as $header) {
            self::assertContains($header, $answer->headers);
        }
    }

    public function testRedirectIsNotFollowedAndCookiesAreNotKept(): void
    {
        $server = new ScriptedServer([ScriptedServer::response(302, '', 'Location: /elsewhere', 'Set-Cookie: a=b'), ScriptedServer::response(200)]);
        $transport = $this->transport();
        self::answered(302, $transport->exchange(self::request("{$server->url()}/")));
        self::answered(200, $transport->exchange(self::request("{$server->url()}/again")));
        self::assertStringNotContainsStringIgnoringCase("\r\ncookie:", implode($server->requests()));
        self::assertCount(2, $server->requests());
    }

    public function testErrorStatusIsAnAnswer(): void
    {
        $server = new ScriptedServer([ScriptedServer::response(503, 'busy', 'Retry-After: 1')]);
        self::assertSame('busy', self::answered(503, $this->transport()->exchange(self::request("{$server->url()}/")))->body);
    }

    public function testInterimResponsesAreSkipped(): void
    {
        $server = new ScriptedServer(["HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n" . ScriptedServer::response(200, 'x', 'X-Late: 1')]);
        $answer = self::answered(200, $this->transport()->exchange(self::request("{$server->url()}/")));
        self::assertContains(['X-Late', '1'], $answer->headers);
        self::assertNotContains(['X-Early', '1'], $answer->headers);
    }

    public function testConnectionsAreKept(): void
    {
        $server = new ScriptedServer(array_fill(0, 3, ScriptedServer::response(200, 'x')));
        $transport = $this->transport();
        for ($i = 0; $i < 3; $i++) {
            self::answered(200, $transport->exchange(self::request("{$server->url()}/")));
        }
        self::assertSame([1, 1, 1], array_column($server->log(), 'connection'));
    }

    public function testCapIsExactAndHoldsWhileReading(): void
    {
        $endless = ['send' => "HTTP/1.1 200 OK\r\n\r\n" . str_repeat('x', 5000), 'then' => 'hang'];
        $server = new ScriptedServer([ScriptedServer::response(200, str_repeat('x', 1000)), ScriptedServer::response(200, str_repeat('x', 1001)), $endless]);
        $transport = $this->transport();
        self::assertSame(1000, strlen(self::answered(200, $transport->exchange(self::request("{$server->url()}/")))->body));
        self::assertSame(200, self::broke(Phase::TooLarge, 'http-response-body-size', $transport->exchange(self::request("{$server->url()}/")))->status);
        $began = hrtime(true);
        self::broke(Phase::TooLarge, 'http-response-body-size', $transport->exchange(self::request("{$server->url()}/")));
        self::assertLessThan(20e9, hrtime(true) - $began);
    }

    public function testLongErrorBodyIsCutAndReported(): void
    {
        $server = new ScriptedServer([['send' => "HTTP/1.1 500 No\r\nX-A: 1\r\n\r\n" . str_repeat('e', 300), 'then' => 'hang']]);
        $answer = self::answered(500, $this->transport()->exchange(self::request("{$server->url()}/")));
        self::assertSame(str_repeat('e', 100), $answer->body);
        self::assertContains(['X-A', '1'], $answer->headers);
    }

    public function testLongHeadersAreTooLarge(): void
    {
        $server = new ScriptedServer([ScriptedServer::response(200, '', 'X-Long: ' . str_repeat('x', 3000))]);
        self::broke(Phase::TooLarge, 'http-response-header-section-size', $this->transport()->exchange(self::request("{$server->url()}/")));
    }

    public function testShortBodyIsIncomplete(): void
    {
        $chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n";
        $server = new ScriptedServer([
            ['send' => "HTTP/1.1 201 Created\r\nX-A: 1\r\nContent-Length: 10\r\n\r\nshort", 'then' => 'close'],
            ['send' => $chunked, 'then' => 'close'],
            ['send' => "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort", 'then' => 'reset'],
        ]);
        $transport = $this->transport();
        $broke = self::broke(Phase::MaybeSent, 'http-response-incomplete', $transport->exchange(self::request("{$server->url()}/")));
        self::assertSame(201, $broke->status);
        self::assertContains(['X-A', '1'], $broke->headers);
        self::assertSame(200, self::broke(Phase::MaybeSent, 'http-response-incomplete', $transport->exchange(self::request("{$server->url()}/")))->status);
        self::assertSame(200, self::broke(Phase::MaybeSent, 'http-response-incomplete', $transport->exchange(self::request("{$server->url()}/")))->status);
    }

    public function testRefusedConnectionWasNotSent(): void
    {
        $closed = stream_socket_server('tcp://127.0.0.1:0');
        $name = (string) stream_socket_get_name($closed, false);
        fclose($closed);
        self::broke(Phase::NotSent, 'connection-refused', $this->transport()->exchange(self::request("http://$name/")));
    }

    public function testUnknownHostWasNotSent(): void
    {
        self::broke(Phase::NotSent, 'dns-error', $this->transport()->exchange(self::request('http://nowhere.invalid/')));
    }

    public function testClosedWithoutAnAnswerMayHaveBeenSent(): void
    {
        $server = new ScriptedServer([['then' => 'close'], ['then' => 'reset']]);
        self::broke(Phase::MaybeSent, 'connection-terminated', $this->transport()->exchange(self::request("{$server->url()}/")));
        self::broke(Phase::MaybeSent, 'connection-terminated', $this->transport()->exchange(self::request("{$server->url()}/")));
    }

    public function testUnsafeRequestIsNeverSentTwice(): void
    {
        // The first answer keeps the connection, so a client that repeats on dead connections repeats here.
        foreach (['{"a":1}', str_repeat('x', 100_000), ''] as $body) {
            $server = new ScriptedServer([ScriptedServer::response(200), ['then' => 'close'], ScriptedServer::response(200), ScriptedServer::response(200)]);
            $transport = $this->transport();
            self::answered(200, $transport->exchange(self::request("{$server->url()}/first", 'POST', body: '{}')));
            self::broke(Phase::MaybeSent, 'connection-terminated', $transport->exchange(self::request("{$server->url()}/second", 'POST', body: $body)));
            self::assertCount(2, $server->requests(), 'with a body of ' . strlen($body));
        }
    }

    public function testTimerCoversTheWholeExchange(): void
    {
        $server = new ScriptedServer([
            ['then' => 'hang'],
            ['send' => "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", 'pieces' => array_fill(0, 25, ['x', 100])],
        ]);
        foreach ([null, 200] as $status) {
            $began = hrtime(true);
            $broke = self::broke(Phase::MaybeSent, 'attempt-timeout', $this->transport()->exchange(self::request("{$server->url()}/", timeoutMs: 1000)));
            self::assertSame($status, $broke->status);
            $took = (hrtime(true) - $began) / 1e6;
            self::assertGreaterThan(990, $took);
            // Nothing else would end it.
            self::assertLessThan(20_000, $took);
        }
    }

    public function testSilentListenerTimesOut(): void
    {
        // Accepts in the kernel, never answers.
        $silent = stream_socket_server('tcp://127.0.0.1:0');
        $name = (string) stream_socket_get_name($silent, false);
        self::broke(Phase::MaybeSent, 'attempt-timeout', $this->transport()->exchange(self::request("http://$name/", timeoutMs: 500)));
        self::broke(Phase::NotSent, 'attempt-timeout', $this->transport()->exchange(self::request("https://$name/", timeoutMs: 500)));
    }

    public function testBadCertificateNeverSucceeds(): void
    {
        $server = new ScriptedServer([], tls: true);
        self::broke(Phase::Never, 'tls-certificate-error', $this->transport()->exchange(self::request("{$server->url()}/")));
        self::assertSame([], $server->requests());
    }

    public function testPlainServerBehindHttpsWasNotSent(): void
    {
        $server = new ScriptedServer([['send' => 'no TLS here']]);
        self::broke(Phase::NotSent, 'tls-protocol-error', $this->transport()->exchange(self::request("https://127.0.0.1:$server->port/")));
    }

    public function testNoHttpIsAProtocolError(): void
    {
        $server = new ScriptedServer([['send' => "220 smtp.example ready\r\n", 'then' => 'close']]);
        self::broke(Phase::MaybeSent, 'http-protocol-error', $this->transport()->exchange(self::request("{$server->url()}/")));
    }

    /** @return list<string> */
    protected static function lines(string $request): array
    {
        return array_slice(explode("\r\n", (string) strstr($request, "\r\n\r\n", true)), 1);
    }

    /**
     * Names of what the transport adds are compared in lower case.
     *
     * @param list<string> $lines
     * @return list<string>
     */
    protected static function sorted(array $lines): array
    {
        $lines = array_map(static fn(string $line): string => (string) preg_replace_callback('/^(host|content-length):/i', static fn(array $match): string => strtolower($match[0]), rtrim($line)), $lines);
        sort($lines);

        return $lines;
    }
}
