<?php

declare(strict_types=1);

namespace SupplierClient\Transport;

/**
 * Sends one signed request and reads its answer. The policy (retries, waits, signatures) is the
 * engine's; a transport has none of its own.
 *
 * It promises: the target and the headers go out exactly as given, at once; no redirect is followed,
 * nothing is repeated, no cookie kept, nothing cached or decompressed; the timer covers the whole
 * exchange; the caps hold while reading. What it cannot promise, it says in its documentation.
 */
interface Transport
{
    /** Never throws for what the network does. */
    public function exchange(Outgoing $request): Answered|Broke;
}
