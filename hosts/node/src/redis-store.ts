import { createHash } from "node:crypto";
import { kindOf } from "./check.js";
import type { Store, Swap } from "./store.js";

/** A client of the package `redis`. */
export interface NodeRedis {
  sendCommand(command: string[]): Promise<unknown>;
}

/** A client of the package `ioredis`. */
export interface IoRedis {
  call(command: string, ...args: string[]): Promise<unknown>;
  readonly options?: { readonly keyPrefix?: string | undefined };
}

/** Arguments: value, time to live in ms, and the expected text if there is one. */
const SWAP = `
local current = redis.call('GET', KEYS[1])
if current ~= (ARGV[3] or false) then return {0, current} end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return {1}
`;
const DIGEST = createHash("sha1").update(SWAP).digest("hex");

/**
 * A budget for whoever reaches one Redis (from 2.6 on) or Valkey, in whatever language: one string under each of
 * the engine's keys, with a time to live, changed by one small script. The client is yours: connect it, listen to
 * its `error` events, close it. Its queue for times without a connection is best switched off.
 */
export class RedisStore implements Store {
  readonly #command: (command: [string, ...string[]]) => Promise<unknown>;

  /** Throws a `TypeError` for what is no client, or one that changes the keys. */
  constructor(client: NodeRedis | IoRedis) {
    if (typeof client !== "object" || client === null) {
      throw new TypeError(
        `give RedisStore a client of the package \`redis\` or \`ioredis\`, not ${kindOf(client)}`,
      );
    }
    // ioredis has a `sendCommand`, too, which takes something else.
    if ("call" in client && typeof client.call === "function") {
      if (client.options?.keyPrefix) {
        throw new TypeError(
          "the ioredis client has a `keyPrefix`: other languages would not find the budget",
        );
      }
      this.#command = ([name, ...args]) => client.call(name, ...args);
    } else if ("sendCommand" in client && typeof client.sendCommand === "function") {
      this.#command = (command) => client.sendCommand(command);
    } else {
      throw new TypeError("give RedisStore a client of the package `redis` or `ioredis`");
    }
  }

  async load(key: string): Promise<string | undefined> {
    return text(await this.#command(["GET", key]));
  }

  async compareAndSwap(key: string, expect: string | undefined, value: string, ttlMs: number): Promise<Swap> {
    const args = ["1", key, value, String(Math.max(1, Math.ceil(ttlMs)))];
    if (expect !== undefined) args.push(expect);
    const answer = await this.#swap(args);
    if (!Array.isArray(answer)) throw new Error("Redis: an answer that is no pair");
    return Number(answer[0]) === 1
      ? { won: true, current: value }
      : { won: false, current: text(answer[1] ?? null) };
  }

  async #swap(args: string[]): Promise<unknown> {
    try {
      return await this.#command(["EVALSHA", DIGEST, ...args]);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
      // The first time, and after a restart. EVAL remembers the script.
      return await this.#command(["EVAL", SWAP, ...args]);
    }
  }
}

function text(answer: unknown): string | undefined {
  if (answer === null) return undefined;
  if (typeof answer === "string") return answer;
  throw new Error("Redis: an answer that is no text");
}
