// Deadlines, AbortSignal and close.
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { CancelledError, UnknownOutcomeError } from "supplier-client";
import { acme, OK, rawServer } from "./support.mjs";

const POST = { method: "POST", target: "/orders", body: "x" };
const silence = () => undefined;

async function arrived(server, count = 1) {
  while (server.requests.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
}

test("a deadline ends an attempt; for an order that leaves the outcome unknown", async (t) => {
  const server = await rawServer(t, silence);
  const client = acme(t, server.url);
  await assert.rejects(client.send({ target: "/", deadlineMs: 200 }), (error) => {
    assert.ok(error instanceof CancelledError);
    assert.deepEqual([error.name, error.code], ["CancelledError", "deadline-passed"]);
    return true;
  });
  await assert.rejects(client.send({ ...POST, deadlineMs: 200 }), UnknownOutcomeError);
});

test("a signal ends a wait at once", { timeout: 5_000 }, async (t) => {
  const server = await rawServer(t, () => "HTTP/1.1 503 X\r\nContent-Length: 0\r\n\r\n");
  const abort = new AbortController();
  const reason = new Error("enough");
  const client = acme(t, server.url, {
    overrides: { retry: { base_delay_ms: 30_000, max_delay_ms: 30_000 } },
    onWait: () => setTimeout(() => abort.abort(reason), 50),
  });
  const start = performance.now();
  await assert.rejects(client.send({ target: "/", signal: abort.signal }), (error) => {
    assert.ok(error instanceof CancelledError);
    assert.equal(error.name, "AbortError");
    assert.equal(error.cause, reason);
    assert.equal(error.journal.attempts.length, 1);
    return true;
  });
  assert.ok(performance.now() - start < 2_000);
  assert.equal(getEventListeners(abort.signal, "abort").length, 0);
});

test("a signal ends an attempt at once; for an order that leaves the outcome unknown", {
  timeout: 5_000,
}, async (t) => {
  const server = await rawServer(t, silence);
  const client = acme(t, server.url);
  for (const [request, name] of [
    [{ target: "/" }, "AbortError"],
    [POST, "UnknownOutcomeError"],
  ]) {
    const abort = new AbortController();
    const call = client.send({ ...request, signal: abort.signal });
    await arrived(server, name === "AbortError" ? 1 : 2);
    abort.abort();
    await assert.rejects(call, { name, cause: abort.signal.reason });
  }
});

test("with a signal that is aborted already nothing is sent", async (t) => {
  const server = await rawServer(t);
  const call = acme(t, server.url).send({ target: "/", signal: AbortSignal.abort() });
  await assert.rejects(call, { name: "AbortError" });
  assert.equal(server.requests.length, 0);
});

test("many calls may share a signal, without a warning and without a trace", async (t) => {
  const warnings = [];
  const warn = (warning) => warnings.push(warning);
  process.on("warning", warn);
  t.after(() => process.off("warning", warn));
  const server = await rawServer(t);
  const client = acme(t, server.url, { overrides: { limits: null } });
  const { signal } = new AbortController();
  await Promise.all(Array.from({ length: 30 }, () => client.send({ target: "/", signal })));
  await new Promise(setImmediate);
  assert.deepEqual(warnings, []);
  assert.equal(getEventListeners(signal, "abort").length, 0);
});

test("a signal in the request ends a walk", async (t) => {
  const body = '{"items":[1,2],"next":"c","has_more":true}';
  const server = await rawServer(t, () => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  const abort = new AbortController();
  const seen = [];
  await assert.rejects(
    async () => {
      for await (const item of acme(t, server.url).items({ target: "/", signal: abort.signal })) {
        seen.push(item);
        if (seen.length === 2) abort.abort();
      }
    },
    { name: "AbortError" },
  );
  assert.deepEqual(seen, [1, 2]);
  assert.equal(server.requests.length, 1);
});

test("closing ends what is running, and a closed client says so", async (t) => {
  const server = await rawServer(t, silence);
  const client = acme(t, server.url);
  const call = client.send({ target: "/" });
  await arrived(server);
  client.close();
  client.close();
  await assert.rejects(
    call,
    (error) => error instanceof CancelledError && /closed/.test(error.cause.message),
  );
  await assert.rejects(
    client.send({ target: "/" }),
    (error) => error instanceof CancelledError && error.code === "closed",
  );
});

test("an answer that has come counts, whatever was cancelled meanwhile", async (t) => {
  const abort = new AbortController();
  const transport = {
    send: async () => {
      abort.abort();
      return { answered: true, status: 200, headers: [], body: Buffer.from(OK) };
    },
  };
  const client = acme(t, "http://127.0.0.1:1", { transport });
  assert.ok((await client.send({ ...POST, signal: abort.signal })).ok);
});
