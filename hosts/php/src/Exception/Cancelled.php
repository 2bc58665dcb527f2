<?php

declare(strict_types=1);

namespace SupplierClient\Exception;

/**
 * The call's own deadline, or its caller, ended it.
 */
final class Cancelled extends CallFailed {}
