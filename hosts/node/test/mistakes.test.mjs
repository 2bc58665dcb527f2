// What JavaScript lets through and TypeScript would not: each mistake is said by name, and nothing is sent.
import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import https from "node:https";
import { test } from "node:test";
import {
  CancelledError,
  FileStore,
  HttpTransport,
  InternalError,
  RedisStore,
  SupplierClient,
} from "supplier-client";
import { ACME, acme, rawServer } from "./support.mjs";

const credentials = { "signing-secret": "test_secret_a" };
const invalid = new Date(0);

function sharing(t, server, store) {
  const overrides = { base_url: server.url, budget: { shared: true } };
  const client = new SupplierClient({ profile: ACME, overrides, credentials, store });
  t.after(() => client.close());
  return client;
}

for (const [name, options, says] of [
  ["no options", undefined, /the options of a client must be an object, not undefined/],
  [
    "an option that is none",
    { retries: 3 },
    /there is no `retries` in the options of a client; known are profile, /,
  ],
  ["a path as the profile", { profile: "acme.json" }, /`profile` must be an object or JSON text, not text/],
  ["no profile", { profile: undefined }, /`profile` must be an object or JSON text, not undefined/],
  ["a list of credentials", { credentials: ["a"] }, /`credentials` must be an object .* not Array/],
  [
    "a credential that is a number",
    { credentials: { "signing-secret": 5 } },
    /the credential "signing-secret" must be a string, not a number/,
  ],
  ["fetch as the transport", { transport: fetch }, /`transport` must be an object with send, not a function/],
  [
    "a Redis client as the store",
    { store: { get() {} } },
    /`store` must be .* give `new RedisStore\(client\)`/,
  ],
  ["a hook that is none", { onWait: "log" }, /`onWait` must be a function, not a string/],
]) {
  test(`options: ${name}`, () => {
    const given = options && { profile: ACME, credentials, ...options };
    assert.throws(() => new SupplierClient(given), { name: "TypeError", message: says });
  });
}

for (const [name, request, says] of [
  ["none", undefined, /a request must be an object, not undefined/],
  ["its target alone", "/orders", /a request must be an object, not a string/],
  ["no target", { target: undefined }, /`target` must be a string, not undefined/],
  [
    "a key in another spelling",
    { idempotency_key: "A-1" },
    /there is no `idempotency_key` in a request; known are .*idempotencyKey/,
  ],
  ["a key that is a number", { idempotencyKey: 7 }, /`idempotencyKey` must be a string, not a number/],
  ["a key that is null", { idempotencyKey: null }, /`idempotencyKey` must be a string, not null/],
  [
    "an object as the body",
    { body: { sku: "A1" } },
    /`body` must be a string or a Uint8Array, not Object; give `json`/,
  ],
  ["two bodies", { body: "a", json: {} }, /give either `body` or `json`, not both/],
  ["a function as JSON", { json: () => 1 }, /`json` cannot be a function/],
  ["a bigint in JSON", { json: { id: 1n } }, /`json` cannot be written as JSON: .*BigInt/],
  ["a text as the query", { query: "a=1" }, /`query` must be an object or pairs, not a string/],
  [
    "null in the query",
    { query: { since: null } },
    /`query`, `since` must be .* not null; undefined leaves it out/,
  ],
  ["NaN in the query", { query: { page: Number.NaN } }, /`query`, `page` must be .* not NaN/],
  ["a date in the query", { query: { since: invalid } }, /`query`, `since` must be .* not Date/],
  ["a query of no pairs", { query: ["ab"] }, /`query` must hold pairs/],
  ["an object in a header", { headers: { "X-Tags": {} } }, /`headers`, `X-Tags` must be .* not Object/],
  [
    "a deadline in words",
    { deadlineMs: "20" },
    /`deadlineMs` must be a number of milliseconds from 0 on, not a string/,
  ],
  ["a deadline below 0", { deadlineMs: -1 }, /`deadlineMs` must be .* not -1/],
  ["a deadline that is NaN", { deadlineMs: Number.NaN }, /`deadlineMs` must be .* not NaN/],
  [
    "a controller as the signal",
    { signal: new AbortController() },
    /`signal` must be an AbortSignal, not AbortController/,
  ],
]) {
  test(`a request: ${name}`, async (t) => {
    const server = await rawServer(t);
    const given = typeof request === "object" ? { method: "POST", target: "/orders", ...request } : request;
    await assert.rejects(acme(t, server.url).send(given), { name: "TypeError", message: says });
    assert.equal(server.requests.length, 0);
  });
}

test("what is meant is sent: bytes as a profile, numbers in query and headers, fractions and Infinity as times", async (t) => {
  const server = await rawServer(t);
  const bytes = Buffer.from(JSON.stringify({ ...ACME, base_url: server.url }));
  const client = new SupplierClient({ profile: bytes, credentials });
  t.after(() => client.close());
  const query = { id: 9007199254740993n, tag: ["a", "b"], gone: undefined };
  const reply = await client.send({
    target: "/orders",
    query,
    headers: { "X-Count": 3 },
    deadlineMs: 20_000.5,
    maxWaitMs: Number.POSITIVE_INFINITY,
  });
  assert.equal(reply.verdict, "ok");
  assert.match(server.requests[0], /^GET \/orders\?id=9007199254740993&tag=a&tag=b HTTP/);
  assert.match(server.requests[0], /^X-Count: 3\r$/m);
});

const answer = { answered: true, status: 200, headers: [], body: new Uint8Array() };
const broke = { answered: false, phase: "not-sent", code: "connection-refused" };

for (const [resolved, says] of [
  [
    new Response("ok"),
    /resolved to Response, whose `answered` is undefined in place of true or false: give \{ answered/,
  ],
  [undefined, /resolved to undefined, whose `answered` is undefined/],
  [{ ...answer, body: "ok" }, /`body` is a string in place of a Uint8Array/],
  [{ ...answer, status: undefined }, /`status` is undefined in place of an integer/],
  [{ ...answer, headers: { etag: "x" } }, /`headers` is Object in place of pairs of strings/],
  [{ ...answer, headers: [["etag", 7]] }, /`headers` is Array in place of pairs of strings/],
  [{ ...broke, phase: "not_sent" }, /`phase` is a string in place of not-sent, maybe-sent, never, too-large/],
  [{ ...broke, code: undefined }, /`code` is undefined in place of a string/],
  [{ ...broke, status: "200" }, /`status` is a string in place of an integer/],
  [{ ...broke, headers: {} }, /`headers` is Object in place of pairs of strings/],
]) {
  test(`a transport that resolves to something else is asked once: ${says.source}`, async (t) => {
    let sent = 0;
    const transport = {
      send: async () => {
        sent += 1;
        return resolved;
      },
    };
    const client = new SupplierClient({ profile: ACME, credentials, transport });
    t.after(() => client.close());
    await assert.rejects(client.send({ target: "/orders" }), (error) => {
      assert.ok(error instanceof InternalError);
      assert.match(error.message, says);
      assert.match(error.message, /; the request may have been sent$/);
      return true;
    });
    assert.equal(sent, 1);
  });
}

for (const [name, answer, says] of [
  ["bytes", Buffer.from("{}"), /a store must answer with a string or undefined, not Buffer/],
  ["a number", 7, /a store must answer with a string or undefined, not a number/],
]) {
  test(`a store that answers with ${name} counts as one that failed, and the warning says why`, async (t) => {
    const server = await rawServer(t);
    const warned = once(process, "warning");
    const store = { load: () => answer, compareAndSwap: () => undefined };
    assert.equal((await sharing(t, server, store).send({ target: "/a" })).verdict, "ok");
    assert.match((await warned)[0].message, says);
  });
}

test("a store whose swap answers nothing counts as one that failed; null is no text", async (t) => {
  const server = await rawServer(t);
  const warned = once(process, "warning");
  const store = { load: () => null, compareAndSwap: () => undefined };
  assert.equal((await sharing(t, server, store).send({ target: "/a" })).verdict, "ok");
  assert.match((await warned)[0].message, /undefined/);
});

test("a closed client sends nothing", async (t) => {
  const server = await rawServer(t);
  const client = acme(t, server.url);
  client.close();
  await assert.rejects(client.send({ target: "/orders" }), (error) => {
    assert.ok(error instanceof CancelledError);
    assert.deepEqual(
      [error.code, error.message],
      ["closed", "the client was closed: nothing was sent; make another"],
    );
    return true;
  });
  assert.equal(server.requests.length, 0);
});

test("a budget that is shared in vain is a process warning: once without a store, with its reason where the store fails", async (t) => {
  const server = await rawServer(t);
  const warnings = [];
  process.on("warning", (warning) => warnings.push(warning.message));
  const send = async (store) => {
    const client = sharing(t, server, store);
    const [first] = await Promise.all([client.send({ target: "/a" }), client.send({ target: "/b" })]);
    assert.equal(first.verdict, "ok");
  };
  await send(undefined);
  await new Promise(setImmediate);
  assert.deepEqual(warnings, [
    "the profile shares its budget, and the client was given no `store`: that counts as one that failed",
  ]);
  const broken = () => Promise.reject(new Error("no route to the store"));
  const warned = once(process, "warning");
  await send({ load: broken, compareAndSwap: broken });
  assert.equal((await warned)[0].message, "no route to the store");
});

for (const [name, make, says] of [
  [
    "a transport's option that is none",
    () => new HttpTransport({ agent: new http.Agent() }),
    /no `agent` in .*httpAgent/,
  ],
  [
    "an agent for https as that for http",
    () => new HttpTransport({ httpAgent: new https.Agent() }),
    /other's place/,
  ],
  [
    "an agent for http as that for https",
    () => new HttpTransport({ httpsAgent: new http.Agent() }),
    /other's place/,
  ],
  [
    "a store in Redis without a client",
    () => new RedisStore(),
    /client of the package `redis` .* not undefined/,
  ],
  [
    "a store in Redis with a URL",
    () => new RedisStore("redis://a"),
    /client of the package `redis` .* not a string/,
  ],
  ["a store in files without a folder", () => new FileStore(), /folder of a FileStore must be a string/],
]) {
  test(name, () => assert.throws(make, { name: "TypeError", message: says }));
}
