<?php

declare(strict_types=1);

namespace SupplierClient\Tests;

use SupplierClient\Exception\SetupException;
use SupplierClient\Store\FileStore;
use SupplierClient\Store\Store;
use SupplierClient\Store\StoreException;

final class FileStoreTest extends StoreTestCase
{
    private string $folder;

    protected function setUp(): void
    {
        $this->folder = sys_get_temp_dir() . '/supplier-budgets-' . bin2hex(random_bytes(6)) . '/inner';
    }

    protected function tearDown(): void
    {
        array_map(unlink(...), glob("$this->folder/*") ?: []);
        @rmdir($this->folder);
        @rmdir(dirname($this->folder));
    }

    protected function store(): Store
    {
        return new FileStore($this->folder);
    }

    public function testFolderIsForItsOwner(): void
    {
        $this->store();
        self::assertSame(0o700, fileperms($this->folder) & 0o777);
    }

    public function testNoUpdateIsLost(): void
    {
        self::hammer("return new FileStore('$this->folder');", 6, 150);
    }

    public function testWhatIsNoTextCountsAsNothing(): void
    {
        $store = $this->store();
        $store->compareAndSwap(self::KEY, null, 'a', 60_000, self::PATIENCE_MS);
        [$file] = array_values(array_filter(glob("$this->folder/*") ?: [], static fn(string $file): bool => !str_ends_with($file, '.lock')));
        foreach (['', 'garbage', "x\ny"] as $garbage) {
            file_put_contents($file, $garbage);
            self::assertNull($store->load(self::KEY, self::PATIENCE_MS));
        }
        self::assertTrue($store->compareAndSwap(self::KEY, null, 'b', 60_000, self::PATIENCE_MS)->won);
        unlink($file);
        self::assertNull($store->load(self::KEY, self::PATIENCE_MS));
    }

    public function testLockOfAnotherIsWaitedForWithPatience(): void
    {
        $store = $this->store();
        $store->compareAndSwap(self::KEY, null, 'a', 60_000, self::PATIENCE_MS);
        [$file] = glob("$this->folder/*.lock") ?: [];
        $lock = fopen($file, 'c');
        self::assertTrue(flock($lock, LOCK_EX));
        self::assertSame('a', $store->load(self::KEY, 10), 'readers need no lock');
        $began = hrtime(true);
        try {
            $store->compareAndSwap(self::KEY, 'a', 'b', 60_000, 100);
            self::fail('no exception');
        } catch (StoreException $error) {
            self::assertSame('store-timeout', $error->reason);
            self::assertGreaterThanOrEqual(100, (hrtime(true) - $began) / 1e6);
        }
        fclose($lock);
        self::assertTrue($store->compareAndSwap(self::KEY, 'a', 'b', 60_000, self::PATIENCE_MS)->won);
    }

    public function testFolderThatCannotBe(): void
    {
        $this->expectException(SetupException::class);
        $this->expectExceptionMessageMatches('#/dev/null/budgets#');
        new FileStore('/dev/null/budgets');
    }

    public function testFolderThatIsGone(): void
    {
        $store = $this->store();
        rmdir($this->folder);
        $this->expectException(StoreException::class);
        $this->expectExceptionMessageMatches('/cannot be opened/');
        $store->compareAndSwap(self::KEY, null, 'a', 60_000, self::PATIENCE_MS);
    }
}
