<?php

declare(strict_types=1);

namespace SupplierClient\Exception;

/**
 * The host or the supplier refused. Repeating it changes nothing.
 */
final class Denied extends CallFailed {}
