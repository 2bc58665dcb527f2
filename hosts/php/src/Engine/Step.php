<?php

declare(strict_types=1);

namespace SupplierClient\Engine;

/**
 * The contract's `step`.
 *
 * @internal
 */
enum Step: string
{
    case Send = 'send';
    case Wait = 'wait';
    case Store = 'store';
    case Reply = 'reply';
    case Page = 'page';
    case Failed = 'failed';
}
