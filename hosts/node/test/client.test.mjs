// The client over the real engine, against the strict supplier and small servers of its own.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Page, UnavailableError } from "supplier-client";
import { acme, OK, rawServer, strictSupplier } from "./support.mjs";

const ORDER = { method: "POST", target: "/orders", json: { number: "A-1" } };
const status = (code, headers = "", body = "") =>
  `HTTP/1.1 ${code} X\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

test("an order is placed once, through a lost answer and a 503", async (t) => {
  const supplier = await strictSupplier(t, "--faults", "drop-applied@orders:1,503@2");
  const attempts = [];
  const client = acme(t, supplier.url, { onAttempt: (attempt) => attempts.push(attempt) });
  const reply = await client.send({ ...ORDER, idempotencyKey: "A-1" });
  assert.equal(reply.verdict, "ok");
  assert.equal(reply.ok, true);
  assert.equal(reply.header("CONTENT-TYPE"), "application/json");
  assert.equal(typeof reply.json(), "object");
  assert.deepEqual(
    attempts.map(({ n, status }) => [n, status]),
    [
      [1, undefined],
      [2, 503],
      [3, reply.status],
    ],
  );
  assert.equal(attempts[0].code.split(" ")[0], "connection-terminated");
  assert.equal(reply.journal.attempts.length, 3);
  const count = await client.send({ target: "/orders/count" });
  assert.match(count.text(), /\b1\b/);
  assert.equal((await supplier.report()).clean, true);
});

test("40,000 items, lazily", { timeout: 60_000 }, async (t) => {
  const supplier = await strictSupplier(t, "--faults", "503@7,cut@26,drop@40");
  const client = acme(t, supplier.url);
  const request = { target: "/consignments", query: { limit: 100 } };
  const ids = new Set();
  for await (const item of client.items(request)) ids.add(JSON.stringify(item));
  assert.equal(ids.size, 40_000);
  assert.equal(client.health().pages, 400);
  assert.equal((await supplier.report()).clean, true);
});

test("leaving the loop early fetches nothing more; a position goes on where a page ended", async (t) => {
  const supplier = await strictSupplier(t);
  const client = acme(t, supplier.url);
  const request = { target: "/consignments", query: new URLSearchParams({ limit: "10" }) };
  const seen = [];
  for await (const item of client.items(request)) if (seen.push(item) === 15) break;
  assert.equal(client.health().pages, 2);

  const first = await client.page(request);
  assert.ok(first instanceof Page);
  assert.equal(first.count, 10);
  assert.equal(first.response.status, 200);
  assert.deepEqual(JSON.parse(first.json), first.items);
  const another = acme(t, supplier.url);
  const second = await another.page(request, first.next);
  assert.deepEqual([...first.items, ...second.items.slice(0, 5)], seen);
});

test("what hosts do to requests and answers: the strict supplier's probes", async (t) => {
  const supplier = await strictSupplier(t);
  const client = acme(t, supplier.url, {
    overrides: { retry: { attempt_timeout_ms: 1_000, max_attempts: 2 } },
  });
  const echo = await client.send({
    target: "/echo/a%2Fb//c;x='~!*()",
    query: [
      ["q", "a b'é"],
      ["q", "2"],
    ],
  });
  assert.equal(echo.json().target, "/v2/echo/a%2Fb//c;x='~!*()?q=a%20b%27%C3%A9&q=2");
  assert.equal((await client.send({ target: "/redirect" })).verdict, "redirect");
  const zipped = await client.send({ target: "/compressed" });
  assert.deepEqual([...zipped.body.subarray(0, 2)], [0x1f, 0x8b]);
  await client.send({ target: "/cacheable" });
  assert.equal((await client.send({ target: "/cacheable" })).json().seen, 2);
  const refused = await client.send({ target: "/status/404" });
  assert.deepEqual([refused.verdict, refused.status, refused.ok], ["rejected", 404, false]);
  for (const [path, code] of [
    ["/silence", "attempt-timeout"],
    ["/stall", "attempt-timeout"],
    ["/drop", "connection-terminated"],
    ["/cut", "http-response-incomplete"],
  ]) {
    await assert.rejects(client.send({ target: path }), (error) => {
      assert.ok(error instanceof UnavailableError, `${path}: ${error}`);
      assert.equal(error.code, code, path);
      assert.equal(error.response, undefined);
      assert.equal(error.status, path === "/stall" || path === "/cut" ? 200 : undefined);
      return true;
    });
  }
  await assert.rejects(client.send({ target: "/endless" }), {
    name: "BadResponseError",
    code: "response-too-large",
  });
  assert.equal((await supplier.report()).clean, true);
});

test("eight calls overlap", { timeout: 10_000 }, async (t) => {
  const held = [];
  const server = await rawServer(t, (_, socket) => {
    if (held.push(socket) === 8) for (const each of held) each.write(OK);
  });
  const client = acme(t, server.url, { overrides: { limits: null } });
  const replies = await Promise.all(Array.from({ length: 8 }, () => client.send({ target: "/" })));
  assert.ok(replies.every((reply) => reply.ok));
});

test("the wait of one call does not delay another", { timeout: 10_000 }, async (t) => {
  const server = await rawServer(t, (request, _, n) =>
    n === 1 && /\/wait/.test(request) ? status(503) : OK,
  );
  const client = acme(t, server.url, {
    overrides: { limits: null, retry: { base_delay_ms: 1_500, max_delay_ms: 1_500 } },
  });
  let over = false;
  const slow = client.send({ target: "/wait" }).finally(() => {
    over = true;
  });
  while (server.requests.length === 0) await new Promise(setImmediate);
  for (let i = 0; i < 5; i++) assert.ok((await client.send({ target: "/" })).ok);
  assert.equal(over, false);
  const { journal } = await slow;
  const [wait] = journal.attempts[1].waits;
  assert.equal(wait.why, "backoff");
  assert.ok(wait.ms >= 1_500);
  // Timers of Node's may be early by a fraction; the engine is never told so.
  assert.equal(journal.attempts[1].waits.length, 1);
  assert.ok(journal.attempts[1].at_ms - journal.attempts[0].at_ms >= wait.ms);
});

test("a body of bytes goes out and comes back as it is", async (t) => {
  const bytes = "\xff\xfe\x00\xe9";
  const server = await rawServer(t, () => status(200, "", "").replace(": 0", ": 4") + bytes);
  const client = acme(t, server.url);
  const reply = await client.send({ method: "PUT", target: "/label", body: Buffer.from(bytes, "latin1") });
  assert.ok(server.requests[0].endsWith(`\r\n\r\n${bytes}`));
  assert.equal(Buffer.from(reply.body).toString("latin1"), bytes);
});

test("a page keeps the digits of its numbers", async (t) => {
  const body = '{"items": [12345678901234567890.0, 1.10],"next":null}';
  const server = await rawServer(t, () => status(200, "", body));
  const parse = (json) => json.match(/[\d.]+/g);
  const page = await acme(t, server.url, { parse }).page({ target: "/" });
  assert.equal(page.json, "[12345678901234567890.0, 1.10]");
  assert.deepEqual(page.items, ["12345678901234567890.0", "1.10"]);
  assert.equal(page.next, undefined);
});
