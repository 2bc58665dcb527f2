<?php

declare(strict_types=1);

/**
 * supplier-client beside what its users would pick instead, against the strict supplier, in one run:
 *
 *     php bench/bench.php [ROUNDS]
 *
 * Prints a table: CPU and wall microseconds per call (medians of rounds, the peers taking turns), cold start and
 * resident memory of a fresh process; and what the table says about the project's targets. Run
 * `bin/supplier-client install` before, or every cold start compiles the component.
 */

require __DIR__ . '/../tests/autoload.php';
require __DIR__ . '/peers.php';

if (($argv[1] ?? '') === '--cold') {
    peers($argv[3])[$argv[2]]['post']();
    preg_match('/VmHWM:\s+(\d+)/', (string) file_get_contents('/proc/self/status'), $match);
    echo $match[1] ?? 0, "\n";
    exit;
}

const CALLS = 100;
$rounds = (int) ($argv[1] ?? 15);
$binary = getenv('SUPPLIER_TEST_BIN') ?: __DIR__ . '/../../../target/release/supplier-test';
$supplier = proc_open([$binary, 'serve', '--port', '0', '--limit', '100000000'], [['pipe', 'r'], ['pipe', 'w'], ['file', '/dev/null', 'w']], $pipes);
$url = trim(substr((string) fgets($pipes[1]), strlen('listening on ')));
$peers = peers($url);
$names = array_keys($peers);
$samples = [];
for ($round = -1; $round < $rounds; $round++) {
    foreach ($names as $name) {
        foreach (['post', 'page'] as $what) {
            $work = $peers[$name][$what];
            [$cpu, $wall] = [cpu(), hrtime(true)];
            for ($i = 0; $i < CALLS; $i++) {
                $work();
            }
            if ($round >= 0) {
                $samples[$name][$what]['cpu'][] = (cpu() - $cpu) / CALLS;
                $samples[$name][$what]['wall'][] = (hrtime(true) - $wall) / 1000 / CALLS;
            }
        }
    }
}
$cold = [];
for ($round = 0; $round < 9; $round++) {
    foreach ($names as $name) {
        $began = hrtime(true);
        $resident = (int) exec(PHP_BINARY . ' ' . __FILE__ . " --cold $name $url");
        $cold[$name]['ms'][] = (hrtime(true) - $began) / 1e6;
        $cold[$name]['mb'][] = $resident / 1024;
    }
}
fclose($pipes[0]);
proc_close($supplier);
echo "| | POST CPU/wall us | page CPU/wall us | cold start ms | resident MB |\n|---|---|---|---|---|\n";
foreach ($names as $name) {
    vprintf("| %s | %.0f / %.0f | %.0f / %.0f | %.0f | %.0f |\n", [
        $name,
        ...array_map(median(...), [...array_values($samples[$name]['post']), ...array_values($samples[$name]['page'])]),
        median($cold[$name]['ms']),
        median($cold[$name]['mb']),
    ]);
}
$post = array_map(static fn(array $sample): float => median($sample['post']['cpu']), $samples);
$start = array_map(static fn(array $sample): float => median($sample['ms']), $cold);
target('CPU per POST, at most that of Guzzle', $post['supplier-client'], $post['guzzle']);
target('CPU per POST, below 1.3 times bare curl + 60 us', $post['supplier-client'], 1.3 * $post['bare-curl'] + 60);
target('cold start, within 1.5 times that of Guzzle', $start['supplier-client'], 1.5 * $start['guzzle']);

function target(string $what, float $found, float $bound): void
{
    printf("%s: %.0f, bound %.0f: %s\n", $what, $found, $bound, $found <= $bound ? 'reached' : 'missed');
}

/** Microseconds of this process. */
function cpu(): float
{
    $usage = getrusage();

    return ($usage['ru_utime.tv_sec'] + $usage['ru_stime.tv_sec']) * 1e6 + $usage['ru_utime.tv_usec'] + $usage['ru_stime.tv_usec'];
}

function median(array $values): float
{
    sort($values);

    return $values[intdiv(count($values), 2)];
}
