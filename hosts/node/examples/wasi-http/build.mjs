// Transpiles supplier_client.wasm beside this file; its imports become preview2-shim's.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { transpile } from "@bytecodealliance/jco";
import { component } from "../../scripts/component.mjs";

const folder = new URL("generated/", import.meta.url);
await rm(folder, { recursive: true, force: true });
const wasm = await readFile(component("supplier_client.wasm"));
const { files } = await transpile(wasm, { name: "supplier_client", quiet: true });
for (const [name, bytes] of Object.entries(files)) {
  const path = new URL(name, folder);
  await mkdir(dirname(path.pathname), { recursive: true });
  await writeFile(path, bytes);
}
