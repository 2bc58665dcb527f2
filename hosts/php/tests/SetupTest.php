<?php

declare(strict_types=1);

namespace SupplierClient\Tests;

use InvalidArgumentException;
use PHPUnit\Framework\TestCase;
use SupplierClient\Engine\Profile;
use SupplierClient\Exception\ProfileException;
use SupplierClient\Exception\SetupException;
use SupplierClient\Store\MemoryStore;
use SupplierClient\SupplierClient;
use SupplierClient\Wasm\Installation;
use SupplierClient\Wasm\Library;

/**
 * One clear message for whatever is wrong with the machine, the profile or the credentials.
 */
final class SetupTest extends TestCase
{
    public function testEveryProblemAtOnce(): void
    {
        try {
            SupplierClient::open('{"profile": 1, "supplier": "acme", "nonsense": true, "retry": {"max_attempts": 0}}', ['unused' => 'x_value']);
            self::fail('no exception');
        } catch (ProfileException $error) {
            self::assertGreaterThanOrEqual(3, count($error->problems));
            self::assertContains('/nonsense', array_column($error->problems, 'pointer'));
            foreach ($error->problems as $problem) {
                self::assertStringContainsString($problem->message, $error->getMessage());
            }
            self::assertStringNotContainsString('x_value', $error->getMessage());
        }
    }

    public function testMissingCredential(): void
    {
        $this->expectException(ProfileException::class);
        $this->expectExceptionMessageMatches('/signing-secret/');
        SupplierClient::open(__DIR__ . '/acme.json');
    }

    /** As from getenv(), where the variable is not set. */
    public function testCredentialThatIsNotSet(): void
    {
        foreach ([false, null] as $value) {
            try {
                SupplierClient::open(__DIR__ . '/acme.json', ['signing-secret' => $value]);
                self::fail('no exception');
            } catch (ProfileException $error) {
                self::assertStringContainsString('signing-secret', $error->getMessage());
            }
        }
        $this->expectException(InvalidArgumentException::class);
        $this->expectExceptionMessage('The credential "signing-secret" must be a string, not int.');
        SupplierClient::open(__DIR__ . '/acme.json', ['signing-secret' => 12]);
    }

    /** @dataProvider bytes */
    public function testBytesThatAreNoTextAreRefused(string $code, callable $open): void
    {
        try {
            $open();
            self::fail('no exception');
        } catch (ProfileException $error) {
            self::assertSame([$code], array_column($error->problems, 'code'));
            self::assertStringNotContainsString("\xff", $error->getMessage());
        }
    }

    /** @return iterable<string, array{string, callable(): mixed}> */
    public static function bytes(): iterable
    {
        $profile = __DIR__ . '/acme.json';
        yield 'credential' => ['not-utf8', static fn() => SupplierClient::open($profile, ['signing-secret' => "\xff"])];
        yield 'new credential' => ['not-utf8', static fn() => SupplierClient::open($profile, ['signing-secret' => 'x'])->setCredentials(['signing-secret' => "\xff"])];
        yield 'profile' => ['invalid-json', static fn() => SupplierClient::open("{\"supplier\": \"\xff\"}")];
        yield 'overrides' => ['invalid-json', static fn() => SupplierClient::open($profile, ['signing-secret' => 'x'], ['supplier' => "\xff"])];
        yield 'overrides as text' => ['invalid-json', static fn() => SupplierClient::open($profile, ['signing-secret' => 'x'], "{\"supplier\": \"\xff\"}")];
    }

    public function testMissingProfile(): void
    {
        $this->expectException(ProfileException::class);
        $this->expectExceptionMessageMatches('/no-such-profile\.json/');
        SupplierClient::open('no-such-profile.json');
    }

    public function testSecretsStandInNoDumpAndNoTrace(): void
    {
        $secret = 'very_secret_value';
        $client = SupplierClient::open(__DIR__ . '/acme.json', ['signing-secret' => $secret]);
        ob_start();
        var_dump($client);
        print_r($client);
        $dump = (string) ob_get_clean() . var_export(iterator_to_array(new \ArrayIterator((array) $client->health())), true);
        self::assertStringNotContainsString($secret, $dump);
        try {
            SupplierClient::open('{"profile": 2}', ['signing-secret' => $secret]);
            self::fail('no exception');
        } catch (ProfileException $error) {
            self::assertStringNotContainsString($secret, "$error");
        }
    }

    public function testMissingLibrary(): void
    {
        $this->expectException(SetupException::class);
        $this->expectExceptionMessageMatches('#/nowhere/libwasmtime\.so.*supplier-client install#');
        Library::loadChecked('/nowhere/libwasmtime.so');
    }

    public function testLibraryThatNobodyHasNamedAndTheLoaderDoesNotFind(): void
    {
        $this->expectException(SetupException::class);
        $this->expectExceptionMessageMatches('/was not found on this machine.*50\.x.*supplier-client install --library PATH/');
        Library::loadChecked('libwasmtime_that_is_not_there.so');
    }

    public function testLibraryThatIsNone(): void
    {
        $this->expectException(SetupException::class);
        $this->expectExceptionMessageMatches('/no wasmtime library/');
        Library::loadChecked('libc.so.6');
    }

    public function testLibraryOfAnotherVersion(): void
    {
        $other = (string) getenv('SUPPLIER_WASMTIME_OTHER');
        if ($other === '') {
            self::fail('SUPPLIER_WASMTIME_OTHER must name a libwasmtime of another version; ci.sh downloads one');
        }
        $this->expectException(SetupException::class);
        $this->expectExceptionMessageMatches('/is wasmtime \d+; this version of supplier-client needs wasmtime 50\.x/');
        Library::loadChecked($other);
    }

    public function testCommand(): void
    {
        $home = sys_get_temp_dir() . '/supplier-home-' . getmypid();
        $library = Installation::find()->library();
        $run = static function (string $arguments) use ($home): array {
            exec("SUPPLIER_CLIENT_HOME=$home SUPPLIER_WASMTIME= " . PHP_BINARY . ' ' . __DIR__ . "/../bin/supplier-client $arguments 2>&1", $lines, $status);

            return [$status, implode("\n", $lines)];
        };
        try {
            [$status, $text] = $run('install --library /nowhere.so');
            self::assertSame(1, $status);
            self::assertStringContainsString('/nowhere.so', $text);
            self::assertSame(1, substr_count($text, "\n") + 1, $text);

            [$status, $text] = $run("install --library $library");
            self::assertSame(0, $status, $text);
            self::assertStringContainsString('opcache.preload=', $text);
            self::assertStringContainsString('ffi.enable', $text);
            self::assertCount(1, glob("$home/*.cwasm") ?: []);

            [$status, $text] = $run('status');
            self::assertSame(0, $status, $text);
            self::assertMatchesRegularExpression('#precompiled +/#', $text);

            // Code of another machine.
            file_put_contents((glob("$home/*.cwasm") ?: [])[0], 'damaged');
            [$status, $text] = $run('status');
            self::assertSame(1, $status);
            self::assertStringContainsString('does not fit this machine', $text);

            self::assertSame(2, $run('nonsense')[0]);
        } finally {
            array_map(unlink(...), glob("$home/*") ?: []);
            @rmdir($home);
        }
    }

    public function testFpmAsksWhereTheBudgetIs(): void
    {
        $limited = Profile::read(__DIR__ . '/acme.json', null);
        $limited->demandStore(null, 'cli');
        $limited->demandStore(new MemoryStore(), 'fpm-fcgi');
        Profile::read(__DIR__ . '/acme.json', ['limits' => null])->demandStore(null, 'fpm-fcgi');
        self::assertSame(1000, Profile::defaults('fpm-fcgi')->maxWaitMs);
        self::assertNull(Profile::defaults('cli')->maxWaitMs);
        $this->expectException(SetupException::class);
        $this->expectExceptionMessageMatches('/acme-freight has limits.*MemoryStore/');
        $limited->demandStore(null, 'fpm-fcgi');
    }
}
