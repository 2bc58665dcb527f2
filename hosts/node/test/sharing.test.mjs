// Budgets outside the process: files, and a real Redis under both of its clients.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { FileStore, RedisStore } from "supplier-client";
import { opened, redisServer } from "./stores.mjs";
import { acme, OK, rawServer, strictSupplier } from "./support.mjs";

const KINDS = ["file", "redis", "ioredis"];
const PROCESSES = 4;
const TIMES = 30;
const shared = { budget: { shared: true, patience_ms: 2_000 } };

async function place(t, kind) {
  return kind === "file" ? folder(t) : String((await redisServer(t)).port);
}

function folder(t) {
  const path = mkdtempSync(join(tmpdir(), "supplier-store-"));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

for (const kind of KINDS) {
  test(`${kind}: a swap is won by whoever saw the current text; a text has its time`, {
    timeout: 60_000,
  }, async (t) => {
    const { store, close } = await opened(kind, await place(t, kind));
    t.after(close);
    const swap = (...args) => store.compareAndSwap("sc1:a:b/c", ...args, 5_000);
    assert.equal(await store.load("sc1:a:b/c", 5_000), undefined);
    assert.deepEqual(await swap("x", "1", 60_000), { won: false, current: undefined });
    assert.deepEqual(await swap(undefined, "1", 60_000), { won: true, current: "1" });
    assert.deepEqual(await swap(undefined, "2", 60_000), { won: false, current: "1" });
    assert.deepEqual(await swap("1", "line\nä", 60_000), { won: true, current: "line\nä" });
    assert.equal(await store.load("sc1:a:b/c", 5_000), "line\nä");
    assert.equal(await store.load("sc1:other", 5_000), undefined);
    assert.deepEqual(await swap("line\nä", "3", 1), { won: true, current: "3" });
    await pause(50);
    assert.equal(await store.load("sc1:a:b/c", 5_000), undefined);
  });

  test(`${kind}: ${PROCESSES} processes that hammer one key lose no update`, {
    timeout: 120_000,
  }, async (t) => {
    const where = await place(t, kind);
    const program = fileURLToPath(new URL("hammer.mjs", import.meta.url));
    const children = Array.from({ length: PROCESSES }, () =>
      spawn(process.execPath, [program, kind, where, String(TIMES)], { stdio: ["pipe", "pipe", "inherit"] }),
    );
    t.after(() => {
      for (const child of children) child.kill();
    });
    const ends = children.map((child) => once(child, "exit"));
    await Promise.all(children.map((child) => once(child.stdout, "data")));
    for (const child of children) child.stdin.write("go\n");
    for (const [code] of await Promise.all(ends)) assert.equal(code, 0);
    const { store, close } = await opened(kind, where);
    t.after(close);
    assert.equal(await store.load("sc1:count", 5_000), String(PROCESSES * TIMES));
    if (kind === "file") assert.equal(readdirSync(where).length, 1, "no lock is left behind");
  });

  test(`${kind}: clients with stores of their own keep to one limit`, { timeout: 60_000 }, async (t) => {
    const where = await place(t, kind);
    const supplier = await strictSupplier(t, "--limit", "10", "--window-ms", "1000");
    const clients = [];
    for (let n = 0; n < 2; n++) {
      const { store, close } = await opened(kind, where);
      t.after(close);
      clients.push(acme(t, supplier.url, { store, overrides: shared }));
    }
    const calls = Array.from({ length: 20 }, (_, n) => clients[n % 2].send({ target: "/consignments" }));
    const replies = await Promise.all(calls);
    assert.ok(replies.every((reply) => reply.ok));
    const notes = replies.flatMap(({ journal }) => journal.notes ?? []);
    assert.ok(!notes.some(({ code }) => code === "store-unavailable"));
    assert.equal((await supplier.report()).over_limit, 0);
  });
}

test("file: what a process left behind that died with the lock is cleared away", {
  timeout: 60_000,
}, async (t) => {
  const where = folder(t);
  const store = new FileStore(where);
  await store.compareAndSwap("k", undefined, "1", 60_000, 5_000);
  const lock = join(where, `${readdirSync(where)[0]}.lock`);
  writeFileSync(lock, "");
  await assert.rejects(store.compareAndSwap("k", "1", "2", 60_000, 20), /stayed locked/);
  const long_ago = Date.now() / 1000 - 60;
  utimesSync(lock, long_ago, long_ago);
  const swaps = await Promise.all(["2", "3"].map((v) => store.compareAndSwap("k", "1", v, 60_000, 10_000)));
  assert.equal(swaps.filter(({ won }) => won).length, 1);
  assert.ok(!existsSync(lock));
  assert.equal(readdirSync(where).length, 1);
});

test("file: garbage counts as nothing; a folder that is none is one clear error", async (t) => {
  const where = folder(t);
  const store = new FileStore(where);
  await store.compareAndSwap("k", undefined, "1", 60_000, 5_000);
  const file = join(where, readdirSync(where)[0]);
  for (const garbage of ["", "garbage", "garbage\n{}", "\n{}"]) {
    writeFileSync(file, garbage);
    assert.equal(store.load("k"), undefined);
  }
  assert.equal((await store.compareAndSwap("k", undefined, "2", 60_000, 5_000)).won, true);
  assert.throws(() => new FileStore(file), /the folder .* for shared budgets cannot be used: EEXIST/);
});

for (const kind of ["redis", "ioredis"]) {
  test(`${kind}: calls survive that Redis is killed and comes back without its scripts`, {
    timeout: 60_000,
  }, async (t) => {
    const server = await rawServer(t, () => OK);
    const { port, stop } = await redisServer(t);
    const { store, close } = await opened(kind, port);
    t.after(close);
    const call = () => acme(t, server.url, { store, overrides: shared }).send({ target: "/" });
    const noted = (reply) => (reply.journal.notes ?? []).some(({ code }) => code === "store-unavailable");
    assert.equal(noted(await call()), false);
    await stop();
    assert.equal(noted(await call()), true);
    await redisServer(t, port);
    while (noted(await call())) await pause(50);
  });
}

test("redis: what is no client, or changes the keys, is refused", () => {
  assert.throws(() => new RedisStore({}), /package `redis` or `ioredis`/);
  assert.throws(() => new RedisStore({ call() {}, options: { keyPrefix: "app:" } }), /keyPrefix/);
});

test("redis: an error of the server is the store's, and is not tried again as a missing script", async () => {
  const commands = [];
  const store = new RedisStore({
    sendCommand: async ([name]) => {
      commands.push(name);
      throw new Error("READONLY You can't write against a read only replica.");
    },
  });
  await assert.rejects(store.compareAndSwap("k", undefined, "1", 1_000), /READONLY/);
  assert.deepEqual(commands, ["EVALSHA"]);
});
