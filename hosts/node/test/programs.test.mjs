// The examples and the conformance worker, as they stand, against the strict supplier.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ACME, strictSupplier } from "./support.mjs";

const program = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));

for (const [path, says] of [
  ["examples/items.mjs", /^250 consignments, 3 pages fetched$/m],
  ["examples/order.mjs", /^1 attempt\(s\) in \d+ ms$/m],
  ["examples/wasi-http/main.mjs", /^page of 100, more to come\norder: ok, 201$/m],
]) {
  test(path, { timeout: 60_000 }, async (t) => {
    const supplier = await strictSupplier(t);
    const env = { ...process.env, SUPPLIER_URL: supplier.url };
    const { stdout } = await promisify(execFile)(process.execPath, [program(path)], { env });
    assert.match(stdout, says);
    assert.equal((await supplier.report()).clean, true);
  });
}

test("the conformance worker answers job by job", { timeout: 60_000 }, async (t) => {
  const supplier = await strictSupplier(t);
  const job = {
    profile: JSON.stringify(ACME),
    overrides: JSON.stringify({ base_url: supplier.url }),
    credentials: { "signing-secret": "test_secret_a" },
  };
  const list = {
    method: "GET",
    target: "/consignments",
    query: [["limit", "2"]],
    headers: [],
    body: { text: "" },
  };
  const bytes = { ...list, method: "PUT", target: "/echo", query: [], body: { base64: "//4=" } };
  const calls = [
    { send: bytes },
    { page: list, position: null },
    { page: list, position: "next" },
    { walk: list, pages: 3 },
    { send: { ...list, target: "no-slash", deadline_ms: 1000, max_wait_ms: null } },
  ];
  const worker = spawn(process.execPath, [program("conformance.mjs")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  let out = "";
  worker.stdout.on("data", (chunk) => {
    out += chunk;
  });
  worker.stdin.end(
    `${JSON.stringify({ id: 1, ...job, calls })}\n${JSON.stringify({ id: 2, ...job, credentials: {}, calls })}\n`,
  );
  const [code] = await once(worker, "close");
  assert.equal(code, 0);
  const [first, second] = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const [echo, one, two, walk, failed] = first.results;
  assert.deepEqual([first.id, first.health.pages], [1, 5]);
  assert.deepEqual([echo.reply.verdict, JSON.parse(echo.reply.body.text).body_bytes], ["ok", 2]);
  assert.equal(echo.reply.retry_after_ms, null);
  assert.notEqual(one.page.items, two.page.items);
  assert.deepEqual([walk.walk.pages, walk.walk.ended, JSON.parse(walk.walk.items).length], [3, false, 6]);
  assert.deepEqual([failed.failure.kind, failed.failure.code], ["invalid", "invalid-path"]);
  assert.deepEqual([second.id, second.problems[0].code], [2, "unknown-credential"]);
});
