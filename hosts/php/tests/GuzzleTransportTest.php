<?php

declare(strict_types=1);

namespace SupplierClient\Tests;

use GuzzleHttp\Client;
use SupplierClient\Transport\GuzzleTransport;
use SupplierClient\Transport\Transport;

final class GuzzleTransportTest extends TransportTestCase
{
    protected function transport(): Transport
    {
        // Settings that would break promises, to see that they do not.
        return new GuzzleTransport(new Client(['allow_redirects' => true, 'cookies' => true, 'http_errors' => true]));
    }
}
