<?php

declare(strict_types=1);

namespace SupplierClient\Exception;

/**
 * A fault of this host, its clock or its configuration.
 */
final class InternalFailure extends CallFailed {}
