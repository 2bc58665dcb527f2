// Builds dist/: the engine component as ES modules, then the package's own sources.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { transpile } from "@bytecodealliance/jco";
import { component } from "./component.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

await rm(join(root, "dist"), { recursive: true, force: true });
await write("dist/generated", await engine());
compile();

/** Instantiated by hand, synchronously: no top-level await, so that `require` can load the package. */
async function engine() {
  const { files } = await transpile(await readFile(component("supplier_engine.wasm")), {
    name: "supplier_engine",
    instantiation: "sync",
    nodejsCompat: false,
    quiet: true,
  });
  const name = "supplier_engine.js";
  return { ...files, [name]: Buffer.from(adapted(Buffer.from(files[name]).toString())) };
}

/** Two changes to what jco generates. Each must be found exactly once: another version of jco may need others. */
function adapted(source) {
  // It can log the arguments of every call, and those hold secrets. It also asks the environment each time.
  const debug = "if (!globalThis?.process?.env?.JCO_DEBUG) { return; }";
  // It counts the bytes of each text one character at a time; Node has a faster way.
  const count = /let len = 0;\s+let codepoints = 0;.*?\n {4}\}\n(?= {4}const ptr = realloc)/s;
  const faster = "const len = Buffer.byteLength(s);\nconst codepoints = undefined;\n";
  return once(once(source, debug, "return;"), count, faster);
}

function once(source, search, replacement) {
  const parts = source.split(search);
  if (parts.length === 2) return parts.join(replacement);
  throw new Error(`what jco generates has changed: ${parts.length - 1} times ${search}`);
}

async function write(folder, files) {
  for (const [name, bytes] of Object.entries(files)) {
    const path = join(root, folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
  }
}

function compile() {
  const tsc = join(root, "node_modules", ".bin", "tsc");
  if (!existsSync(tsc)) throw new Error("run `npm ci` first");
  const { status } = spawnSync(tsc, ["--project", root], { stdio: "inherit" });
  if (status !== 0) process.exit(1);
}
