<?php

declare(strict_types=1);

/**
 * Follows a page of the documentation in an empty folder:
 *
 *     php guide.php PAGE.md WORK_FOLDER
 *
 * Files are written (`<!-- file: NAME -->`), shell commands are run unless `<!-- not run: WHY -->` stands
 * before them, other PHP is linted. The reader's checkout is this one, Packagist is stood in for by
 * Debian's packages, the port 8080 by that of a strict supplier.
 */

[, $page, $work] = $argv;
$folder = "$work/guide";
$home = "$work/composer";
exec('rm -rf ' . escapeshellarg($folder) . ' ' . escapeshellarg($home));
mkdir($folder, recursive: true);
mkdir($home, recursive: true);

$debian = static fn(string $name, string $version, string $path, string $namespace, array $more = []): array => [
    'type' => 'package',
    'package' => [
        'name' => $name,
        'version' => $version,
        'dist' => ['type' => 'path', 'url' => "/usr/share/php/$path"],
        'autoload' => ['psr-4' => [$namespace => '']],
    ] + $more,
];
file_put_contents("$home/config.json", json_encode(['repositories' => [
    $debian('psr/http-client', '1.0.1', 'Psr/Http/Client', 'Psr\\Http\\Client\\'),
    $debian('psr/http-message', '1.0.1', 'Psr/Http/Message', 'Psr\\Http\\Message\\'),
    $debian('psr/http-factory', '1.0.1', 'Psr/Http/Message', 'Psr\\Http\\Message\\'),
    $debian('psr/log', '1.1.4', 'Psr/Log', 'Psr\\Log\\'),
    $debian('nyholm/psr7', '1.5.1', 'Nyholm/Psr7', 'Nyholm\\Psr7\\', ['provide' => ['psr/http-factory-implementation' => '1.0', 'psr/http-message-implementation' => '1.0']]),
    ['packagist.org' => false],
]]));
putenv("COMPOSER_HOME=$home");
putenv('COMPOSER_ALLOW_SUPERUSER=1');
putenv('COMPOSER_NO_INTERACTION=1');
// A copy, not a link: what the reader's installation writes must not come into this checkout.
putenv('COMPOSER_MIRROR_PATH_REPOS=1');
// The guide's own installation, not that of the tests.
putenv('SUPPLIER_CLIENT_HOME');
putenv('SUPPLIER_WASMTIME');

$supplier = proc_open([(string) getenv('SUPPLIER_TEST_BIN'), 'serve', '--port', '0'], [['pipe', 'r'], ['pipe', 'w']], $pipes);
$authority = parse_url(substr(trim((string) fgets($pipes[1])), strlen('listening on ')));
$port = $authority['port'] ?? exit(fail('the supplier did not start'));

preg_match_all('/(?:^<!-- (?<mark>file|not run): (?<what>.*?) -->\n)?^```(?<kind>\w+)\n(?<text>.*?)^```$/ms', (string) file_get_contents($page), $blocks, PREG_SET_ORDER);
$commands = 0;
foreach ($blocks as ['mark' => $mark, 'what' => $what, 'kind' => $kind, 'text' => $text]) {
    $text = str_replace('127.0.0.1:8080', "127.0.0.1:$port", $text);
    $text = str_replace('CHECKOUT=~/supplier-client', 'CHECKOUT=' . escapeshellarg(dirname(__DIR__, 3)), $text);
    if ($mark === 'file') {
        file_put_contents("$folder/$what", $text);
    } elseif ($kind === 'sh' && $mark === '') {
        echo preg_replace('/^/m', '$ ', trim($text)), "\n";
        $shell = proc_open(['bash', '-euo', 'pipefail', '-c', $text], [['file', '/dev/null', 'r'], ['pipe', 'w'], ['redirect', 1]], $output, $folder);
        $said = (string) stream_get_contents($output[1]);
        echo $said;
        if (proc_close($shell) !== 0) {
            exit(fail('a command failed'));
        }
        $commands++;
    } elseif ($kind === 'php') {
        $shell = proc_open([PHP_BINARY, '-l'], [['pipe', 'r'], ['pipe', 'w'], ['redirect', 1]], $lint);
        fwrite($lint[0], str_starts_with($text, '<?php') ? $text : "<?php\n$text");
        fclose($lint[0]);
        $said = (string) stream_get_contents($lint[1]);
        if (proc_close($shell) !== 0) {
            exit(fail($said));
        }
    }
}
fclose($pipes[0]);
$report = (string) stream_get_contents($pipes[1]);
if (proc_close($supplier) !== 0) {
    exit(fail($report));
}
if ($commands === 0) {
    exit(fail("$page has no commands"));
}
echo "$commands blocks of commands of ", basename($page), " ran, and the supplier found no violation\n";

function fail(string $why): int
{
    fwrite(STDERR, "guide: $why\n");

    return 1;
}
