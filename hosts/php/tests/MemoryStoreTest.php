<?php

declare(strict_types=1);

namespace SupplierClient\Tests;

use SupplierClient\Store\MemoryStore;
use SupplierClient\Store\Store;

final class MemoryStoreTest extends StoreTestCase
{
    protected function store(): Store
    {
        return new MemoryStore();
    }
}
