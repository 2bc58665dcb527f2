/**
 * Where the pacing budget stands when several clients share it: one text per key, changed by compare-and-swap.
 * A rejection, or an answer after the engine's patience, makes the call go on as the profile says.
 */
export interface Store {
  /** The text under `key`, `undefined` for none. After `patienceMs` nobody waits for the answer. */
  load(key: string, patienceMs: number): Promise<string | undefined> | string | undefined;
  /**
   * Puts `value` for `ttlMs` if exactly `expect` stands there (`undefined`: nothing), in one step. Answers
   * whether it did, and what stands there now. After `patienceMs` it should not begin to write.
   */
  compareAndSwap(
    key: string,
    expect: string | undefined,
    value: string,
    ttlMs: number,
    patienceMs: number,
  ): Promise<Swap> | Swap;
}

export interface Swap {
  readonly won: boolean;
  readonly current: string | undefined;
}

/** Shared by the clients of this thread that are given the same one. */
export class MemoryStore implements Store {
  readonly #texts = new Map<string, { text: string; until: number }>();

  load(key: string): string | undefined {
    const entry = this.#texts.get(key);
    if (entry && entry.until > performance.now()) return entry.text;
    this.#texts.delete(key);
    return undefined;
  }

  compareAndSwap(key: string, expect: string | undefined, value: string, ttlMs: number): Swap {
    const current = this.load(key);
    if (current !== expect) return { won: false, current };
    this.#texts.set(key, { text: value, until: performance.now() + ttlMs });
    return { won: true, current: value };
  }
}
