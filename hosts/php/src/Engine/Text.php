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

    private static function isUtf8(string $bytes): bool
    {
        return preg_match('//u', $bytes) === 1;
    }

    private static function readable(string $bytes): string
    {
        return self::isUtf8($bytes) ? $bytes : (string) preg_replace_callback(
            '/[\x80-\xff]/',
            static fn(array $match): string => chr(0xC0 | ord($match[0]) >> 6) . chr(0x80 | ord($match[0]) & 0x3F),
            $bytes,
        );
    }
}
