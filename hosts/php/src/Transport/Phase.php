<?php

declare(strict_types=1);

namespace SupplierClient\Transport;

/**
 * How far a broken attempt got.
 */
enum Phase: string
{
    /** The supplier has not seen the request. */
    case NotSent = 'not-sent';
    /** It may have. The right answer whenever one does not know. */
    case MaybeSent = 'maybe-sent';
    /** This host refuses the request; no attempt can succeed. */
    case Never = 'never';
    /** The response was longer than the caps allow. */
    case TooLarge = 'too-large';
}
