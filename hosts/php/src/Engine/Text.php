<?php

declare(strict_types=1);

namespace SupplierClient\Engine;

/**
 * Bytes as the engine takes them: text where they are UTF-8.
 *
 * @internal
 */
final class Text
{
    /** Before what stands in for a text from a store that is not UTF-8, and so none of ours. */
    private const FOREIGN = "\u{FFFD}base64:";

    /** @return array{string, bool} the text, and whether it is base64 */
    public static function carry(string $bytes): array
    {
        return self::isUtf8($bytes) ? [$bytes, false] : [base64_encode($bytes), true];
    }

    /**
     * Header lines as JSON. Values that are not UTF-8 are read as ISO-8859-1.
     *
     * @param list<array{string, string}> $headers changed where it holds such values
     */
    public static function headers(array &$headers): string
    {
        $json = json_encode($headers, JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
        if ($json === false) {
            $headers = array_map(static fn(array $header): array => [self::readable($header[0]), self::readable($header[1])], $headers);
            $json = json_encode($headers, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
        }

        return $json;
    }

    /** A text from a store: the library ends the process where a string is not UTF-8. */
    public static function stored(?string $text): ?string
    {
        return $text === null || self::isUtf8($text) ? $text : self::FOREIGN . base64_encode($text);
    }

    /** The text that stands in the store, for one that {@see Text::stored()} made. */
    public static function inStore(?string $text): ?string
    {
        return $text !== null && str_starts_with($text, self::FOREIGN) ? (string) base64_decode(substr($text, strlen(self::FOREIGN)), true) : $text;
    }

    public static function isUtf8(string $bytes): bool
    {
        return preg_match('//u', $bytes) === 1;
    }

    /** Bytes that are not UTF-8, read as ISO-8859-1. */
    public static function readable(string $bytes): string
    {
        return self::isUtf8($bytes) ? $bytes : (string) preg_replace_callback(
            '/[\x80-\xff]/',
            static fn(array $match): string => chr(0xC0 | ord($match[0]) >> 6) . chr(0x80 | ord($match[0]) & 0x3F),
            $bytes,
        );
    }
}
