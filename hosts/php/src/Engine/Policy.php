<?php

declare(strict_types=1);

namespace SupplierClient\Engine;

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

    /** @param array<string, string> $credentials */
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
        $this->instance = new Instance($this->runtime, Contract::INTERFACE, Contract::signatures());
        /** @var array{bool, mixed} $opened */
        $opened = $this->instance->call('[static]supplier.open', [
            $this->profile,
            $this->overrides,
            self::credentials($this->credentials->getValue()),
        ]);
        [$ok, $value] = $opened;
        if (!$ok) {
            throw self::refused($value);
        }
        $this->supplier = $value;
    }

    /** @param array<string, string> $credentials */
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
            $this->open();
        }

        return $this->instance->call($name, [$this->supplier, ...$arguments]);
    }

    /**
     * @param array<string, string> $credentials
     * @return list<array{name: string, value: string}>
     */
    private static function credentials(#[SensitiveParameter] array $credentials): array
    {
        $list = [];
        foreach ($credentials as $name => $value) {
            $list[] = ['name' => (string) $name, 'value' => $value];
        }

        return $list;
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
