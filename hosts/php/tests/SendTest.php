<?php

declare(strict_types=1);

namespace SupplierClient\Tests;

use Psr\Http\Client\NetworkExceptionInterface;
use SupplierClient\Exception\Cancelled;
use SupplierClient\Exception\InternalFailure;
use SupplierClient\Exception\InvalidRequest;
use SupplierClient\Exception\Throttled;
use SupplierClient\Exception\Unavailable;
use SupplierClient\Exception\UnknownOutcome;
use SupplierClient\FailureKind;
use SupplierClient\Options;
use SupplierClient\Request;
use SupplierClient\Tests\Support\ScriptedServer;
use SupplierClient\Transport\Broke;
use SupplierClient\Transport\Outgoing;
use SupplierClient\Transport\Phase;
use SupplierClient\Transport\Transport;

final class SendTest extends ClientTestCase
{
    public function testSignedPost(): void
    {
        $server = new ScriptedServer([ScriptedServer::response(201, '{"id":12345678901234567890}', 'X-Request-Id: r-1')]);
        $reply = self::client($server)->send(
            Request::json('POST', '/orders', ['sku' => 'Ü/1'], query: ['dry' => true, 'tag' => ['a', 'b c']]),
            new Options(idempotencyKey: 'order-1047'),
        );

        self::assertSame([201, 'ok', null], [$reply->status(), $reply->verdict, $reply->retryAfterMs]);
        self::assertTrue($reply->isOk());
        self::assertSame(['id' => '12345678901234567890'], $reply->json());
        self::assertSame('r-1', $reply->response->header('x-request-id'));
        self::assertCount(1, $reply->journal['attempts']);
        [$request] = $server->requests();
        self::assertSame('POST /v2/orders?dry=true&tag=a&tag=b%20c HTTP/1.1', self::firstLine($request));
        self::assertSame('{"sku":"Ü/1"}', self::body($request));
        self::assertStringContainsString("\r\nIdempotency-Key: order-1047\r\n", $request);
        self::assertSigned($request);
    }

    public function testBinaryBodiesBothWays(): void
    {
        $bytes = random_bytes(3000) . "\xff\0";
        $server = new ScriptedServer([ScriptedServer::response(200, $bytes)]);
        $reply = self::client($server)->send(new Request('PUT', '/labels/1', headers: ['Content-Type' => 'application/pdf'], body: $bytes));
        self::assertSame($bytes, $reply->response->body);
        self::assertSame($bytes, self::body($server->requests()[0]));
        self::assertSigned($server->requests()[0]);
    }

    public function testOneWaitAndThenSuccess(): void
    {
        $server = new ScriptedServer([ScriptedServer::response(429, 'slow down', 'Retry-After: 1'), ScriptedServer::response(200)]);
        $began = hrtime(true);
        $reply = self::client($server)->send(Request::json('POST', '/orders', []));
        $took = (hrtime(true) - $began) / 1e6;

        self::assertSame('ok', $reply->verdict);
        self::assertGreaterThanOrEqual(1000, $took);
        self::assertLessThan(20_000, $took);
        $times = array_map(self::assertSigned(...), $server->requests());
        self::assertGreaterThanOrEqual(1, $times[1] - $times[0]);
        self::assertSame('retry-after', $reply->journal['attempts'][1]['waits'][0]['why']);
    }

    /** @dataProvider lastWords */
    public function testNotRetried(int $status, string $verdict): void
    {
        $server = new ScriptedServer([ScriptedServer::response($status, 'no')]);
        $reply = self::client($server)->send('/consignments/1');
        self::assertSame([$status, $verdict, $status === 304 ? '' : 'no'], [$reply->status(), $reply->verdict, $reply->response->body]);
        self::assertCount(1, $server->requests());
    }

    /** @return iterable<array{int, string}> */
    public static function lastWords(): iterable
    {
        yield [400, 'rejected'];
        yield [401, 'rejected'];
        yield [403, 'forbidden'];
        yield [404, 'rejected'];
        yield [500, 'rejected'];
        yield [302, 'redirect'];
        yield [304, 'ok'];
    }

    public function testAttemptsSpentIsAReply(): void
    {
        $server = new ScriptedServer(array_fill(0, 4, ScriptedServer::response(503, 'busy')));
        $reply = self::client($server, ['retry' => ['base_delay_ms' => 1, 'max_delay_ms' => 1]])->send('/x');
        self::assertSame([503, 'exhausted', 'busy'], [$reply->status(), $reply->verdict, $reply->response->body]);
        self::assertCount(4, $server->requests());
    }

    public function testThrottledCarriesTheResponse(): void
    {
        $server = new ScriptedServer([ScriptedServer::response(429, '{"error":"slow"}', 'Retry-After: 7')]);
        try {
            self::client($server)->send('/x', new Options(maxWaitMs: 0));
            self::fail('no exception');
        } catch (Throttled $failure) {
            self::assertSame([FailureKind::Throttled, 'wait-too-long', 429], [$failure->kind, $failure->reason, $failure->status]);
            self::assertGreaterThanOrEqual(7000, $failure->retryAfterMs);
            self::assertSame(['error' => 'slow'], $failure->response?->json());
            self::assertSame('wait-too-long', $failure->journal['outcome']);
            self::assertSame('GET', $failure->getRequest()->getMethod());
            self::assertSame(429, $failure->response->psr()->getStatusCode());
        }
    }

    public function testUnsafeRequestIsNotRepeatedWhenItsOutcomeIsUnknown(): void
    {
        $server = new ScriptedServer([['then' => 'close'], ScriptedServer::response(200)]);
        try {
            self::client($server)->send(Request::json('POST', '/orders', ['sku' => 'A']));
            self::fail('no exception');
        } catch (UnknownOutcome $failure) {
            self::assertSame('maybe-applied', $failure->reason);
            self::assertNull($failure->response);
        }
        self::assertCount(1, $server->requests());
    }

    public function testKeyedRequestIsRepeatedUnderItsKey(): void
    {
        $server = new ScriptedServer([['then' => 'close'], ScriptedServer::response(200)]);
        $client = self::client($server, ['retry' => ['base_delay_ms' => 1, 'max_delay_ms' => 1]]);
        self::assertTrue($client->send(Request::json('POST', '/orders', []), new Options(idempotencyKey: 'k-1'))->isOk());
        self::assertCount(2, preg_grep('/^Idempotency-Key: k-1\r$/m', $server->requests()));
    }

    public function testSupplierThatIsDown(): void
    {
        $closed = stream_socket_server('tcp://127.0.0.1:0');
        $name = (string) stream_socket_get_name($closed, false);
        fclose($closed);
        $client = self::client("http://$name/v2", ['retry' => ['base_delay_ms' => 1, 'max_delay_ms' => 1]]);
        try {
            $client->send(Request::json('POST', '/orders', []));
            self::fail('no exception');
        } catch (Unavailable $failure) {
            self::assertInstanceOf(NetworkExceptionInterface::class, $failure);
            self::assertSame('connection-refused', $failure->reason);
            self::assertCount(4, $failure->journal['attempts']);
            self::assertStringContainsString('curl 7', $failure->journal['attempts'][0]['detail']);
        }
        self::assertSame(1, $client->health()['unavailable_in_a_row']);
    }

    public function testDeadlineEndsTheCall(): void
    {
        $server = new ScriptedServer([['then' => 'hang']]);
        $began = hrtime(true);
        try {
            self::client($server)->send('/x', new Options(deadlineMs: 300));
            self::fail('no exception');
        } catch (Cancelled $failure) {
            self::assertSame('deadline-passed', $failure->reason);
        }
        self::assertLessThan(20_000, (hrtime(true) - $began) / 1e6);
    }

    public function testInvalidRequestsAreRefusedBeforeAnythingIsSent(): void
    {
        $client = self::client('http://127.0.0.1:1/v2');
        foreach ([
            'invalid-path' => new Request('GET', '/a/../b'),
            'reserved-header' => new Request('GET', '/a', headers: ['Host' => 'b']),
            'invalid-header' => new Request('GET', '/a', headers: ['X' => "a\r\nb"]),
            'invalid-request' => new Request('GET', "/\xff"),
        ] as $reason => $request) {
            try {
                $client->send($request);
                self::fail('no exception');
            } catch (InvalidRequest $failure) {
                self::assertSame($reason, $failure->reason);
            }
        }
        self::assertSame(0, $client->health()['attempts']);
    }

    public function testLatin1HeadersAreReadable(): void
    {
        $server = new ScriptedServer([ScriptedServer::response(200, '', "X-City: K\xf6ln", 'X-Utf8: Köln')]);
        $response = self::client($server)->send('/x')->response;
        self::assertSame(['Köln', 'Köln'], [$response->header('X-City'), $response->header('X-Utf8')]);
    }

    public function testWhatATransportSaysIsMadeReadable(): void
    {
        $transport = new class implements Transport {
            public function exchange(Outgoing $request): Broke
            {
                return new Broke(Phase::Never, "no-f\xfcn", "k\xf6nnte");
            }
        };
        $this->expectException(InternalFailure::class);
        self::client('http://127.0.0.1:1/v2', http: $transport)->send('/x');
    }

    public function testRotation(): void
    {
        $server = new ScriptedServer(array_fill(0, 2, ScriptedServer::response(200)));
        $client = self::client($server);
        $client->send('/x');
        $client->setCredentials(['signing-secret' => 'another_secret']);
        $client->send('/x');
        self::assertSigned($server->requests()[0]);
        self::assertSigned($server->requests()[1], 'another_secret');
    }

    public function testExplanationSendsNothingAndShowsNoSecret(): void
    {
        $client = self::client('http://127.0.0.1:1/v2');
        $told = (string) json_encode($client->explain(Request::json('POST', '/orders', ['a' => 1])));
        self::assertStringContainsString('orders', $told);
        self::assertStringNotContainsString(self::SECRET, $told);
        $this->expectException(InvalidRequest::class);
        $client->explain('/../x');
    }
}
