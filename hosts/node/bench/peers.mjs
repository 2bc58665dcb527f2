// What people would write instead, each with the same job: sign, POST 1 KiB, walk pages of 100. `open(url)` returns
// `post(n)` and `pages()`, an async iterator of arrays.
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";

const SECRET = "test_secret_a";
const PAD = "x".repeat(990);

export const order = (n) => ({ number: `B-${String(n).padStart(8, "0")}`, pad: PAD });

function signed(body) {
  const timestamp = Math.floor(Date.now() / 1000);
  const hmac = createHmac("sha256", SECRET).update(`${timestamp}.`).update(body).digest("hex");
  return { "X-Signature": `t=${timestamp},v1=${hmac}` };
}

const orderHeaders = (number, body) => ({
  "Content-Type": "application/json",
  "Idempotency-Key": number,
  ...signed(body),
});

const list = (cursor) => `/consignments?limit=100${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`;

async function* walk(get) {
  let cursor;
  do {
    const { items, next } = JSON.parse(await get(list(cursor)));
    yield items;
    cursor = next;
  } while (cursor);
}

export const peers = {
  async "supplier-client"(url) {
    const { SupplierClient } = await import("../dist/index.js");
    const profile = readFileSync(new URL("../examples/acme.json", import.meta.url), "utf8");
    const client = new SupplierClient({
      profile,
      overrides: { base_url: url },
      credentials: { "signing-secret": SECRET },
    });
    return {
      post(n) {
        const json = order(n);
        return client.send({ method: "POST", target: "/orders", json, idempotencyKey: json.number });
      },
      async *pages() {
        for await (const page of client.pages({ target: "/consignments", query: { limit: 100 } }))
          yield page.items;
      },
    };
  },

  /** The bare client that supplier-client sends with: no retry, no pacing, no profile. */
  async "node:http"(url) {
    const { Agent, request } = await import("node:http");
    const agent = new Agent({ keepAlive: true });
    const call = (path, options, body) =>
      new Promise((resolve, reject) => {
        const sending = request(url + path, { agent, ...options }, (response) => {
          const chunks = [];
          response.on("data", (chunk) => chunks.push(chunk));
          response.on("end", () => resolve(Buffer.concat(chunks).toString()));
        });
        sending.on("error", reject);
        sending.end(body);
      });
    return {
      post(n) {
        const json = order(n);
        const body = JSON.stringify(json);
        const headers = { ...orderHeaders(json.number, body), "Content-Length": Buffer.byteLength(body) };
        return call("/orders", { method: "POST", headers }, body);
      },
      pages: () => walk((path) => call(path, { headers: signed("") })),
    };
  },

  async got(url) {
    const { Agent } = await import("node:http");
    const { default: got } = await import("got");
    const client = got.extend({
      prefixUrl: url,
      agent: { http: new Agent({ keepAlive: true }) },
      retry: { limit: 3, methods: ["GET", "POST"], statusCodes: [429, 502, 503, 504] },
      hooks: {
        beforeRequest: [
          (options) => {
            Object.assign(options.headers, signed(options.body ?? ""));
          },
        ],
      },
    });
    return {
      post(n) {
        const json = order(n);
        const body = JSON.stringify(json);
        const headers = { "Content-Type": "application/json", "Idempotency-Key": json.number };
        return client.post("orders", { body, headers }).text();
      },
      pages: () => walk((path) => client.get(path.slice(1)).text()),
    };
  },

  /** A loop by hand around fetch, as most projects have one. */
  async fetch(url) {
    async function call(path, options, body = "") {
      for (let attempt = 1; ; attempt++) {
        const headers = { ...options.headers, ...signed(body) };
        const response = await fetch(url + path, { ...options, headers });
        const text = await response.text();
        if (![429, 502, 503, 504].includes(response.status) || attempt === 4) return text;
        const seconds = Number(response.headers.get("retry-after")) || 2 ** attempt / 4;
        await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      }
    }
    return {
      post(n) {
        const json = order(n);
        const body = JSON.stringify(json);
        const headers = { "Content-Type": "application/json", "Idempotency-Key": json.number };
        return call("/orders", { method: "POST", body, headers }, body);
      },
      pages: () => walk((path) => call(path, {})),
    };
  },
};
