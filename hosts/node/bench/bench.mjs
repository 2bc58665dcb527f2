// Each peer beside the others, in the same run, against the strict supplier: CPU and wall clock of a signed POST of
// 1 KiB and of a page of 100 items, eight POSTs at once, cold start, memory. `--json` for machines. `npm ci` first.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { peers } from "./peers.mjs";

const COLD_STARTS = 7;
const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const binary = process.env.SUPPLIER_TEST_BIN ?? path("../../../target/release/supplier-test");
const supplier = spawn(binary, ["serve", "--limit", "100000000", "--items", "20000"], {
  stdio: ["pipe", "pipe", "inherit"],
});
const [line] = await once(createInterface({ input: supplier.stdout }), "line");
const url = line.replace("listening on ", "");

const results = {};
for (const peer of Object.keys(peers)) {
  const cold = [];
  for (let i = 0; i < COLD_STARTS; i++) cold.push(await one(peer, "cold"));
  cold.sort((a, b) => a.cold_ms - b.cold_ms);
  results[peer] = { ...(await one(peer, "warm")), cold_ms: cold[COLD_STARTS >> 1].cold_ms };
}
supplier.stdin.end();

if (process.argv.includes("--json")) {
  console.log(JSON.stringify(results));
} else {
  console.log("CPU / wall us      POST          page          8 at once     cold ms   MB");
  for (const [peer, { post_us, page_us, eight_at_once_us, cold_ms, rss_mb }] of Object.entries(results)) {
    const pair = ({ cpu, wall }) => `${cpu.toFixed(0)} / ${wall.toFixed(0)}`.padEnd(14);
    const rest = `${cold_ms.toFixed(0).padEnd(10)}${rss_mb.toFixed(0)}`;
    console.log(peer.padEnd(19) + pair(post_us) + pair(page_us) + pair(eight_at_once_us) + rest);
  }
}

async function one(peer, how) {
  const { stdout } = await promisify(execFile)(process.execPath, [path("one.mjs"), peer, url, how]);
  return JSON.parse(stdout);
}
