<?php

declare(strict_types=1);

namespace SupplierClient\Exception;

/**
 * A limit: wait `retryAfterMs`, then call again.
 */
final class Throttled extends CallFailed {}
