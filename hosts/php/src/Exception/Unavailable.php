<?php

declare(strict_types=1);

namespace SupplierClient\Exception;

use Psr\Http\Client\NetworkExceptionInterface;

/**
 * No complete response came, though it may come later.
 */
final class Unavailable extends CallFailed implements NetworkExceptionInterface {}
