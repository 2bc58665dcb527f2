// Follows docs/node.md in an empty folder, as a reader would: writes the files that it shows, runs the commands of
// each `sh` block. What builds the checkout has been run before; the demo supplier is started here.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const CHECKOUT = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");
const page = readFileSync(join(CHECKOUT, "docs", "node.md"), "utf8");
const folder = mkdtempSync(join(tmpdir(), "supplier-docs-"));
const supplier = serve();
try {
  for (const [, language, file, text] of page.matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gms)) {
    if (file) writeFileSync(join(folder, file), await located(text));
    if (language === "sh") for (const line of text.trim().split("\n")) run(line);
  }
  console.log("docs/node.md: every command works");
} finally {
  (await supplier).child.stdin.end();
  rmSync(folder, { recursive: true });
}

function run(line) {
  // `npm ci` and the build are the steps before this one; cargo is the README's.
  if (line.startsWith("cargo xtask serve") || line.endsWith("cargo xtask build")) return;
  const command = line.replace("npm ci && npm run build && ", "");
  console.log(`$ ${command}`);
  const { status } = spawnSync("sh", ["-ec", command], {
    cwd: folder,
    env: { ...process.env, CHECKOUT, npm_config_audit: "false", npm_config_fund: "false" },
    stdio: ["ignore", "inherit", "inherit"],
    timeout: 120_000,
  });
  if (status !== 0) throw new Error(`docs/node.md: \`${line}\` failed`);
}

/** The port that the page names may be taken here. */
async function located(text) {
  return text.replaceAll("http://127.0.0.1:8085/v2", (await supplier).url);
}

async function serve() {
  const binary = process.env.SUPPLIER_TEST_BIN ?? join(CHECKOUT, "target", "release", "supplier-test");
  const child = spawn(binary, ["serve", "--port", "0"], { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  return { child, url: line.replace("listening on ", "") };
}
