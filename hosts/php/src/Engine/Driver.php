<?php

declare(strict_types=1);

namespace SupplierClient\Engine;

use Psr\Log\LoggerInterface;
use SupplierClient\Exception\CallFailed;
use SupplierClient\Exception\InternalFailure;
use SupplierClient\FailureKind;
use SupplierClient\Page;
use SupplierClient\Reply;
use SupplierClient\Response;
use SupplierClient\Store\Store;
use SupplierClient\Store\StoreException;
use SupplierClient\Store\Swap;
use SupplierClient\Transport\Answered;
use SupplierClient\Transport\Broke;
use SupplierClient\Transport\Outgoing;
use SupplierClient\Transport\Transport;
use SupplierClient\Wasm\WasmException;
use Throwable;

/**
 * Does what the engine says: sends, waits, asks the store, until the call has ended.
 *
 * @internal
 */
final class Driver
{
    private bool $toldNoStore = false;

    public function __construct(
        private readonly Policy $policy,
        private readonly Transport $transport,
        private readonly ?LoggerInterface $logger,
        private readonly ?Store $store,
    ) {}

    public function reply(Call $call): Reply
    {
        [$action, $last] = $this->run($call, $call->json());
        $detail = $action->detail;

        return new Reply(self::response($last), $detail['verdict'], $detail['retry_after_ms'] ?? null, $detail['journal']);
    }

    public function page(Call $call, ?string $position): Page
    {
        [$action, $last] = $this->run($call, $call->json('page', $position));
        $detail = $action->detail;

        return new Page($action->body, $detail['count'], $detail['next'] ?? null, $last->headers ?? [], $detail['journal']);
    }

    /** @return array<string, mixed> */
    public function explain(Call $call): array
    {
        $told = json_decode($this->policy->explain($call->json(), $call->body), true, flags: JSON_THROW_ON_ERROR);
        if (isset($told['failure'])) {
            throw self::failure($call, $told['failure'], null);
        }

        return $told;
    }

    /**
     * @return array{Action, ?Answered} how the call ended, and the answer of its last attempt
     * @throws CallFailed
     */
    private function run(Call $call, string $request): array
    {
        try {
            return $this->converse($call, $this->policy->begin($request, $call->body));
        } catch (WasmException $error) {
            throw new InternalFailure(
                FailureKind::Internal,
                'engine-trapped',
                "The engine failed, which is a defect of supplier-client: {$error->getMessage()}",
                $call->request,
            );
        }
    }

    /** @return array{Action, ?Answered} */
    private function converse(Call $call, Conversation $conversation): array
    {
        $last = null;
        $action = $conversation->go();
        while (true) {
            switch ($action->step) {
                case Step::Send:
                    [$action, $last] = $this->send($call, $conversation, $action);
                    break;
                case Step::Wait:
                    $action = $this->wait($conversation, $action);
                    break;
                case Step::Store:
                    $action = $this->store($conversation, $action);
                    break;
                case Step::Reply:
                case Step::Page:
                    $this->log($action->detail['journal']);

                    return [$action, $last];
                case Step::Failed:
                    $this->log($action->detail['journal'] ?? [], $action->detail['kind']);
                    throw self::failure($call, $action->detail, $last);
            }
        }
    }

    /** @return array{Action, ?Answered} */
    private function send(Call $call, Conversation $conversation, Action $action): array
    {
        $detail = $action->detail;
        $outgoing = new Outgoing(
            $detail['method'],
            $detail['url'],
            $detail['headers'],
            $action->body,
            $action->ms,
            $detail['caps']['body_bytes'],
            $detail['caps']['error_body_bytes'],
            $detail['caps']['header_bytes'],
            $call->isRepeatable(),
        );
        try {
            $outcome = $this->transport->exchange($outgoing);
        } catch (Throwable $thrown) {
            $this->cancel($conversation);
            throw $thrown;
        }
        $headers = $outcome->headers;
        $json = Text::headers($headers);
        if ($outcome instanceof Broke) {
            return [$conversation->broke($outcome, $json), null];
        }
        $wanted = $detail['want'][$outcome->status < 400 ? 'ok' : 'error'];
        $action = $conversation->answered($outcome->status, $json, $wanted ? $outcome->body : '');

        return [$action, new Answered($outcome->status, $headers, $outcome->body)];
    }

    private function store(Conversation $conversation, Action $action): Action
    {
        if ($this->store === null) {
            if (!$this->toldNoStore) {
                $this->toldNoStore = true;
                $this->logger?->warning('supplier-client shares the budget of its profile, and was given no store: that counts as one that failed');
            }

            return $conversation->storeFailed('no-store');
        }
        $detail = $action->detail;
        try {
            $swap = isset($detail['value'])
                ? $this->store->compareAndSwap($detail['key'], Text::inStore($detail['expect'] ?? null), $detail['value'], $detail['ttl_ms'], $action->ms)
                : new Swap(true, $this->store->load($detail['key'], $action->ms));
        } catch (StoreException $error) {
            $this->logger?->warning('supplier-client goes without its store: {reason}', ['reason' => $error->reason, 'exception' => $error]);

            return $conversation->storeFailed($error->reason);
        } catch (Throwable $thrown) {
            $this->cancel($conversation);
            throw $thrown;
        }

        return $conversation->stored($swap);
    }

    private function wait(Conversation $conversation, Action $action): Action
    {
        try {
            $this->logger?->notice('supplier-client waits {ms} ms ({why})', ['ms' => $action->ms, 'why' => $action->detail['why']]);
            Clock::sleep($action->ms);
        } catch (Throwable $thrown) {
            $this->cancel($conversation);
            throw $thrown;
        }

        return $conversation->go();
    }

    /**
     * Whatever is thrown meanwhile (by a signal's handler, a middleware, a logger, a store) ends the call:
     * the engine hears of it, and its budget is settled.
     */
    private function cancel(Conversation $conversation): void
    {
        $this->log($conversation->cancel()->detail['journal'] ?? [], FailureKind::Cancelled->value);
    }

    /** @param array<string, mixed> $detail */
    private static function failure(Call $call, array $detail, ?Answered $last): CallFailed
    {
        $kind = FailureKind::from($detail['kind']);

        return new ($kind->exception())(
            $kind,
            $detail['code'],
            $detail['message'],
            $call->request,
            $detail['retry_after_ms'] ?? null,
            $detail['status'] ?? null,
            $last === null ? null : self::response($last),
            $detail['journal'] ?? [],
        );
    }

    private static function response(?Answered $answer): Response
    {
        assert($answer !== null);

        return new Response($answer->status, $answer->headers, $answer->body);
    }

    /**
     * @param array<string, mixed> $journal
     * @param string|null $kind of the failure, if it was one
     */
    private function log(array $journal, ?string $kind = null): void
    {
        if ($this->logger === null || $journal === []) {
            return;
        }
        $level = match ($kind) {
            null => count($journal['attempts']) > 1 ? 'notice' : 'info',
            'unavailable', 'unknown-outcome', 'bad-response', 'internal' => 'error',
            default => 'warning',
        };
        $this->logger->log($level, '{supplier} {method} {operation}: {outcome} after {attempts} attempt(s) in {elapsed_ms} ms', [
            'supplier' => $journal['supplier'],
            'method' => $journal['method'],
            'operation' => $journal['operation'] ?? $journal['host'],
            'outcome' => $journal['outcome'],
            'attempts' => count($journal['attempts']),
            'elapsed_ms' => $journal['elapsed_ms'],
            'journal' => $journal,
        ]);
    }
}
