// A process that counts up under one key: `hammer.mjs file FOLDER TIMES` or `hammer.mjs redis|ioredis PORT TIMES`.
// It says "ready", and begins when it is told to.
import { once } from "node:events";
import { opened } from "./stores.mjs";

const [kind, where, times] = process.argv.slice(2);
const { store, close } = await opened(kind, where);
process.stdout.write("ready\n");
await once(process.stdin, "data");
process.stdin.destroy();
for (let n = 0; n < Number(times); n++) {
  let swap = { won: false, current: await store.load("sc1:count", 10_000) };
  while (!swap.won) {
    const next = String(Number(swap.current ?? 0) + 1);
    swap = await store.compareAndSwap("sc1:count", swap.current, next, 600_000, 10_000);
  }
}
await close();
