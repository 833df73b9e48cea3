/**
 * What a scenario expects: comparisons that say what was looked at, what came and what should have.
 *
 * They are part of the package because `echomq conformance` runs without any test framework.
 */

/** A scenario's expectation that did not hold. Its message is the verdict that the run prints. */
export class ExpectationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ExpectationError";
  }
}

/** Longest text of a value in a message. */
const SHOWN_MAX = 400;

/** Fails unless both values are equal part by part: lists, plain objects and maps are compared by what they hold. */
export function same(actual: unknown, expected: unknown, what: string): void {
  const left = shown(actual);
  const right = shown(expected);
  if (left !== right) fail(`${what}: expected ${right.slice(0, SHOWN_MAX)}, got ${left.slice(0, SHOWN_MAX)}`);
}

/** Fails unless the condition holds. */
export function holds(condition: boolean, what: string): asserts condition {
  if (!condition) fail(what);
}

/** Fails with a message. */
export function fail(message: string): never {
  throw new ExpectationError(message);
}

/** A text that is equal for equal values and unequal for others. */
function shown(value: unknown): string {
  return JSON.stringify(plain(value));
}

/** A value as JSON can hold it, the fields of objects in order. */
function plain(value: unknown): unknown {
  if (value === undefined) return "(absent)";
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Uint8Array) return `bytes ${[...value].map((byte) => byte.toString(16)).join(" ")}`;
  if (value instanceof Set) return ["set", ...[...(value as Set<unknown>)].map(shown).sort()];
  const fields: [unknown, unknown][] =
    value instanceof Map ? [...(value as Map<unknown, unknown>)] : Object.entries(value);
  return Object.fromEntries(fields.map(([name, part]) => [String(name), plain(part)]).sort(byName));
}

function byName([left]: readonly unknown[], [right]: readonly unknown[]): number {
  return String(left) < String(right) ? -1 : 1;
}
