<?php

declare(strict_types=1);

namespace SupplierClient\Exception;

/**
 * The supplier may have done what an unsafe request asked for. Find out before repeating it.
 */
final class UnknownOutcome extends CallFailed {}
