<?php

declare(strict_types=1);

namespace SupplierClient\Tests;

use SupplierClient\Exception\SetupException;
use SupplierClient\Store\ApcuStore;
use SupplierClient\Store\Store;

final class ApcuStoreTest extends StoreTestCase
{
    protected function store(): Store
    {
        if (!function_exists('apcu_enabled') || !apcu_enabled()) {
            self::fail('install php-apcu, and run phpunit under php -d apc.enable_cli=1, as ci.sh does');
        }
        apcu_clear_cache();

        return new ApcuStore();
    }

    public function testNoUpdateIsLost(): void
    {
        $this->store();
        self::hammer('return new ApcuStore();', 6, 2000);
    }

    public function testNothingIsLeftOfOldTexts(): void
    {
        $store = $this->store();
        $text = null;
        foreach (range(1, 50) as $number) {
            $store->compareAndSwap(self::KEY, $text, "text $number", 60_000, self::PATIENCE_MS);
            $store->compareAndSwap(self::KEY, 'stale', 'never', 60_000, self::PATIENCE_MS);
            $text = "text $number";
        }
        self::assertSame(2, (int) apcu_cache_info(true)['num_entries']);
    }

    public function testWhatSomebodyElsePutThereGivesWay(): void
    {
        $store = $this->store();
        apcu_store(self::KEY, 'not ours');
        self::assertNull($store->load(self::KEY, self::PATIENCE_MS));
        self::assertTrue($store->compareAndSwap(self::KEY, null, 'a', 60_000, self::PATIENCE_MS)->won);
    }

    public function testWithoutApcuTheMessageSaysWhatToDo(): void
    {
        $code = 'require "tests/autoload.php"; try { new SupplierClient\Store\ApcuStore(); } catch (' . SetupException::class . ' $e) { echo $e->getMessage(); }';
        $said = (string) shell_exec('cd ' . dirname(__DIR__) . ' && ' . PHP_BINARY . ' -d apc.enable_cli=0 -r ' . escapeshellarg($code));
        self::assertStringContainsString('apc.enable_cli=1', $said);
    }
}
