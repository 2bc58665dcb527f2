<?php

declare(strict_types=1);

namespace SupplierClient\Transport;

use RuntimeException;

/**
 * Ends a transfer from inside Guzzle.
 *
 * @internal
 */
final class HeadersTooLarge extends RuntimeException {}
