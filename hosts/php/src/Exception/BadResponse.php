<?php

declare(strict_types=1);

namespace SupplierClient\Exception;

/**
 * A response came, and it is not what the profile says it should be.
 */
final class BadResponse extends CallFailed {}
