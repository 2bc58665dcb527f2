<?php

declare(strict_types=1);

namespace SupplierClient\Exception;

use Psr\Http\Client\RequestExceptionInterface;

/**
 * The request cannot be sent as it is. Nothing was sent.
 */
final class InvalidRequest extends CallFailed implements RequestExceptionInterface {}
