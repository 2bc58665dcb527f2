import { randomFillSync } from "node:crypto";

const SHARE = 16;

/** Asking the system for each call costs more than the rest of its beginning. */
const pool = Buffer.alloc(256 * SHARE);
let used = pool.length;

/** 32 hex digits from the system's secure source, never the same twice. */
export function entropy(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const share = pool.toString("hex", used, used + SHARE);
  // What has been handed out stays nowhere.
  pool.fill(0, used, used + SHARE);
  used += SHARE;
  return share;
}
