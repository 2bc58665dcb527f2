<?php

declare(strict_types=1);

namespace SupplierClient;

use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\ResponseFactoryInterface;
use Psr\Http\Message\StreamFactoryInterface;
use SupplierClient\Exception\SetupException;

/**
 * The application's PSR-7 implementation. Needed only where PSR-7 messages are asked for.
 */
final class Psr17
{
    private const KNOWN = [
        'Nyholm\Psr7\Factory\Psr17Factory',
        'GuzzleHttp\Psr7\HttpFactory',
        'Http\Discovery\Psr17Factory',
    ];

    private static (RequestFactoryInterface&ResponseFactoryInterface&StreamFactoryInterface)|null $factory = null;

    /** Says which one to use, for those that are not found by themselves (Nyholm's and Guzzle's are). */
    public static function use(RequestFactoryInterface&ResponseFactoryInterface&StreamFactoryInterface $factory): void
    {
        self::$factory = $factory;
    }

    public static function find(): RequestFactoryInterface&ResponseFactoryInterface&StreamFactoryInterface
    {
        return self::$factory ??= self::known();
    }

    private static function known(): RequestFactoryInterface&ResponseFactoryInterface&StreamFactoryInterface
    {
        foreach (self::KNOWN as $class) {
            if (class_exists($class)) {
                return new $class();
            }
        }
        throw new SetupException('No PSR-17 factory was found: run "composer require nyholm/psr7" or call SupplierClient\Psr17::use().');
    }
}
