import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import net from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { SupplierClient } from "supplier-client";

/** The caps that profiles have by default. */
export const CAPS = { body_bytes: 8_388_608, error_body_bytes: 65_536, header_bytes: 65_536 };

export const OK = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/**
 * A server that keeps every request as bytes. `answer(request, socket, n)` returns what goes back, `undefined`
 * for nothing. Closed when the test ends.
 */
export async function rawServer(test, answer = () => OK, host = "127.0.0.1") {
  const requests = [];
  const sockets = new Set();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => {});
    let bytes = "";
    socket.on("data", (chunk) => {
      bytes += chunk.toString("latin1");
      const length = /\r\n\r\n/.test(bytes)
        ? Number(/^content-length: (\d+)/im.exec(bytes)?.[1] ?? 0)
        : Infinity;
      if (bytes.length < bytes.indexOf("\r\n\r\n") + 4 + length) return;
      const request = bytes;
      bytes = "";
      requests.push(request);
      const back = answer(request, socket, requests.length);
      if (back !== undefined) socket.write(back, "latin1");
    });
  });
  server.listen(0, host);
  await once(server, "listening");
  test.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const { port } = server.address();
  return {
    requests,
    sockets,
    port,
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    server,
  };
}

/** A port that nobody listens on. */
export async function freePort() {
  const server = net.createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

export function attempt(url, more = {}) {
  return { method: "GET", url, headers: [], body: Buffer.alloc(0), caps: CAPS, ...more };
}

export const never = () => new AbortController().signal;

/** The strict supplier of supplier-test on a port of its own. Its report is what it has to complain about. */
export async function strictSupplier(test, ...options) {
  const binary =
    process.env.SUPPLIER_TEST_BIN ??
    fileURLToPath(new URL("../../../target/release/supplier-test", import.meta.url));
  const child = spawn(binary, ["serve", "--port", "0", ...options], { stdio: ["pipe", "pipe", "inherit"] });
  // It ends when its standard input does, so it does not outlive this process.
  test.after(() => child.stdin.end());
  const [line] = await once(createInterface({ input: child.stdout }), "line");
  const url = line.replace("listening on ", "");
  return { url, report: async () => (await fetch(new URL("/__report", url))).json() };
}

export const ACME = JSON.parse(readFileSync(new URL("../examples/acme.json", import.meta.url), "utf8"));

/** A client of a supplier at `base_url`, closed when the test ends. Retries are quick unless `overrides` say otherwise. */
export function acme(test, base_url, { overrides, ...options } = {}) {
  const retry = { base_delay_ms: 10, max_delay_ms: 40, ...overrides?.retry };
  const client = new SupplierClient({
    profile: ACME,
    overrides: { base_url, ...overrides, retry },
    credentials: { "signing-secret": "test_secret_a" },
    ...options,
  });
  test.after(() => client.close());
  return client;
}
