<?php

declare(strict_types=1);

namespace SupplierClient\Engine;

use InvalidArgumentException;
use SensitiveParameter;
use SensitiveParameterValue;
use SupplierClient\Exception\ProfileException;
use SupplierClient\Problem;
use SupplierClient\Wasm\Instance;
use SupplierClient\Wasm\Resource;
use SupplierClient\Wasm\Runtime;

/**
 * The resource `supplier` of the engine component. If the engine should ever trap, its instance is
 * dead; the next call opens a new one, with an empty budget.
 *
 * @internal
 */
final class Policy
{
    private Instance $instance;
    private Resource $supplier;
    private SensitiveParameterValue $credentials;

    /** @param array<string, string|false|null> $credentials */
    public function __construct(
        private readonly Runtime $runtime,
        private readonly string $profile,
        private readonly ?string $overrides,
        #[SensitiveParameter]
        array $credentials,
    ) {
        $this->credentials = new SensitiveParameterValue($credentials);
        $this->open();
    }

    private function open(): void
    {
        self::demandUtf8($this->profile, 'invalid-json', 'the profile is not UTF-8');
        self::demandUtf8($this->overrides ?? '', 'invalid-json', 'the overrides are not UTF-8');
        $instance = new Instance($this->runtime, Contract::INTERFACE, Contract::signatures());
        /** @var array{bool, mixed} $opened */
        $opened = $instance->call('[static]supplier.open', [
            $this->profile,
            $this->overrides,
            self::credentials($this->credentials->getValue()),
        ]);
        [$ok, $value] = $opened;
        if (!$ok) {
            throw self::refused($value);
        }
        // Both at once: a resource belongs to its instance.
        [$this->instance, $this->supplier] = [$instance, $value];
    }

    /** @param array<string, string|false|null> $credentials */
    public function setCredentials(#[SensitiveParameter] array $credentials): void
    {
        /** @var array{bool, mixed} $set */
        $set = $this->call('[method]supplier.set-credentials', self::credentials($credentials));
        [$ok, $problems] = $set;
        if (!$ok) {
            throw self::refused($problems);
        }
        $this->credentials = new SensitiveParameterValue($credentials);
    }

    public function begin(string $request, string $body): Conversation
    {
        [$text, $base64] = Text::carry($body);
        $call = $this->call('[method]supplier.begin', $request, $text, $base64, bin2hex(random_bytes(16)));

        return new Conversation($this->instance, $call);
    }

    public function health(): string
    {
        return $this->call('[method]supplier.health');
    }

    public function explain(string $request, string $body): string
    {
        [$text, $base64] = Text::carry($body);

        return $this->call('[method]supplier.explain', $request, $text, $base64, Clock::wall(), Clock::mono());
    }

    private function call(string $name, mixed ...$arguments): mixed
    {
        if ($this->instance->isDead()) {
            [$instance, $supplier] = [$this->instance, $this->supplier];
            $this->open();
            $instance->drop($supplier);
        }

        return $this->instance->call($name, [$this->supplier, ...$arguments]);
    }

    /**
     * What is not set is left out, so that the engine says which name is missing.
     *
     * @param array<string, mixed> $credentials
     * @return list<array{name: string, value: string}>
     */
    private static function credentials(#[SensitiveParameter] array $credentials): array
    {
        $list = [];
        foreach ($credentials as $name => $value) {
            if (is_string($value)) {
                self::demandUtf8("$name\n$value", 'not-utf8', "the credential \"" . Text::readable((string) $name) . '" is not UTF-8; give bytes as hex or base64, and say so where the profile names it ("decode")');
                $list[] = ['name' => (string) $name, 'value' => $value];
            } elseif ($value !== null && $value !== false) {
                throw new InvalidArgumentException("The credential \"$name\" must be a string, not " . get_debug_type($value) . '.');
            }
        }

        return $list;
    }

    /** The library ends the process where a string is not UTF-8. */
    private static function demandUtf8(#[SensitiveParameter] string $text, string $code, string $message): void
    {
        if (!Text::isUtf8($text)) {
            throw new ProfileException([new Problem('', $code, $message)]);
        }
    }

    /** @param list<array{pointer: string, code: string, message: string}> $problems */
    private static function refused(array $problems): ProfileException
    {
        return new ProfileException(array_map(
            static fn(array $problem): Problem => new Problem($problem['pointer'], $problem['code'], $problem['message']),
            $problems,
        ));
    }

    public function __destruct()
    {
        $this->instance->drop($this->supplier);
    }
}
