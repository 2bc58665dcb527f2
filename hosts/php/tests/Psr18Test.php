<?php

declare(strict_types=1);

namespace SupplierClient\Tests;

use GuzzleHttp\Client;
use GuzzleHttp\Handler\MockHandler;
use GuzzleHttp\HandlerStack;
use GuzzleHttp\Middleware;
use GuzzleHttp\Psr7\Request as GuzzleRequest;
use GuzzleHttp\Psr7\Response;
use Nyholm\Psr7\Factory\Psr17Factory;
use Nyholm\Psr7\Request as NyholmRequest;
use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Client\RequestExceptionInterface;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;
use RuntimeException;
use SupplierClient\Exception\UnknownOutcome;
use SupplierClient\Options;
use SupplierClient\Request;
use SupplierClient\Tests\Support\ScriptedServer;

final class Psr18Test extends ClientTestCase
{
    /** @dataProvider uris */
    public function testRequestsBelowTheBaseUrl(callable $request, string $line): void
    {
        $server = new ScriptedServer([ScriptedServer::response(200, 'hello', 'X-A: 1', 'X-A: 2')]);
        $response = self::client($server)->sendRequest($request($server->url()));
        self::assertSame([200, 'hello', ['1', '2']], [$response->getStatusCode(), (string) $response->getBody(), $response->getHeader('x-a')]);
        self::assertSame("$line HTTP/1.1", self::firstLine($server->requests()[0]));
        self::assertSigned($server->requests()[0]);
    }

    /** @return iterable<string, array{callable(string): RequestInterface, string}> */
    public static function uris(): iterable
    {
        yield 'relative' => [static fn(): RequestInterface => new NyholmRequest('GET', '/orders?a=b%20c'), 'GET /v2/orders?a=b%20c'];
        yield 'absolute' => [static fn(string $url): RequestInterface => new NyholmRequest('GET', "$url/v2/orders"), 'GET /v2/orders'];
        yield 'Guzzle' => [static fn(string $url): RequestInterface => new GuzzleRequest('POST', "$url/v2/orders", ['Content-Length' => '2'], '{}'), 'POST /v2/orders'];
        yield 'target of its own' => [static fn(): RequestInterface => (new NyholmRequest('GET', ''))->withRequestTarget('/a%2fb'), 'GET /v2/a%2fb'];
    }

    public function testOtherPlacesAreRefused(): void
    {
        $client = self::client('http://127.0.0.1:1/v2');
        foreach (['http://127.0.0.1:2/v2/x', 'http://elsewhere/v2/x', 'https://127.0.0.1:1/v2/x', 'http://127.0.0.1:1/v1/x', 'http://127.0.0.1:1/v2x', 'http://u:p@127.0.0.1:1/v2/x'] as $uri) {
            try {
                $client->sendRequest(new NyholmRequest('GET', $uri));
                self::fail("$uri was not refused");
            } catch (RequestExceptionInterface $error) {
                self::assertSame($uri, (string) $error->getRequest()->getUri());
            }
        }
        self::assertSame(0, $client->health()['calls']);
    }

    public function testOptionsForALibraryThatTakesAClient(): void
    {
        $server = new ScriptedServer(array_fill(0, 2, ScriptedServer::response(200)));
        $client = self::client($server);
        $client->with(new Options(idempotencyKey: 'k-2'))->sendRequest(new NyholmRequest('POST', '/orders', [], '{}'));
        $client->sendRequest(new NyholmRequest('POST', '/orders', [], '{}'));
        self::assertStringContainsString("\r\nIdempotency-Key: k-2\r\n", $server->requests()[0]);
        self::assertStringNotContainsString('Idempotency-Key', $server->requests()[1]);
        self::assertSame(2, $client->health()['calls']);
    }

    public function testOverGuzzle(): void
    {
        $server = new ScriptedServer([ScriptedServer::response(503), ScriptedServer::response(200, '{"items": [7], "next": null}')]);
        $client = self::client($server, ['retry' => ['base_delay_ms' => 1, 'max_delay_ms' => 1]], http: new Client());
        self::assertSame([7], iterator_to_array($client->items('/consignments')));
        self::assertCount(2, array_map(self::assertSigned(...), $server->requests()));
    }

    public function testGuzzlesMocksAndMiddlewareSeeTheTraffic(): void
    {
        $history = [];
        $stack = HandlerStack::create(new MockHandler([new Response(503), new Response(200, ['X-A' => '1'], 'mocked')]));
        $stack->push(Middleware::history($history));
        $client = self::client('http://127.0.0.1:1/v2', ['retry' => ['base_delay_ms' => 1, 'max_delay_ms' => 1]], http: new Client(['handler' => $stack]));
        $reply = $client->send('/x');
        self::assertSame(['mocked', '1'], [$reply->response->body, $reply->response->header('X-A')]);
        self::assertCount(2, $history);
    }

    public function testOverAnyClient(): void
    {
        $inner = new class implements ClientInterface {
            /** @var list<RequestInterface> */
            public array $seen = [];

            public function sendRequest(RequestInterface $request): ResponseInterface
            {
                $this->seen[] = $request;
                $factory = new Psr17Factory();

                return $factory->createResponse(200)->withBody($factory->createStream('fine'));
            }
        };
        $reply = self::client('http://127.0.0.1:1/v2', [], http: $inner)->send(new Request('POST', '/a%2Fb', body: 'x'));
        self::assertSame('fine', $reply->response->body);
        self::assertSame('http://127.0.0.1:1/v2/a%2Fb', (string) $inner->seen[0]->getUri());
        self::assertMatchesRegularExpression('/^t=\d+,v1=/', $inner->seen[0]->getHeaderLine('X-Signature'));
    }

    public function testFailureOfAnyClientMayHaveBeenSent(): void
    {
        $inner = new class implements ClientInterface {
            public int $calls = 0;

            public function sendRequest(RequestInterface $request): ResponseInterface
            {
                $this->calls++;
                throw new class extends RuntimeException implements ClientExceptionInterface {};
            }
        };
        try {
            self::client('http://127.0.0.1:1/v2', [], http: $inner)->send(new Request('POST', '/orders'));
            self::fail('no exception');
        } catch (UnknownOutcome) {
            self::assertSame(1, $inner->calls);
        }
    }

    public function testCapsAndLengthsOfAnyClient(): void
    {
        $answers = [[200, str_repeat('x', 11), []], [500, str_repeat('x', 11), []], [200, 'short', ['Content-Length' => '9']]];
        foreach ($answers as $i => [$status, $body, $headers]) {
            $inner = new class ($status, $body, $headers) implements ClientInterface {
                /** @param array<string, string> $headers */
                public function __construct(private int $status, private string $body, private array $headers) {}

                public function sendRequest(RequestInterface $request): ResponseInterface
                {
                    return new \Nyholm\Psr7\Response($this->status, $this->headers, $this->body);
                }
            };
            $client = self::client('http://127.0.0.1:1/v2', ['caps' => ['body_bytes' => 10, 'error_body_bytes' => 4], 'retry' => ['max_attempts' => 1]], http: $inner);
            try {
                $outcome = $client->send('/x')->response->body;
            } catch (\SupplierClient\Exception\CallFailed $failure) {
                $outcome = $failure->reason;
            }
            self::assertSame(['response-too-large', 'xxxx', 'http-response-incomplete'][$i], $outcome);
        }
    }
}
