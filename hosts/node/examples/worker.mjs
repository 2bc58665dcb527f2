// One of many workers that share a supplier's limit: it opens the supplier with the first line of its standard
// input, and sends each further line as one request. Answers each with a line of JSON.
//
// first line   {"profile", "overrides", "credentials", "redis": "redis://..." | null, "folder": "..." | null}
// other lines  {"method", "target", "body", "idempotency_key"}
import { createInterface } from "node:readline";
import { createClient } from "redis";
import { FileStore, RedisStore, SupplierClient, SupplierError } from "supplier-client";

let client;
let redis;
for await (const line of createInterface({ input: process.stdin })) {
  say(client ? await send(JSON.parse(line)) : await open(JSON.parse(line)));
}
client?.close();
redis?.destroy();

async function open({ profile, overrides, credentials, redis: url, folder }) {
  let store = folder ? new FileStore(folder) : undefined;
  if (url) {
    // A store that is away must say so at once: the profile says what happens then.
    redis = createClient({ url, disableOfflineQueue: true });
    redis.on("error", () => {});
    await redis.connect();
    store = new RedisStore(redis);
  }
  client = new SupplierClient({ profile, overrides, credentials, store });
  return { ready: true };
}

async function send({ idempotency_key: idempotencyKey, ...request }) {
  try {
    const { verdict, status, journal } = await client.send({ ...request, idempotencyKey });
    return { verdict, status, journal };
  } catch (error) {
    if (!(error instanceof SupplierError)) throw error;
    return { failure: `${error.kind} ${error.code}: ${error.message}`, journal: error.journal };
  }
}

function say(answer) {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
