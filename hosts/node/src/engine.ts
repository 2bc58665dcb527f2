import { readFileSync } from "node:fs";
import { instantiate } from "#engine";
import { LoadError, type Problem, ProfileError } from "./errors.js";
import type { Phase } from "./transport.js";

/** Interface `engine` of `wit/supplier.wit`, as jco shows it. */
export interface Engine {
  readonly Supplier: {
    open(
      profile: string,
      overrides: string | undefined,
      credentials: { name: string; value: string }[],
    ): EngineSupplier;
  };
}

export interface EngineSupplier {
  setCredentials(credentials: { name: string; value: string }[]): void;
  begin(request: string, body: string, base64: boolean, entropy: string): EngineCall;
  health(): string;
  explain(request: string, body: string, base64: boolean, wallMs: number, monoMs: number): string;
}

export interface EngineCall {
  go(wallMs: number, monoMs: number): Action;
  answered(
    status: number,
    headers: string,
    body: string,
    base64: boolean,
    wallMs: number,
    monoMs: number,
  ): Action;
  broke(
    phase: Phase,
    code: string,
    status: number | undefined,
    headers: string,
    wallMs: number,
    monoMs: number,
  ): Action;
  stored(won: boolean, current: string | undefined, wallMs: number, monoMs: number): Action;
  storeFailed(code: string, wallMs: number, monoMs: number): Action;
  cancel(wallMs: number, monoMs: number): Action;
}

export interface Action {
  readonly step: "send" | "wait" | "store" | "reply" | "page" | "failed";
  readonly ms: number;
  /** JSON, see `schemas/detail.schema.json`. */
  readonly detail: string;
  readonly body: string;
  readonly base64: boolean;
}

/** A value that is `undefined`, as an environment variable may be, counts as absent. */
export type Credentials = Readonly<Record<string, string | undefined>>;

const CONTRACT = "supplier:client/engine@0.1.0";

/** Opens a supplier in an instance of its own: what stops one leaves the others alone. */
export function openSupplier(
  profile: string,
  overrides: string | undefined,
  credentials: Credentials,
): EngineSupplier {
  const exported: Readonly<Record<string, unknown>> = { ...instantiate(coreModule, {}) };
  const engine = exported[CONTRACT] as Engine | undefined;
  if (!engine) {
    const found = Object.keys(exported).find((name) => name.startsWith("supplier:client/engine"));
    throw new LoadError(
      `the engine component offers ${found ?? "no engine"}, this package needs ${CONTRACT}; install or build both from one version`,
    );
  }
  return reportingProblems(() => engine.Supplier.open(profile, overrides, listed(credentials)));
}

export function replaceCredentials(supplier: EngineSupplier, credentials: Credentials): void {
  reportingProblems(() => supplier.setCredentials(listed(credentials)));
}

/** A call that has ended is told so, not left to the garbage collector. */
export function drop(resource: EngineCall | EngineSupplier): void {
  (resource as Partial<Disposable>)[Symbol.dispose]?.();
}

/** jco throws the error of a `result` as a `ComponentError` with a `payload`. */
function reportingProblems<T>(open: () => T): T {
  try {
    return open();
  } catch (error) {
    const problems = (error as { payload?: unknown }).payload;
    if (Array.isArray(problems)) throw new ProfileError(problems as Problem[]);
    throw error;
  }
}

function listed(credentials: Credentials) {
  return Object.entries(credentials).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value }],
  );
}

/** Compiled once per process. */
const compiled = new Map<string, WebAssembly.Module>();

function coreModule(name: string): WebAssembly.Module {
  let module = compiled.get(name);
  if (!module) {
    module = new WebAssembly.Module(bytes(new URL(`./generated/${name}`, import.meta.url)));
    compiled.set(name, module);
  }
  return module;
}

function bytes(url: URL): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(readFileSync(url));
  } catch (cause) {
    throw new LoadError(
      `${url.pathname} cannot be read; install the package again, or run \`npm run build\``,
      {
        cause,
      },
    );
  }
}
