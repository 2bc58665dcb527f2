<?php

declare(strict_types=1);

namespace SupplierClient\Engine;

use SupplierClient\Store\Swap;
use SupplierClient\Transport\Broke;
use SupplierClient\Wasm\Instance;
use SupplierClient\Wasm\Resource;

/**
 * The resource `call`: says what happened, hears what to do next.
 *
 * @internal
 */
final class Conversation
{
    public function __construct(
        private readonly Instance $instance,
        private readonly Resource $call,
    ) {}

    public function go(): Action
    {
        return $this->say('[method]call.go');
    }

    /** @param string $headers JSON */
    public function answered(int $status, string $headers, string $body): Action
    {
        [$text, $base64] = Text::carry($body);

        return $this->say('[method]call.answered', $status, $headers, $text, $base64);
    }

    /** @param string $headers JSON */
    public function broke(Broke $broke, string $headers): Action
    {
        // The engine takes what follows the first space for the journal's `detail`.
        $code = $broke->detail === '' ? $broke->code : "$broke->code $broke->detail";

        return $this->say('[method]call.broke', $broke->phase->value, Text::readable($code), $broke->status, $headers);
    }

    public function stored(Swap $swap): Action
    {
        return $this->say('[method]call.stored', $swap->won, Text::stored($swap->current));
    }

    public function storeFailed(string $code): Action
    {
        return $this->say('[method]call.store-failed', Text::readable($code));
    }

    public function cancel(): Action
    {
        return $this->say('[method]call.cancel');
    }

    private function say(string $name, mixed ...$what): Action
    {
        $action = $this->instance->call($name, [$this->call, ...$what, Clock::wall(), Clock::mono()]);

        return new Action(
            Step::from($action['step']),
            $action['ms'],
            json_decode($action['detail'], true, flags: JSON_THROW_ON_ERROR),
            $action['base64'] ? (string) base64_decode($action['body'], true) : $action['body'],
        );
    }

    public function __destruct()
    {
        $this->instance->drop($this->call);
    }
}
