<?php

declare(strict_types=1);

namespace SupplierClient;

use Generator;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;
use Psr\Log\LoggerInterface;
use SensitiveParameter;
use SupplierClient\Engine\Call;
use SupplierClient\Engine\Driver;
use SupplierClient\Engine\Policy;
use SupplierClient\Engine\Profile;
use SupplierClient\Exception\CallFailed;
use SupplierClient\Exception\ProfileException;
use SupplierClient\Exception\SetupException;
use SupplierClient\Store\Store;
use SupplierClient\Transport\CurlTransport;
use SupplierClient\Transport\GuzzleTransport;
use SupplierClient\Transport\Psr18Transport;
use SupplierClient\Transport\Transport;
use SupplierClient\Wasm\Runtime;

/**
 * One supplier's HTTP API, called correctly: every attempt is signed afresh, what may be retried is
 * decided by the profile, requests are paced by the supplier's own headers, lists are read page by
 * page. Keep it: pacing, the supplier's clock and its health live in it.
 *
 *     $acme = SupplierClient::open('acme.json', ['signing-secret' => getenv('ACME_SECRET')]);
 *     foreach ($acme->items('/consignments') as $consignment) { ... }
 *
 * As a PSR-18 client it takes requests whose URI is below the profile's `base_url`, or relative to it.
 */
final class SupplierClient implements ClientInterface
{
    private function __construct(
        private readonly Profile $profile,
        private readonly Policy $policy,
        private readonly Driver $driver,
        private readonly Options $defaults,
    ) {}

    /**
     * @param string $profile path of a profile, or its JSON text
     * @param array<string, string|false|null> $credentials by the names that the profile gives them; `false` (as
     *     getenv() says it) and null are as if they were not there
     * @param array<string, mixed>|string|null $overrides a JSON Merge Patch (RFC 7396) on the profile, for
     *     what differs between staging and production
     * @param ClientInterface|Transport|null $http what sends; curl when null
     * @param LoggerInterface|null $logger gets each call's journal, and each wait when it begins
     * @param Store|null $store where workers share a budget; must be given under PHP-FPM if the profile has
     *     limits, since there every request is a new worker
     *
     * @throws ProfileException with every mistake in the profile, the overrides and the credentials
     * @throws SetupException if this machine is not set up
     */
    public static function open(
        string $profile,
        #[SensitiveParameter]
        array $credentials = [],
        array|string|null $overrides = null,
        ClientInterface|Transport|null $http = null,
        ?LoggerInterface $logger = null,
        ?Store $store = null,
    ): self {
        $profile = Profile::read($profile, $overrides);
        $policy = new Policy(Runtime::shared(), $profile->text, $profile->overrides, $credentials);
        $profile->demandStore($store, PHP_SAPI);
        $transport = match (true) {
            $http instanceof Transport => $http,
            $http instanceof \GuzzleHttp\ClientInterface => new GuzzleTransport($http),
            $http !== null => new Psr18Transport($http),
            default => new CurlTransport(),
        };

        return new self($profile, $policy, new Driver($policy, $transport, $logger, $store), Profile::defaults(PHP_SAPI));
    }

    /**
     * Sends one request and returns the response that ends the call, 4xx and 5xx included.
     *
     * @param Request|RequestInterface|string $request a string is the target of a GET
     *
     * @throws CallFailed
     */
    public function send(Request|RequestInterface|string $request, ?Options $options = null): Reply
    {
        return $this->driver->reply($this->call($request, $options));
    }

    /**
     * PSR-18. Idempotency keys, operations and deadlines: see {@see SupplierClient::with()}.
     *
     * @throws CallFailed
     */
    public function sendRequest(RequestInterface $request): ResponseInterface
    {
        return $this->send($request)->response->psr();
    }

    /**
     * The same client with other defaults for its calls: for `sendRequest()` and for libraries that
     * take a PSR-18 client.
     */
    public function with(Options $options): self
    {
        return new self($this->profile, $this->policy, $this->driver, $options->or($this->defaults));
    }

    /**
     * Reads one page: the first without a position, any other with the `next` of the page before it.
     * Nothing is fetched ahead.
     *
     * @throws CallFailed on whatever is not a page
     */
    public function page(Request|RequestInterface|string $request, ?string $position = null, ?Options $options = null): Page
    {
        return $this->driver->page($this->call($request, $options), $position);
    }

    /**
     * All pages from a position on, each read when it is asked for.
     *
     * @return Generator<int, Page>
     * @throws CallFailed
     */
    public function pages(Request|RequestInterface|string $request, ?string $from = null, ?Options $options = null): Generator
    {
        do {
            $page = $this->page($request, $from, $options);
            yield $page;
            $from = $page->next;
        } while ($from !== null);
    }

    /**
     * All items from a position on: objects as arrays, integers that do not fit as strings. One page is
     * in memory at a time.
     *
     * @return Generator<int, mixed>
     * @throws CallFailed
     */
    public function items(Request|RequestInterface|string $request, ?string $from = null, ?Options $options = null): Generator
    {
        foreach ($this->pages($request, $from, $options) as $page) {
            foreach ($page->items() as $item) {
                yield $item;
            }
        }
    }

    /**
     * Replaces all credentials, for rotation. Budget, clock and health stay. On failure the old
     * credentials stay in force.
     *
     * @param array<string, string|false|null> $credentials as for {@see SupplierClient::open()}
     *
     * @throws ProfileException
     */
    public function setCredentials(#[SensitiveParameter] array $credentials): void
    {
        $this->policy->setCredentials($credentials);
    }

    /**
     * Counts by outcome and the state of each pool, see schemas/health.schema.json.
     *
     * @return array<string, mixed>
     */
    public function health(): array
    {
        return json_decode($this->policy->health(), true, flags: JSON_THROW_ON_ERROR);
    }

    /**
     * What `send()` would do with this request, with secrets blanked out: the request line and headers,
     * the string to sign, the operation's settings, the waits of its retries. Sends nothing.
     *
     * @return array<string, mixed>
     * @throws CallFailed
     */
    public function explain(Request|RequestInterface|string $request, ?Options $options = null): array
    {
        return $this->driver->explain($this->call($request, $options));
    }

    private function call(Request|RequestInterface|string $request, ?Options $options): Call
    {
        return Call::of($request, $options?->or($this->defaults) ?? $this->defaults, $this->profile->baseUrl());
    }

    /** @return array<string, mixed> */
    public function __debugInfo(): array
    {
        return ['supplier' => $this->profile->supplier()];
    }
}
