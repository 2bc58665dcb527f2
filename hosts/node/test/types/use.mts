// Compiled, not run: what a TypeScript program writes.
import { readFileSync } from "node:fs";
import { Agent } from "node:https";
import { Redis } from "ioredis";
import { createClient } from "redis";
import {
  type FailureKind,
  FileStore,
  HttpTransport,
  type Journal,
  MemoryStore,
  RedisStore,
  type Store,
  SupplierClient,
  SupplierError,
  type SupplierRequest,
  type Transport,
} from "supplier-client";

interface Consignment {
  id: string;
}

const client = new SupplierClient({
  profile: readFileSync("profile.json", "utf8"),
  overrides: { base_url: "http://127.0.0.1:1" },
  credentials: { token: "x" },
  transport: new HttpTransport({ httpsAgent: new Agent({ keepAlive: true }) }),
  store: new MemoryStore(),
  onAttempt: ({ n, status, code, tookMs }) => console.log(n, status?.toFixed(), code?.length, tookMs),
  onJournal: (journal: Journal) => console.log(journal.attempts[0]?.verdict),
});

const request: SupplierRequest = {
  target: "/a",
  query: { limit: 100, tag: ["a", "b"], none: undefined },
  headers: new Headers({ a: "b" }),
};
for await (const item of client.items<Consignment>(request)) console.log(item.id.length);
const page = await client.page<Consignment>({ target: "/a", query: [["a", "b"]] }, "position");
export const next: string | undefined = page.next;
const reply = await client.send({ method: "POST", target: "/", json: { a: 1 }, idempotencyKey: "k" });
export const verdict: string = reply.verdict;
client.close();

// @ts-expect-error: a request needs a target
await client.send({ method: "GET" });
// @ts-expect-error: durations are numbers
await client.send({ target: "/", deadlineMs: "5s" });

export function advice(error: unknown): string {
  if (!(error instanceof SupplierError)) throw error;
  const kind: FailureKind = error.kind;
  switch (kind) {
    case "invalid":
    case "denied":
    case "bad-response":
    case "internal":
      return error.message;
    case "throttled":
    case "unavailable":
    case "cancelled":
      return `again in ${error.retryAfterMs ?? 60_000}`;
    case "unknown-outcome":
      return "look first";
  }
}

export const transport: Transport = {
  send: async (attempt, signal) =>
    signal.aborted
      ? { answered: false, phase: "not-sent", code: "connection-refused" }
      : { answered: true, status: 200, headers: attempt.headers, body: attempt.body },
};

export const store: Store = {
  load: async () => undefined,
  compareAndSwap: async (_key, _expect, value) => ({ won: true, current: value }),
};

export const stores: Store[] = [
  new FileStore("budgets"),
  new RedisStore(createClient({ disableOfflineQueue: true })),
  new RedisStore(new Redis({ enableOfflineQueue: false })),
];
