/** Ends what a call is waiting for. A call waits for one thing at a time, so one listener is enough. */
export class Cancel {
  /** Set once cancelled. */
  reason: { readonly cause: unknown } | undefined;
  #wake: (() => void) | undefined;

  cancel(cause: unknown): void {
    this.reason ??= { cause };
    this.#wake?.();
  }

  /**
   * Runs `start`; the function that it returns is called if the call is cancelled meanwhile. It may also be called
   * later, when there is nothing left to interrupt.
   */
  interruptible<T>(start: (resolve: (value: T) => void) => () => void): Promise<T> {
    return new Promise<T>((resolve) => {
      const interrupt = start(resolve);
      if (this.reason) interrupt();
      else this.#wake = interrupt;
    });
  }

  /** Waits until `performance.now()` reaches `until`, never less. */
  sleep(until: number): Promise<void> {
    return this.interruptible((resolve) => {
      const stop = at(until, resolve);
      return () => {
        stop();
        resolve();
      };
    });
  }
}

/** The longest that Node's timers can do. */
const LONGEST = 2 ** 31 - 1;

/** A timer for any distance, which is never early. Returns what stops it. */
export function at(until: number, ring: () => void): () => void {
  let timer: NodeJS.Timeout;
  const set = () => {
    const left = until - performance.now();
    if (left <= 0) return ring();
    timer = setTimeout(set, Math.min(Math.ceil(left), LONGEST));
  };
  timer = setTimeout(set, Math.min(Math.max(0, Math.ceil(until - performance.now())), LONGEST));
  return () => clearTimeout(timer);
}
