// JavaScript lets through what TypeScript would not. Each mistake is a `TypeError` that names it, before
// anything is sent: a misspelt `idempotencyKey` that is ignored is an order that is placed twice.

/** The names of all members of `T`, checked to be complete and to be spelt right. */
export function members<T>(names: Record<keyof T, true>): ReadonlySet<string> {
  return new Set(Object.keys(names));
}

/** An object, with no members but these. */
export function checkObject(what: string, given: unknown, names: ReadonlySet<string>): void {
  if (typeof given !== "object" || given === null) {
    throw new TypeError(`${what} must be an object, not ${kindOf(given)}`);
  }
  for (const name of Object.keys(given)) {
    if (!names.has(name))
      throw new TypeError(`there is no \`${name}\` in ${what}; known are ${[...names].join(", ")}`);
  }
}

export function checkText(what: string, given: unknown): void {
  if (typeof given !== "string") throw new TypeError(`${what} must be a string, not ${kindOf(given)}`);
}

/** An object that can be called by each of these names, if it is there at all. */
export function checkMethods(what: string, given: unknown, names: string[], hint: string): void {
  if (given === undefined) return;
  const callable = (name: string) => typeof (given as Record<string, unknown> | null)?.[name] === "function";
  if (!names.every(callable)) {
    throw new TypeError(
      `${what} must be an object with ${names.join(" and ")}, not ${kindOf(given)}; ${hint}`,
    );
  }
}

export function checkFunction(what: string, given: unknown): void {
  if (given !== undefined && typeof given !== "function") {
    throw new TypeError(`${what} must be a function, not ${kindOf(given)}`);
  }
}

/** What a value is, for a message; never the value itself, which may be a secret. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value !== "object") return `a ${typeof value}`;
  return Object.getPrototypeOf(value)?.constructor?.name ?? "an object";
}
