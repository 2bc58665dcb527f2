<?php

declare(strict_types=1);

namespace SupplierClient\Exception;

use RuntimeException;

/**
 * Everything that this package throws, but for mistakes in calling it (InvalidArgumentException).
 */
abstract class SupplierException extends RuntimeException {}
