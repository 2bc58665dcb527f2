// Places an order. Its own number makes it safe to repeat. SUPPLIER_URL is what `cargo xtask serve` prints.
import { readFileSync } from "node:fs";
import { SupplierClient, ThrottledError, UnavailableError, UnknownOutcomeError } from "supplier-client";

const client = new SupplierClient({
  profile: readFileSync(new URL("acme.json", import.meta.url), "utf8"),
  overrides: { base_url: process.env.SUPPLIER_URL },
  credentials: { "signing-secret": "test_secret_a" },
});

const order = { number: "A-1001", parcels: 2 };
try {
  const reply = await client.send({
    method: "POST",
    target: "/orders",
    json: order,
    idempotencyKey: order.number,
    signal: AbortSignal.timeout(30_000),
  });
  console.log(reply.ok ? reply.json() : `refused (${reply.verdict}, ${reply.status}): ${reply.text()}`);
  console.log(`${reply.journal.attempts.length} attempt(s) in ${reply.journal.elapsed_ms} ms`);
} catch (error) {
  if (error instanceof ThrottledError) console.log(`again in ${error.retryAfterMs} ms`);
  else if (error instanceof UnavailableError) console.log(`try later: ${error.message}`);
  else if (error instanceof UnknownOutcomeError) console.log(`look the order up first: ${error.message}`);
  else throw error;
}
