/** Every attempt and every wait of one call. Holds no path, query, body or secret. */
export interface Journal {
  journal: 1;
  supplier: string;
  host: string;
  method: string;
  operation?: string;
  /** Which page of a walk. */
  page?: number;
  /** Our clock when the call began, Unix milliseconds. */
  began_ms: number;
  elapsed_ms: number;
  attempts: JournalAttempt[];
  /** After the last attempt: refused, or interrupted and then as long as it lasted. */
  waits?: JournalWait[];
  notes?: { code: string; from?: string; raw?: string }[];
  /** Verdict of the reply, `ok` for a page, or code of the failure. */
  outcome: string;
}

export interface JournalAttempt {
  /** Counts the first request as 1. */
  n: number;
  /** When it was sent, since the call began. */
  at_ms: number;
  waits?: JournalWait[];
  /** The time that was signed, Unix milliseconds. */
  signed_at_ms?: number;
  took_ms: number;
  status?: number;
  /** Why no complete response came. */
  code?: string;
  detail?: string;
  phase?: string;
  verdict: string;
  /** Where the verdict comes from. */
  rule?: string;
  /** The supplier's own id of the request, to quote in a support case. */
  request_id?: string;
}

export interface JournalWait {
  at_ms: number;
  ms: number;
  /** `retry-after`, `reset`, `backoff`, `rule`, `budget`, `probe` or `contention`. */
  why: string;
  /** The wait did not begin, and why. */
  refused?: string;
}

/** Counts since the client was made, as of the last event. */
export interface Health {
  health: 1;
  supplier: string;
  calls: number;
  attempts: number;
  waits: number;
  waited_ms: number;
  replies: Record<string, number>;
  pages: number;
  failures: Record<string, number>;
  /** What an alert looks at. */
  unavailable_in_a_row: number;
  last_answer_ms: number | null;
  /** How far the supplier's clock is ahead of ours. */
  clock_offset_ms: number | null;
  last_failure?: { at_ms: number; kind: string; code: string };
  pools: Record<
    string,
    {
      closed_for_ms: number;
      in_flight: number;
      windows: Record<string, { limit: number | null; left: number | null; reset_in_ms: number | null }>;
    }
  >;
}
