// The package as a program loads it: ES modules, CommonJS, and a process that ends by itself.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import * as esm from "supplier-client";
import { ACME, rawServer } from "./support.mjs";

const folder = fileURLToPath(new URL(".", import.meta.url));

async function run(args) {
  const child = spawn(process.execPath, args, { cwd: folder });
  let out = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      out += chunk;
    });
  }
  const [code] = await once(child, "close");
  return { code, out };
}

test("CommonJS gets the same classes", () => {
  const cjs = createRequire(import.meta.url)("supplier-client");
  assert.equal(cjs.SupplierClient, esm.SupplierClient);
  assert.equal(cjs.ThrottledError, esm.ThrottledError);
});

for (const [kind, args] of [
  ["ES modules", ["--input-type=module", "-e", 'import * as load from "supplier-client";']],
  ["CommonJS", ["--input-type=commonjs", "-e", 'const load = require("supplier-client");']],
]) {
  test(`${kind}: a process ends by itself after a call, its client not closed`, {
    timeout: 20_000,
  }, async (t) => {
    const server = await rawServer(t);
    const options = JSON.stringify({
      profile: ACME,
      overrides: { base_url: server.url },
      credentials: { "signing-secret": "test_secret_a" },
    });
    const script = `${args.pop()} const client = new load.SupplierClient(${options});
      client.send({ target: "/" }).then((reply) => { console.log(reply.verdict); globalThis.done = performance.now(); });
      process.on("exit", () => console.log(performance.now() - globalThis.done < 1000 ? "at once" : "late"));`;
    const { code, out } = await run([...args, script]);
    assert.deepEqual([code, out], [0, "ok\nat once\n"]);
  });
}

/** What making a client prints in a copy of the package that `change` has damaged. */
async function damaged(t, change) {
  const copy = mkdtempSync(join(tmpdir(), "supplier-client-"));
  t.after(() => rmSync(copy, { recursive: true }));
  const root = fileURLToPath(new URL("..", import.meta.url));
  cpSync(join(root, "dist"), join(copy, "dist"), { recursive: true });
  cpSync(join(root, "package.json"), join(copy, "package.json"));
  change(join(copy, "dist", "generated"));
  const main = JSON.stringify(pathToFileURL(join(copy, "dist", "index.js")));
  const script = `import { SupplierClient } from ${main};
    try { new SupplierClient({ profile: {} }); } catch (error) { console.log(error.name + ": " + error.message); }`;
  return (await run(["--input-type=module", "-e", script])).out;
}

test("a missing engine is one message", async (t) => {
  const out = await damaged(t, (folder) => rmSync(join(folder, "supplier_engine.core.wasm")));
  assert.match(out, /^LoadError: .*supplier_engine\.core\.wasm cannot be read; install the package again/);
});

test("an engine of another version is one message", async (t) => {
  const other = `export const instantiate = () => ({ "supplier:client/engine@9.0.0": {} });`;
  const out = await damaged(t, (folder) => writeFileSync(join(folder, "supplier_engine.js"), other));
  assert.match(out, /^LoadError: .*supplier:client\/engine@9\.0\.0.* needs supplier:client\/engine@0\.1\.0/);
});
