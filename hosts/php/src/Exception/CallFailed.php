<?php

declare(strict_types=1);

namespace SupplierClient\Exception;

use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Message\RequestInterface;
use SupplierClient\FailureKind;
use SupplierClient\Request;
use SupplierClient\Response;

/**
 * Why a call has no reply or page to hand over. One subclass a kind: catch the one that you can do
 * something about.
 */
abstract class CallFailed extends SupplierException implements ClientExceptionInterface
{
    /**
     * @param array<string, mixed> $journal
     */
    final public function __construct(
        public readonly FailureKind $kind,
        /** The precise reason: `wait-too-long`, `maybe-applied`, `cross-origin-next`, ... New ones may come. */
        public readonly string $reason,
        string $message,
        private readonly Request|RequestInterface $request,
        /** When it is worth calling again, where the supplier gave a number. */
        public readonly ?int $retryAfterMs = null,
        /** The last status heard, also of a response whose body never came whole. */
        public readonly ?int $status = null,
        /** The complete response of the last attempt, if there was one. */
        public readonly ?Response $response = null,
        /** Every attempt and every wait of the call, see schemas/journal.schema.json. */
        public readonly array $journal = [],
    ) {
        parent::__construct($message);
    }

    /** The request as it was given to the client: not signed. */
    final public function getRequest(): RequestInterface
    {
        return $this->request instanceof Request ? $this->request->psr() : $this->request;
    }
}
