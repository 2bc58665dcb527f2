<?php

declare(strict_types=1);

namespace SupplierClient\Wasm;

use FFI;
use FFI\CData;
use LogicException;

/**
 * PHP values into `wasmtime_component_val_t` and back.
 *
 * Records are arrays by field name, variants pairs of case and payload, results pairs of "is ok" and
 * payload, an absent option is null.
 *
 * Each access to a C field makes a PHP object. So values are written and read as what they are in
 * memory: four words of eight bytes, the kind and then size and address, or the number itself. The
 * arguments of a call, with all that they point to, are one string that is copied to its place at once;
 * they stay ours, the library only reads them.
 *
 * @internal
 */
final class Values
{
    public const BOOL = 0;
    public const U8 = 2;
    public const U16 = 4;
    public const U32 = 6;
    public const U64 = 8;
    public const F64 = 10;
    public const STRING = 12;
    public const LIST = 13;
    public const RECORD = 14;
    public const TUPLE = 15;
    public const VARIANT = 16;
    public const ENUM = 17;
    public const OPTION = 18;
    public const RESULT = 19;
    public const RESOURCE = 21;

    /** Words of `val_t` and `entry_t`. */
    private const VAL = 4;
    private const ENTRY = 6;

    /** From a length, modulo eight, to the next multiple of eight. */
    private const PADDING = ['', "\0\0\0\0\0\0\0", "\0\0\0\0\0\0", "\0\0\0\0\0", "\0\0\0\0", "\0\0\0", "\0\0", "\0"];

    /** A false: what stands in the slot of a result before there is one. */
    private const NOTHING = "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";

    /** Where an address becomes a pointer. */
    private readonly CData $pointer;

    private readonly CData $handle;

    /** The slot of the result, the arguments, and what they point to. */
    private CData $memory;

    private int $address = 0;
    private int $capacity = 0;

    /** What arguments point to, while they are being written, and its address. */
    private string $heap = '';

    private int $heapAddress = 0;

    public function __construct(private readonly FFI $ffi)
    {
        $this->pointer = $ffi->new('pointer_t');
        $this->handle = $ffi->new('pointer_t');
        $this->allocate(16384);
    }

    /** `val_t[]`: the slot of the result, then the arguments. */
    public function slots(): CData
    {
        return $this->memory;
    }

    /**
     * Writes arguments into their slots and clears the slot of the result.
     *
     * @param list<Type> $types
     * @param list<mixed> $arguments
     */
    public function write(array $types, array $arguments): void
    {
        do {
            $this->heap = '';
            $this->heapAddress = $this->address + (count($types) + 1) * self::VAL * 8;
            $slots = self::NOTHING;
            foreach ($types as $i => $type) {
                // The two that most arguments are, without a call.
                $slots .= match ($type->kind) {
                    self::F64 => pack('QdQ2', self::F64, $arguments[$i], 0, 0),
                    self::STRING => pack('Q4', self::STRING, strlen($arguments[$i]), $this->place($arguments[$i]), 0),
                    default => $this->val($type, $arguments[$i]),
                };
            }
            $size = strlen($slots) + strlen($this->heap);
            // Addresses are absolute: in another place, everything is written again.
        } while ($size > $this->capacity && $this->allocate($size * 2));
        FFI::memcpy($this->memory, $slots . $this->heap, $size);
    }

    private function allocate(int $bytes): true
    {
        $vals = intdiv($bytes, self::VAL * 8) + 1;
        $this->memory = $this->ffi->new("val_t[$vals]");
        $this->pointer->val = FFI::addr($this->memory[0]);
        $this->address = $this->pointer->address;
        $this->capacity = $vals * self::VAL * 8;

        return true;
    }

    private function val(Type $type, mixed $value): string
    {
        switch ($type->kind) {
            case self::STRING:
            case self::ENUM:
                return pack('Q4', $type->kind, strlen($value), $this->place($value), 0);
            case self::F64:
                return pack('QdQ2', self::F64, $value, 0, 0);
            case self::BOOL:
            case self::U16:
            case self::U32:
                return pack('Q4', $type->kind, (int) $value, 0, 0);
            case self::RESOURCE:
                return pack('Q4', self::RESOURCE, $value->address, 0, 0);
            case self::OPTION:
                return pack('Q4', self::OPTION, $value === null ? 0 : $this->place($this->val($type->inner, $value)), 0, 0);
            case self::LIST:
                $items = implode('', array_map(fn(mixed $item): string => $this->val($type->inner, $item), $value));

                return pack('Q4', self::LIST, count($value), $this->place($items), 0);
            case self::TUPLE:
                $items = implode('', array_map($this->val(...), $type->parts, $value));

                return pack('Q4', self::TUPLE, count($type->parts), $this->place($items), 0);
            case self::RECORD:
                $entries = '';
                foreach ($type->parts as $name => $part) {
                    $entries .= pack('Q2', strlen($name), $this->place($name)) . $this->val($part, $value[$name]);
                }

                return pack('Q4', self::RECORD, count($type->parts), $this->place($entries), 0);
            case self::VARIANT:
                [$case, $payload] = $value;
                $inner = $type->parts[$case];

                return pack('Q4', self::VARIANT, strlen($case), $this->place($case), $inner === null ? 0 : $this->place($this->val($inner, $payload)));
            default:
                throw new LogicException("values of kind $type->kind are read only");
        }
    }

    /** Puts bytes on the heap and returns their address, a multiple of eight. */
    private function place(string $bytes): int
    {
        $address = $this->heapAddress + strlen($this->heap);
        $this->heap .= $bytes . self::PADDING[strlen($bytes) & 7];

        return $address;
    }

    /**
     * What stands in the slot of the result.
     *
     * @param list<string>|null $names of its fields, if it is a record and they are known: they need not be read then
     */
    public function read(?array $names = null): mixed
    {
        return $this->value($this->words(self::VAL, $this->address), 1, $names);
    }

    /**
     * The value whose first word is at an index.
     *
     * @param array<int, int> $words
     * @param list<string>|null $names
     */
    private function value(array $words, int $at, ?array $names = null): mixed
    {
        $a = $words[$at + 1];
        $b = $words[$at + 2];
        // The rest of a word that holds less is padding.
        switch ($words[$at] & 0xFF) {
            case self::STRING:
            case self::ENUM:
                return $this->bytes($a, $b);
            case self::U32:
                return $a & 0xFFFFFFFF;
            case self::BOOL:
                return ($a & 0xFF) !== 0;
            case self::RECORD:
                $record = [];
                $inside = $this->words($a * self::ENTRY, $b);
                for ($i = 0, $word = 1; $i < $a; $i++, $word += self::ENTRY) {
                    $record[$names[$i] ?? $this->bytes($inside[$word], $inside[$word + 1])] = $this->value($inside, $word + 2);
                }

                return $record;
            case self::U16:
                return $a & 0xFFFF;
            case self::U8:
                return $a & 0xFF;
            case self::U64:
                return $a;
            case self::LIST:
            case self::TUPLE:
                $list = [];
                $inside = $this->words($a * self::VAL, $b);
                for ($i = 0, $word = 1; $i < $a; $i++, $word += self::VAL) {
                    $list[] = $this->value($inside, $word);
                }

                return $list;
            case self::VARIANT:
                return [$this->bytes($a, $b), $this->unboxed($words[$at + 3])];
            case self::OPTION:
                return $this->unboxed($a);
            case self::RESULT:
                return [($a & 0xFF) !== 0, $this->unboxed($b)];
            case self::RESOURCE:
                // The value is deleted after reading; its handle lives on.
                $this->pointer->address = $a;
                $this->pointer->resource = $this->ffi->wasmtime_component_resource_any_clone($this->pointer->resource);

                return new Resource($this->pointer->address);
            default:
                throw new LogicException('a value of unknown kind came back: ' . ($words[$at] & 0xFF));
        }
    }

    private function unboxed(int $address): mixed
    {
        return $address === 0 ? null : $this->value($this->words(self::VAL, $address), 1);
    }

    /** @return array<int, int> counted from 1 */
    private function words(int $count, int $address): array
    {
        return unpack('Q*', $this->bytes($count * 8, $address)) ?: [];
    }

    private function bytes(int $size, int $address): string
    {
        if ($size === 0) {
            return '';
        }
        $this->pointer->address = $address;

        return FFI::string($this->pointer->bytes, $size);
    }

    /**
     * The handle of a resource, for the library. It has a pointer of its own, since resources may be
     * dropped by the garbage collector, in the middle of anything.
     */
    public function handle(Resource $resource): CData
    {
        $this->handle->address = $resource->address;

        return $this->handle->resource;
    }
}
