import { createHash } from "node:crypto";
import {
  accessSync,
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { checkText } from "./check.js";
import type { Store, Swap } from "./store.js";

/** Locks are held for well under a millisecond: one this old belongs to a process that died or was stopped. */
const STALE_MS = 2_000;

/**
 * A budget for the Node processes of one machine, in a folder of files. A change takes the lock of its key (a file
 * that only one can create) and then puts a whole new file in the place of the old one, so readers need no lock.
 * What a process that died leaves behind is cleared away after two seconds. Not for network file systems, nor for
 * a folder that the PHP or Python package uses: their locks are of another kind.
 */
export class FileStore implements Store {
  readonly #folder: string;

  /** `folder` is made, for its owner alone, if it is not there. Throws if it cannot be made or written to. */
  constructor(folder: string) {
    checkText("the folder of a FileStore", folder);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    } catch (cause) {
      throw new Error(`the folder ${folder} for shared budgets cannot be used: ${message(cause)}`, { cause });
    }
    this.#folder = folder;
  }

  load(key: string): string | undefined {
    return read(this.#file(key));
  }

  async compareAndSwap(
    key: string,
    expect: string | undefined,
    value: string,
    ttlMs: number,
    patienceMs: number,
  ): Promise<Swap> {
    const file = this.#file(key);
    const lock = await locked(`${file}.lock`, performance.now() + patienceMs);
    // Nothing below waits, so that the lock is held as briefly as can be.
    try {
      const current = read(file);
      if (current !== expect) return { won: false, current };
      writeFileSync(`${file}.new`, `${Date.now() + ttlMs}\n${value}`, { mode: 0o600 });
      if (!lock.held()) throw new Error("this process stood still while it had the lock");
      renameSync(`${file}.new`, file);
      return { won: true, current: value };
    } finally {
      lock.release();
    }
  }

  /** Keys hold colons and whatever a profile calls its account. */
  #file(key: string): string {
    return join(this.#folder, `${createHash("sha256").update(key).digest("hex")}.budget`);
  }
}

/** The first line says until when, in Unix milliseconds; the text follows. Anything else counts as nothing. */
function read(file: string): string | undefined {
  const content = unless("ENOENT", () => readFileSync(file, "utf8")) ?? "";
  const end = content.indexOf("\n");
  return Number(content.slice(0, Math.max(0, end))) > Date.now() ? content.slice(end + 1) : undefined;
}

interface Lock {
  /** Whether nobody can have taken it for stale yet. */
  held(): boolean;
  release(): void;
}

/** Waits for the lock until `performance.now()` reaches `deadline`, then rejects. */
async function locked(path: string, deadline: number): Promise<Lock> {
  for (;;) {
    const began = performance.now();
    const own = unless("EEXIST", () => created(path));
    if (own) {
      const held = () => performance.now() - began < STALE_MS / 2;
      return { held, release: () => remove(path, own) };
    }
    clearStale(path);
    if (performance.now() >= deadline) throw new Error(`${path} stayed locked`);
    await pause(0.5 + Math.random() * 4);
  }
}

/** Several processes may find the same stale lock: the one that can create a file named after it removes it. */
function clearStale(path: string): void {
  const lock = stat(path);
  if (!lock || age(lock) < STALE_MS) return;
  const marker = `${path}.${lock.ino}-${lock.mtimeNs}`;
  const own = unless("EEXIST", () => created(marker));
  if (own) {
    remove(path, lock);
    remove(marker, own);
  } else {
    // Whoever created it may have died, too.
    const other = stat(marker);
    if (other && age(other) > STALE_MS) remove(marker, other);
  }
}

function created(path: string): BigIntStats {
  const file = openSync(path, "wx", 0o600);
  try {
    return fstatSync(file, { bigint: true });
  } finally {
    closeSync(file);
  }
}

/** Removes the file if it is still that one. */
function remove(path: string, that: BigIntStats): void {
  const now = stat(path);
  if (now?.ino !== that.ino || now.mtimeNs !== that.mtimeNs) return;
  unless("ENOENT", () => unlinkSync(path));
}

function stat(path: string): BigIntStats | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false });
}

/** In milliseconds. */
function age({ mtimeMs }: BigIntStats): number {
  return Date.now() - Number(mtimeMs);
}

function unless<T>(code: string, action: () => T): T | undefined {
  try {
    return action();
  } catch (error) {
    if ((error as { code?: unknown }).code === code) return undefined;
    throw error;
  }
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
