// What HttpTransport promises to the policy, line by line (Transport in src/transport.ts).
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import http from "node:http";
import https from "node:https";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { HttpTransport } from "supplier-client";
import { attempt, CAPS, freePort, never, OK, rawServer } from "./support.mjs";

const transport = new HttpTransport();
const send = (url, more, signal = never()) => transport.send(attempt(url, more), signal);
const text = (outcome) => Buffer.from(outcome.body).toString();

// Everything that a URL library would rewrite: dots, slashes, quotes, case of escapes.
const TARGET = "/v2/a%2e%2E/./b//c;x=1/'~!*()?q='a'|b^`{}&x=%7e%7E+%20&";

test("target and headers go out byte for byte, nothing but host, content-length and connection is added", async (t) => {
  const server = await rawServer(t);
  const headers = [
    ["X-Signature", "t=1,v1=ab"],
    ["x-two", "a"],
    ["X-Two", "b"],
    ["Content-Type", "application/json"],
  ];
  const lines = "X-Signature: t=1,v1=ab\r\nx-two: a\r\nx-two: b\r\nContent-Type: application/json\r\n";
  const host = `Host: 127.0.0.1:${server.port}\r\n`;
  for (const [method, body, length] of [
    ["POST", '{"a":"é"}', "Content-Length: 10\r\n"],
    ["POST", "", "Content-Length: 0\r\n"],
    ["PUT", "", "Content-Length: 0\r\n"],
    ["GET", "", ""],
    ["DELETE", "", ""],
    ["DELETE", "x", "Content-Length: 1\r\n"],
    ["PURGE", "", "Content-Length: 0\r\n"],
  ]) {
    const outcome = await send(server.url + TARGET, { method, headers, body: Buffer.from(body) });
    assert.equal(outcome.status, 200);
    const wire = `${method} ${TARGET} HTTP/1.1\r\n${host}${lines}${length}Connection: keep-alive\r\n\r\n`;
    assert.equal(server.requests.at(-1), wire + Buffer.from(body).toString("latin1"));
  }
});

test("what wraps http.request finds an object of headers: OpenTelemetry cannot read a list", async (t) => {
  const server = await rawServer(t);
  const { mock } = t.mock.method(http, "request");
  await send(`${server.url}/`, {
    headers: [
      ["a", "1"],
      ["__proto__", "2"],
    ],
  });
  const [options] = mock.calls[0].arguments;
  assert.deepEqual(Object.entries(options.headers), [
    ["Host", `127.0.0.1:${server.port}`],
    ["a", "1"],
    ["__proto__", "2"],
  ]);
  assert.match(server.requests[0], /\r\n__proto__: 2\r\n/);
});

test("why not fetch: it rewrites the target and adds headers", async (t) => {
  const server = await rawServer(t);
  await (
    await fetch(server.url + TARGET, {
      headers: [
        ["x-two", "a"],
        ["X-Two", "b"],
      ],
    })
  ).text();
  const [line, ...headers] = server.requests[0].split("\r\n");
  assert.notEqual(line, `GET ${TARGET} HTTP/1.1`);
  assert.ok(headers.includes("x-two: a, b"));
  assert.ok(headers.some((header) => /^accept-encoding:/i.test(header)));
});

test("header values cross as UTF-8, and come back as UTF-8 or else ISO-8859-1", async (t) => {
  const latin =
    "HTTP/1.1 200 OK\r\nX-Latin: caf\xe9\r\nX-Utf: caf\xc3\xa9\r\nx-utf: b\r\nContent-Length: 0\r\n\r\n";
  const server = await rawServer(t, () => latin);
  const { headers } = await send(`${server.url}/`, { headers: [["X-Name", "café"]] });
  assert.match(server.requests[0], /\r\nX-Name: caf\xc3\xa9\r\n/);
  assert.deepEqual(headers, [
    ["X-Latin", "café"],
    ["X-Utf", "café"],
    ["x-utf", "b"],
    ["Content-Length", "0"],
  ]);
});

test("no redirect is followed, no cookie kept, no body decompressed", async (t) => {
  const zipped = gzipSync("hello");
  const head = `HTTP/1.1 302 Found\r\nLocation: /else\r\nSet-Cookie: a=b\r\nContent-Encoding: gzip\r\nContent-Length: ${zipped.length}\r\n\r\n`;
  const server = await rawServer(t, () => head + zipped.toString("latin1"));
  const outcome = await send(`${server.url}/`);
  await send(`${server.url}/`);
  assert.equal(outcome.status, 302);
  assert.deepEqual(Buffer.from(outcome.body), zipped);
  assert.equal(server.requests.length, 2);
  assert.doesNotMatch(server.requests[1], /cookie/i);
});

test("a connection is kept and used again", async (t) => {
  let connections = 0;
  const server = await rawServer(t);
  server.server.on("connection", () => connections++);
  for (let i = 0; i < 3; i++) await send(`${server.url}/`);
  assert.equal(connections, 1);
});

test("a kept connection that dies under a request is reported, not tried again", async (t) => {
  const server = await rawServer(t, (_, socket, n) => (n === 1 ? OK : void socket.destroy()));
  await send(`${server.url}/`);
  const outcome = await send(`${server.url}/`, { method: "POST", body: Buffer.from("x") });
  assert.equal(outcome.phase, "maybe-sent");
  assert.match(outcome.code, /^connection-terminated/);
  assert.equal(server.requests.length, 2);
});

test("fifty requests are under way at once: none waits for a connection", { timeout: 5_000 }, async (t) => {
  const held = [];
  const server = await rawServer(t, (_, socket) => {
    if (held.push(socket) === 50) for (const each of held) each.write(OK);
  });
  const all = await Promise.all(Array.from({ length: 50 }, () => send(`${server.url}/`)));
  assert.ok(all.every((outcome) => outcome.status === 200));
});

test("an agent that would queue signed requests is refused", () => {
  assert.throws(
    () => new HttpTransport({ httpAgent: new http.Agent({ maxSockets: 10 }) }),
    /wait after they were signed/,
  );
  assert.throws(() => new HttpTransport({ httpsAgent: new https.Agent({ maxTotalSockets: 10 }) }), TypeError);
});

test("interim responses are no answer", async (t) => {
  const interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
  const server = await rawServer(t, () => interim + OK);
  assert.equal((await send(`${server.url}/`, { method: "POST", body: Buffer.from("x") })).status, 200);
});

test("an answer to HEAD, 204 and 304 have no body", async (t) => {
  const server = await rawServer(
    t,
    (_, __, n) => `HTTP/1.1 ${[200, 204, 304][n - 1]} X\r\nContent-Length: 9\r\n\r\n`,
  );
  assert.equal((await send(`${server.url}/`, { method: "HEAD" })).body.length, 0);
  assert.equal((await send(`${server.url}/`)).status, 204);
  assert.equal((await send(`${server.url}/`)).status, 304);
});

test("an IPv6 literal is a host", async (t) => {
  const server = await rawServer(t, () => OK, "::1");
  assert.equal((await send(`${server.url}/`)).status, 200);
  assert.match(server.requests[0], new RegExp(`\r\nHost: \\[::1\\]:${server.port}\r\n`));
});

test("a body at the cap is whole, one byte more is too large", async (t) => {
  const caps = { ...CAPS, body_bytes: 5 };
  const server = await rawServer(t, (request) =>
    request.includes("chunked")
      ? "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3\r\ndef\r\n"
      : `HTTP/1.1 200 OK\r\nContent-Length: ${request.includes("/six") ? "6\r\n\r\nabcdef" : "5\r\n\r\nabcde"}`,
  );
  assert.equal(text(await send(`${server.url}/five`, { caps })), "abcde");
  for (const path of ["/six", "/chunked"]) {
    const outcome = await send(server.url + path, { caps });
    assert.deepEqual(
      [outcome.phase, outcome.code, outcome.status],
      ["too-large", "http-response-body-size", 200],
    );
  }
});

test("the body of an error is cut at its cap and counts as answered, without waiting for the rest", async (t) => {
  const server = await rawServer(t, () => "HTTP/1.1 400 Bad\r\nContent-Length: 1000000\r\n\r\nabcdefgh");
  const outcome = await send(`${server.url}/`, { caps: { ...CAPS, error_body_bytes: 5 } });
  assert.deepEqual([outcome.answered, outcome.status, text(outcome)], [true, 400, "abcde"]);
});

test("headers beyond the cap are too large, also for the parser, also in many lines", async (t) => {
  const server = await rawServer(t, (request) => {
    const bytes = Number(/\/(\d+)/.exec(request)[1]);
    return `HTTP/1.1 200 OK\r\n${"X-Abc: 12345\r\n".repeat(bytes / 10)}Content-Length: 0\r\n\r\n`;
  });
  const rest = "Content-Length0".length;
  const caps = { ...CAPS, header_bytes: 30_000 + rest };
  const whole = await send(`${server.url}/30000`, { caps });
  assert.equal(whole.headers.length, 3_001, "Node's default drops lines beyond 2,000");
  for (const bytes of [30_010, 200_000]) {
    const outcome = await send(`${server.url}/${bytes}`, { caps });
    assert.equal(outcome.phase, "too-large");
    assert.match(outcome.code, /^http-response-header-section-size/);
  }
});

test("a body shorter than its length is incomplete, with status and headers", async (t) => {
  const server = await rawServer(t, (request, socket) => {
    const framing = request.includes("chunked")
      ? "Transfer-Encoding: chunked\r\n\r\n5\r\nab"
      : "Content-Length: 5\r\n\r\nab";
    socket.end(`HTTP/1.1 ${request.includes("/e") ? 503 : 201} X\r\n${framing}`);
  });
  for (const [path, status] of [
    ["/", 201],
    ["/chunked", 201],
    ["/e", 503],
  ]) {
    const outcome = await send(server.url + path);
    assert.deepEqual([outcome.answered, outcome.phase, outcome.status], [false, "maybe-sent", status]);
    assert.match(outcome.code, /^http-response-incomplete/);
    assert.ok(outcome.headers.length > 0);
  }
});

test("what is no HTTP response, and none at all, may have been sent", async (t) => {
  const server = await rawServer(t, (request, socket) =>
    request.includes("/bad") ? "220 smtp\r\n" : void socket.end(),
  );
  assert.match((await send(`${server.url}/bad`)).code, /^http-protocol-error/);
  const outcome = await send(`${server.url}/`);
  assert.equal(outcome.phase, "maybe-sent");
  assert.match(outcome.code, /^connection-terminated/);
});

test("a refused connection was not sent", async () => {
  const outcome = await send(`http://127.0.0.1:${await freePort()}/`);
  assert.deepEqual([outcome.phase, outcome.code], ["not-sent", "connection-refused ECONNREFUSED"]);
  const named = await send(`http://localhost:${await freePort()}/`);
  assert.deepEqual([named.phase, named.code], ["not-sent", "connection-refused ECONNREFUSED"]);
});

test("a name that does not resolve was not sent", async () => {
  const outcome = await send("http://supplier.invalid/");
  assert.equal(outcome.phase, "not-sent");
  assert.match(outcome.code, /^dns-error/);
});

test("a certificate that is not trusted ends the call; TLS to a plain port was not sent", async (t) => {
  const tls = {
    key: readFileSync(new URL("tls/key.pem", import.meta.url)),
    cert: readFileSync(new URL("tls/cert.pem", import.meta.url)),
  };
  const server = https.createServer(tls, (_, response) => response.end("ok")).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address();
  const untrusted = await send(`https://127.0.0.1:${port}/`);
  assert.deepEqual(
    [untrusted.phase, untrusted.code],
    ["never", "tls-certificate-error DEPTH_ZERO_SELF_SIGNED_CERT"],
  );

  const trusting = new HttpTransport({ httpsAgent: new https.Agent({ ca: tls.cert }) });
  assert.equal((await trusting.send(attempt(`https://localhost:${port}/`), never())).status, 200);

  const plain = await rawServer(t, () => OK);
  plain.server.on("connection", (socket) =>
    socket.on("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")),
  );
  const outcome = await send(`https://127.0.0.1:${plain.port}/`);
  assert.equal(outcome.phase, "not-sent");
  assert.match(outcome.code, /^tls-protocol-error/);
});

test("what cannot stand on the wire is never sent", async (t) => {
  const server = await rawServer(t);
  for (const [more, code] of [
    [{ url: `${server.url}/a b` }, /^http-request-uri-invalid/],
    [{ url: `${server.url}/a\r\nX: y` }, /^http-request-uri-invalid/],
    [{ url: "ftp://127.0.0.1/" }, /^http-request-uri-invalid/],
    [{ method: "G T" }, /^http-request-method-invalid/],
    [{ headers: [["a", "b\r\nc: d"]] }, /^http-request-denied/],
    [{ headers: [["a b", "c"]] }, /^http-request-method-invalid/],
  ]) {
    const outcome = await transport.send(attempt(`${server.url}/`, more), never());
    assert.deepEqual([outcome.answered, outcome.phase], [false, "never"]);
    assert.match(outcome.code, code);
  }
  assert.equal(server.requests.length, 0);
});

test("an upgrade that nobody asked for is no answer", async (t) => {
  const server = await rawServer(
    t,
    () => "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n",
  );
  assert.match((await send(`${server.url}/`)).code, /^http-upgrade-failed/);
});

test("an abort ends the exchange at once, and says how far it got", async (t) => {
  const abort = new AbortController();
  const silent = await rawServer(t, () => undefined);
  const waiting = send(`${silent.url}/`, {}, abort.signal);
  while (silent.requests.length === 0) await new Promise(setImmediate);
  abort.abort();
  assert.equal((await waiting).phase, "maybe-sent");
  const [socket] = silent.sockets;
  if (socket) await once(socket, "close");

  const early = await send(`${silent.url}/`, {}, AbortSignal.abort());
  assert.equal(early.phase, "not-sent");
  assert.equal(silent.requests.length, 1);
});

test("an abort in the middle of a body keeps status and headers", async (t) => {
  const abort = new AbortController();
  const server = await rawServer(t, () => "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
  const waiting = send(`${server.url}/`, {}, abort.signal);
  setTimeout(() => abort.abort(), 100);
  const outcome = await waiting;
  assert.deepEqual([outcome.phase, outcome.status], ["maybe-sent", 200]);
});

test("close ends idle connections", async (t) => {
  const server = await rawServer(t);
  const own = new HttpTransport();
  await own.send(attempt(`${server.url}/`), never());
  const [socket] = server.sockets;
  own.close();
  await once(socket, "close");
});
