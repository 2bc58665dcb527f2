// Reads a list, lazily. SUPPLIER_URL is what `cargo xtask serve` prints.
import { readFileSync } from "node:fs";
import { SupplierClient } from "supplier-client";

const client = new SupplierClient({
  profile: readFileSync(new URL("acme.json", import.meta.url), "utf8"),
  overrides: { base_url: process.env.SUPPLIER_URL },
  credentials: { "signing-secret": "test_secret_a" },
  onWait: ({ ms, why }) => console.error(`waiting ${ms} ms: ${why}`),
});

let count = 0;
for await (const consignment of client.items({ target: "/consignments", query: { limit: 100 } })) {
  count += 1;
  if (count === 1) console.log(consignment);
  if (count === 250) break;
}
console.log(`${count} consignments, ${client.health().pages} pages fetched`);
