<?php

declare(strict_types=1);

/**
 * A supplier that says exactly what its script says, over real sockets.
 *
 *     php server.php SCRIPT.json REQUESTS.jsonl [tls]
 *
 * The script is a list of steps, one a request: {"send": "raw bytes, base64", "pieces": [["base64", ms], ...],
 * "then": "keep" | "close" | "reset" | "hang"}. Prints `listening on PORT`; writes each request as it came
 * to the second file; ends when its standard input closes.
 */
[, $script, $log] = $argv;
$steps = json_decode((string) file_get_contents($script), true, flags: JSON_THROW_ON_ERROR);
$context = stream_context_create();
if (($argv[3] ?? '') === 'tls') {
    $key = openssl_pkey_new(['private_key_type' => OPENSSL_KEYTYPE_EC, 'curve_name' => 'prime256v1']);
    $certificate = openssl_csr_sign(openssl_csr_new(['commonName' => 'nobody.test'], $key), null, $key, 1);
    openssl_x509_export($certificate, $pem);
    openssl_pkey_export($key, $private);
    file_put_contents("$script.pem", $pem . $private);
    stream_context_set_option($context, ['ssl' => ['local_cert' => "$script.pem"]]);
}
$server = stream_socket_server('tcp://127.0.0.1:0', flags: STREAM_SERVER_BIND | STREAM_SERVER_LISTEN, context: $context);
echo 'listening on ', substr((string) strrchr((string) stream_socket_get_name($server, false), ':'), 1), "\n";

$connections = [];
$buffers = [];
$count = 0;
$number = 0;
while (true) {
    $readable = [STDIN, $server, ...$connections];
    $none = null;
    if (stream_select($readable, $none, $none, 30) === false || in_array(STDIN, $readable, true)) {
        break;
    }
    foreach ($readable as $stream) {
        if ($stream === $server) {
            $connection = stream_socket_accept($server);
            if (($argv[3] ?? '') === 'tls' && @stream_socket_enable_crypto($connection, true, STREAM_CRYPTO_METHOD_TLS_SERVER) !== true) {
                fclose($connection);
                continue;
            }
            $connections[++$number] = $connection;
            $buffers[$number] = '';
            continue;
        }
        $id = array_search($stream, $connections, true);
        $data = (string) fread($stream, 1 << 20);
        $buffers[$id] .= $data;
        $whole = whole($buffers[$id]);
        if ($whole !== null) {
            $buffers[$id] = substr($buffers[$id], strlen($whole));
            file_put_contents($log, json_encode(['connection' => $id, 'request' => base64_encode($whole)]) . "\n", FILE_APPEND);
            $step = $steps[$count++] ?? ['send' => base64_encode("HTTP/1.1 599 Out Of Script\r\nContent-Length: 0\r\n\r\n")];
            answer($stream, $step);
            if (($step['then'] ?? 'keep') === 'close') {
                $data = '';
            } elseif (($step['then'] ?? 'keep') === 'reset') {
                socket_set_option(socket_import_stream($stream), SOL_SOCKET, SO_LINGER, ['l_onoff' => 1, 'l_linger' => 0]);
                $data = '';
            }
        }
        if ($data === '') {
            fclose($stream);
            unset($connections[$id], $buffers[$id]);
        }
    }
}

/** The first whole request in the buffer; a TLS handshake at a plain port counts as one. */
function whole(string $buffer): ?string
{
    if (str_starts_with($buffer, "\x16")) {
        return $buffer;
    }
    $end = strpos($buffer, "\r\n\r\n");
    if ($end === false) {
        return null;
    }
    $length = preg_match('/^Content-Length: *(\d+)/mi', substr($buffer, 0, $end), $match) === 1 ? (int) $match[1] : 0;

    return strlen($buffer) >= $end + 4 + $length ? substr($buffer, 0, $end + 4 + $length) : null;
}

/** @param resource $stream */
function answer(mixed $stream, array $step): void
{
    foreach ([[$step['send'] ?? '', 0], ...$step['pieces'] ?? []] as [$bytes, $ms]) {
        usleep($ms * 1000);
        $bytes = base64_decode($bytes, true);
        while ($bytes !== '' && ($sent = @fwrite($stream, $bytes)) !== false && $sent > 0) {
            $bytes = substr($bytes, $sent);
        }
    }
}
