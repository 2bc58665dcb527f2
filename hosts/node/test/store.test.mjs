// The budget that several clients share (`budget.shared` of the profile).
import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStore } from "supplier-client";
import { acme, OK, rawServer, strictSupplier } from "./support.mjs";

const shared = { budget: { shared: true } };

test("two clients with one store keep to one limit", { timeout: 60_000 }, async (t) => {
  const supplier = await strictSupplier(t, "--limit", "10", "--window-ms", "1000");
  const store = new MemoryStore();
  const clients = [1, 2].map(() => acme(t, supplier.url, { store, overrides: shared }));
  const replies = await Promise.all(
    Array.from({ length: 30 }, (_, n) => clients[n % 2].send({ target: "/consignments" })),
  );
  assert.ok(replies.every((reply) => reply.ok));
  const { over_limit, clean } = await supplier.report();
  assert.deepEqual([over_limit, clean], [0, true]);
});

test("a swap is won by whoever saw the current text; a text has its time", async () => {
  const store = new MemoryStore();
  assert.equal(store.load("k"), undefined);
  assert.deepEqual(store.compareAndSwap("k", undefined, "1", 10_000), { won: true, current: "1" });
  assert.deepEqual(store.compareAndSwap("k", undefined, "2", 10_000), { won: false, current: "1" });
  assert.deepEqual(store.compareAndSwap("k", "1", "2", 20), { won: true, current: "2" });
  await new Promise((resolve) => setTimeout(resolve, 40));
  assert.equal(store.load("k"), undefined);
});

const rejecting = {
  load: () => Promise.reject(new Error("x")),
  compareAndSwap: () => Promise.reject(new Error("x")),
};
const throwing = {
  load() {
    throw new Error("x");
  },
  compareAndSwap() {
    throw new Error("x");
  },
};
const hanging = { load: () => new Promise(() => {}), compareAndSwap: () => new Promise(() => {}) };
for (const [name, store] of Object.entries({ none: undefined, rejecting, throwing, hanging })) {
  test(`a store that fails (${name}) is noted, and the call goes on`, { timeout: 10_000 }, async (t) => {
    const server = await rawServer(t, () => OK);
    const client = acme(t, server.url, { ...(store && { store }), overrides: shared });
    const reply = await client.send({ target: "/" });
    assert.ok(reply.ok);
    assert.ok(reply.journal.notes.some(({ code }) => code === "store-unavailable"));
  });
}

test("a signal ends the wait for a store", { timeout: 10_000 }, async (t) => {
  const server = await rawServer(t, () => OK);
  const client = acme(t, server.url, {
    store: hanging,
    overrides: { budget: { shared: true, patience_ms: 5_000 } },
  });
  const start = performance.now();
  await assert.rejects(client.send({ target: "/", signal: AbortSignal.timeout(50) }), { name: "AbortError" });
  assert.ok(performance.now() - start < 2_000);
  assert.equal(server.requests.length, 0);
});

test("an answer that has come counts, though the store is slow and the call cancelled", {
  timeout: 10_000,
}, async (t) => {
  const abort = new AbortController();
  const memory = new MemoryStore();
  let settling = false;
  const store = {
    load: (key) => (settling ? new Promise(() => {}) : memory.load(key)),
    compareAndSwap: (...swap) => (settling ? new Promise(() => {}) : memory.compareAndSwap(...swap)),
  };
  const server = await rawServer(t, () => {
    settling = true;
    setTimeout(() => abort.abort(), 100);
    return OK;
  });
  const client = acme(t, server.url, { store, overrides: { budget: { shared: true, patience_ms: 5_000 } } });
  const start = performance.now();
  const reply = await client.send({ method: "POST", target: "/orders", body: "x", signal: abort.signal });
  assert.ok(reply.ok);
  assert.ok(performance.now() - start < 2_000);
});
