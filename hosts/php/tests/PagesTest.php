<?php

declare(strict_types=1);

namespace SupplierClient\Tests;

use SupplierClient\Exception\BadResponse;
use SupplierClient\Exception\Denied;
use SupplierClient\Request;
use SupplierClient\Tests\Support\ScriptedServer;

final class PagesTest extends ClientTestCase
{
    /** @return list<string> */
    private static function pages(): array
    {
        return [
            ScriptedServer::response(200, '{"items": [{"id": 1, "price": 1.10}, {"id": 12345678901234567890}], "next": "b/c", "has_more": true}', 'X-Page: 1'),
            ScriptedServer::response(200, '{"items": [], "next": "d", "has_more": true}'),
            ScriptedServer::response(200, '{"items": [{"id": 3}], "next": null, "has_more": false}'),
        ];
    }

    private const OPEN = ['pages' => ['empty_is_end' => false]];

    public function testItemsOfAllPages(): void
    {
        $server = new ScriptedServer(self::pages());
        $items = [];
        foreach (self::client($server, self::OPEN)->items(new Request('GET', '/consignments', ['limit' => 2])) as $key => $item) {
            $items[$key] = $item['id'];
        }
        self::assertSame([1, '12345678901234567890', 3], $items);
        self::assertSame(
            ['GET /v2/consignments?limit=2 HTTP/1.1', 'GET /v2/consignments?limit=2&cursor=b%2Fc HTTP/1.1', 'GET /v2/consignments?limit=2&cursor=d HTTP/1.1'],
            array_map(self::firstLine(...), $server->requests()),
        );
        array_map(self::assertSigned(...), $server->requests());
    }

    public function testNothingIsFetchedAhead(): void
    {
        $server = new ScriptedServer(self::pages());
        $items = self::client($server)->items('/consignments');
        self::assertSame([], $server->requests());
        self::assertSame(1, $items->current()['id']);
        $items->next();
        self::assertCount(1, $server->requests());
    }

    public function testPageIsCutOutUnchangedAndPositionsOutliveTheClient(): void
    {
        $server = new ScriptedServer(self::pages());
        $page = self::client($server)->page('/consignments');
        self::assertSame('[{"id": 1, "price": 1.10}, {"id": 12345678901234567890}]', $page->json);
        self::assertSame(2, $page->count);
        self::assertContains(['X-Page', '1'], $page->headers);
        $rest = iterator_to_array(self::client($server, self::OPEN)->pages('/consignments', $page->next), false);
        self::assertCount(2, $rest);
        self::assertNull($rest[1]->next);
    }

    public function testWhatIsNoPageIsAnException(): void
    {
        $server = new ScriptedServer([ScriptedServer::response(200, '<html>'), ScriptedServer::response(404, '{"why": "gone"}')]);
        $client = self::client($server);
        try {
            $client->page('/consignments');
            self::fail('no exception');
        } catch (BadResponse $failure) {
            self::assertSame(['bad-page', '<html>'], [$failure->reason, $failure->response?->body]);
        }
        $this->expectException(Denied::class);
        iterator_to_array($client->items('/consignments'));
    }
}
