// Plays jobs for the conformance test: one JSON job a line on standard input, one JSON result a line on standard
// output, in the same order, until the input ends.
import { createInterface } from "node:readline";
import { ProfileError, SupplierClient, SupplierError } from "supplier-client";

for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
  if (line.trim()) process.stdout.write(`${JSON.stringify(await play(JSON.parse(line)))}\n`);
}

async function play({ id, profile, overrides, credentials, calls }) {
  let client;
  try {
    client = new SupplierClient({ profile, overrides: overrides ?? undefined, credentials });
  } catch (error) {
    if (error instanceof ProfileError) return { id, problems: error.problems };
    throw error;
  }
  const results = [];
  let next;
  for (const call of calls) {
    const result = await outcome(client, call, next);
    if (result.page) next = result.page.next ?? undefined;
    results.push(result);
  }
  const health = client.health();
  client.close();
  return { id, results, health };
}

/** `next` is where the last page that was read ended. */
async function outcome(client, call, next) {
  if (call.walk) return { walk: await walk(client, request(call.walk), call.pages) };
  try {
    if (call.send) return { reply: told(await client.send(request(call.send))) };
    const position = call.position === "next" ? next : (call.position ?? undefined);
    const page = await client.page(request(call.page), position);
    return { page: { items: page.json, count: page.count, next: page.next ?? null, journal: page.journal } };
  } catch (error) {
    return { failure: failure(error) };
  }
}

async function walk(client, request, pages = Number.POSITIVE_INFINITY) {
  const items = [];
  let count = 0;
  let ended = false;
  try {
    let next;
    do {
      const page = await client.page(request, next);
      count += 1;
      if (page.count > 0) items.push(page.json.trim().slice(1, -1));
      next = page.next;
      ended = next === undefined;
    } while (!ended && count < pages);
    return { items: `[${items.join(",")}]`, pages: count, ended, failure: null };
  } catch (error) {
    return { items: `[${items.join(",")}]`, pages: count, ended: false, failure: failure(error) };
  }
}

function request({ body, idempotency_key, deadline_ms, max_wait_ms, ...same }) {
  const bytes = body?.base64 === undefined ? body?.text : Buffer.from(body.base64, "base64");
  return {
    ...without({ ...same, body: bytes, idempotencyKey: idempotency_key }),
    ...without({ deadlineMs: deadline_ms, maxWaitMs: max_wait_ms }),
  };
}

function without(object) {
  return Object.fromEntries(
    Object.entries(object).filter(([, value]) => value !== null && value !== undefined),
  );
}

function told(reply) {
  const { verdict, journal } = reply;
  return { verdict, ...response(reply), retry_after_ms: reply.retryAfterMs ?? null, journal };
}

function failure(error) {
  if (!(error instanceof SupplierError)) throw error;
  return {
    kind: error.kind,
    code: error.code,
    message: error.message,
    retry_after_ms: error.retryAfterMs ?? null,
    status: error.status ?? null,
    response: error.response ? response(error.response) : null,
    journal: error.journal,
  };
}

function response({ status, headers, body }) {
  const bytes = Buffer.from(body);
  const text = bytes.toString("utf8");
  const same = Buffer.from(text, "utf8").equals(bytes);
  return { status, headers, body: same ? { text } : { base64: bytes.toString("base64") } };
}
