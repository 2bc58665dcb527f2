<?php

declare(strict_types=1);

namespace SupplierClient\Engine;

use JsonException;
use SupplierClient\Exception\ProfileException;
use SupplierClient\Exception\SetupException;
use SupplierClient\Options;
use SupplierClient\Problem;
use SupplierClient\Store\MemoryStore;
use SupplierClient\Store\Store;

/**
 * A profile's text, and the little that the host itself must know of it. The engine reads and checks
 * it; what is read here is read after that.
 *
 * @internal
 */
final class Profile
{
    /** Under PHP-FPM a wait holds a worker, and `max_execution_time` does not count it. */
    private const FPM_MAX_WAIT_MS = 1000;

    private const FPM = 'fpm-fcgi';

    /** @var array<string, mixed>|null */
    private ?array $merged = null;

    private function __construct(
        public readonly string $text,
        public readonly ?string $overrides,
    ) {}

    /** @param array<string, mixed>|string|null $overrides */
    public static function read(string $profile, array|string|null $overrides): self
    {
        if (!str_starts_with(ltrim($profile, "\u{FEFF} \t\r\n"), '{')) {
            $profile = self::load($profile);
        }
        if (is_array($overrides)) {
            try {
                $overrides = json_encode((object) $overrides, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
            } catch (JsonException $error) {
                throw new ProfileException([new Problem('', 'invalid-json', "the overrides cannot be written as JSON: {$error->getMessage()}")]);
            }
        }

        return new self($profile, $overrides);
    }

    private static function load(string $file): string
    {
        $text = is_file($file) ? @file_get_contents($file) : false;
        if ($text === false) {
            throw new ProfileException([new Problem('', 'unreadable', "the file $file cannot be read; give the path of a profile, or its JSON text")]);
        }

        return $text;
    }

    public function supplier(): string
    {
        return $this->merged()['supplier'];
    }

    public function baseUrl(): string
    {
        return $this->merged()['base_url'];
    }

    /**
     * Pacing by headers needs a memory that outlives the request. Under PHP-FPM there is none unless it is
     * given, so the choice is asked for. And a store that nothing would use is a mistake everywhere.
     */
    public function demandStore(?Store $store, string $sapi): void
    {
        $merged = $this->merged();
        $shared = ($merged['budget']['shared'] ?? false) === true;
        if ($store !== null && !$store instanceof MemoryStore && !$shared) {
            throw new SetupException(sprintf(
                'A %s was given, but the profile of %s does not share its budget: set "budget": {"shared": true} in it, or give no store.',
                get_debug_type($store),
                $this->supplier(),
            ));
        }
        $paced = ($merged['limits'] ?? []) !== [] || $shared;
        if ($sapi === self::FPM && $store === null && $paced) {
            throw new SetupException(sprintf(
                'The profile of %s has limits, and under PHP-FPM (%s) every request is a new process state that knows nothing of the others. '
                . 'Choose: give SupplierClient::open() a store that all workers share (SupplierClient\Store\ApcuStore, FileStore or RedisStore) '
                . 'and set "budget": {"shared": true} in the profile, or give it "store: new SupplierClient\Store\MemoryStore()" to say that '
                . 'every request paces by itself.',
                $this->supplier(),
                $sapi,
            ));
        }
    }

    public static function defaults(string $sapi): Options
    {
        return new Options(maxWaitMs: $sapi === self::FPM ? self::FPM_MAX_WAIT_MS : null);
    }

    /** @return array<string, mixed> */
    private function merged(): array
    {
        return $this->merged ??= self::patch(
            self::decode($this->text),
            $this->overrides === null ? [] : self::decode($this->overrides),
        );
    }

    /** @return array<string, mixed> */
    private static function decode(string $json): array
    {
        $json = str_starts_with($json, "\u{FEFF}") ? substr($json, 3) : $json;

        /** @var array<string, mixed> an object, or the engine would have refused it */
        $object = json_decode($json, true, flags: JSON_THROW_ON_ERROR);

        return $object;
    }

    /**
     * RFC 7396. Lists replace, objects merge; an empty object and an empty list are the same here, which
     * matters for none of the keys that are read.
     *
     * @template K of array-key
     * @param array<K, mixed> $target
     * @param array<K, mixed> $patch
     * @return array<K, mixed>
     */
    private static function patch(array $target, array $patch): array
    {
        foreach ($patch as $key => $value) {
            if ($value === null) {
                unset($target[$key]);
            } elseif (is_array($value) && !array_is_list($value)) {
                $old = $target[$key] ?? [];
                $target[$key] = self::patch(is_array($old) && !array_is_list($old) ? $old : [], $value);
            } else {
                $target[$key] = $value;
            }
        }

        return $target;
    }
}
