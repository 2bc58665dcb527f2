import { spawn } from "node:child_process";
import { once } from "node:events";
import net from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { Redis } from "ioredis";
import { createClient } from "redis";
import { FileStore, RedisStore } from "supplier-client";
import { freePort } from "./support.mjs";

/** A store as a user would open it, and what closes its connection. */
export async function opened(kind, where) {
  if (kind === "file") return { store: new FileStore(where), close: () => {} };
  if (kind === "redis") {
    const client = createClient({ url: `redis://127.0.0.1:${where}`, disableOfflineQueue: true });
    client.on("error", () => {});
    await client.connect();
    return { store: new RedisStore(client), client, close: () => client.destroy() };
  }
  const client = new Redis({ port: Number(where), host: "127.0.0.1", enableOfflineQueue: false });
  client.on("error", () => {});
  await once(client, "ready");
  return { store: new RedisStore(client), client, close: () => client.disconnect() };
}

/** A real Redis on a free port of loopback, that keeps nothing. Stopped when the test ends. */
export async function redisServer(test, port) {
  port ??= await freePort();
  const options = ["--bind", "127.0.0.1", "--port", String(port), "--save", "", "--appendonly", "no"];
  const child = spawn("redis-server", options, { stdio: "ignore" });
  const ended = once(child, "exit");
  const stop = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  test.after(stop);
  for (;;) {
    if (child.exitCode !== null) throw new Error("redis-server has ended");
    const socket = net.connect(port, "127.0.0.1");
    const up = await once(socket, "connect").catch(() => undefined);
    socket.destroy();
    if (up) return { port, stop };
    await pause(20);
  }
}
