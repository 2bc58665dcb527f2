<?php

declare(strict_types=1);

namespace SupplierClient\Exception;

/**
 * This machine is not set up: a library is missing or has the wrong version, FFI is off, a choice
 * was not made. The message says what to do. Nothing was sent.
 */
final class SetupException extends SupplierException {}
