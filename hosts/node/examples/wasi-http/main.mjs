// The component that brings its own network, in a worker thread: `node build.mjs`, then
//
//   SUPPLIER_URL=http://127.0.0.1:PORT/v2 node main.mjs
//
// Take the package instead unless you want the very bytes that a wasmtime host runs. What this way cannot do:
//
// - A call blocks its thread until it has ended, waits included; in the main thread nothing else would run.
//   One worker makes one call at a time, and two workers do not share a budget.
// - A call cannot be interrupted. `deadline-ms` and `max-wait-ms` bound it; `worker.terminate()` ends it without
//   saying whether the supplier has seen the request.
// - The shim sends, in a thread of its own: nock, msw and OpenTelemetry see nothing of it, and there is no proxy
//   and no CA of your own.
// - The shim splits host and port at the first colon, so that an IPv6 address is no `base_url`; it reads header
//   names in lower case and keeps only the first of several lines of some fields (`retry-after`, `date`, ...).
// - The shim cannot tell a refused name from many other faults: more of them end as `unknown-outcome` for a POST.
// - A setting of JCO_DEBUG in the environment makes the generated code log what crosses, secrets included.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { Worker } from "node:worker_threads";

const worker = new Worker(new URL("worker.mjs", import.meta.url), {
  workerData: {
    profile: readFileSync(new URL("../acme.json", import.meta.url), "utf8"),
    overrides: JSON.stringify({ base_url: process.env.SUPPLIER_URL }),
    credentials: [{ name: "signing-secret", value: "test_secret_a" }],
  },
});

const none = { tag: "text", val: "" };
const page = await call("page", {
  method: "GET",
  target: "/consignments",
  query: [["limit", "100"]],
  headers: [],
  body: none,
});
console.log(`page of ${page.count}, ${page.next ? "more to come" : "the end"}`);

const reply = await call("send", {
  method: "POST",
  target: "/orders",
  query: [],
  headers: [["content-type", "application/json"]],
  body: { tag: "text", val: JSON.stringify({ number: "A-1002" }) },
  idempotencyKey: "A-1002",
});
console.log(`order: ${reply.verdict}, ${reply.response.status}`);
await worker.terminate();

/** One call; the worker is not asked for the next before it has answered. */
async function call(name, request, position) {
  worker.postMessage({ name, request, position });
  const [{ value, failure }] = await once(worker, "message");
  if (failure) throw Object.assign(new Error(failure.message), failure);
  return value;
}
