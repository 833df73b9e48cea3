/**
 * Whether a value is like a pattern, and where it is not: what an assertion needs to say more than "no".
 *
 * A pattern names what matters: members that it does not name may be anything, an array must have its length, and a
 * matcher of a test framework (`expect.any(String)`) judges for itself.
 */

/** Differences that one comparison finds, at most: a message shows no more. */
export const DIFFERENCES_MAX = 10;

/** Characters of one value in a message. */
const SHOWN_MAX = 120;

/** One place at which a value is not like its pattern. */
export interface Difference {
  /** The place, such as `data.to` or `data.items[2]`. */
  readonly path: string;
  readonly expected: unknown;
  readonly actual: unknown;
}

/** A matcher as Jest, Vitest and others have them. */
interface Matcher {
  asymmetricMatch(value: unknown): boolean;
  toString(): string;
}

/** Where `actual` is not like `pattern`, the first {@link DIFFERENCES_MAX} places; none when it is like it. */
export function differences(pattern: unknown, actual: unknown, path: string): Difference[] {
  const found: Difference[] = [];
  compare({ pattern, actual, path }, found);
  return found;
}

/** A short and printable form of a value. */
export function shown(value: unknown): string {
  let text: string;
  try {
    text = isMatcher(value) ? String(value) : (JSON.stringify(value, plain) ?? String(value));
  } catch {
    text = String(value);
  }
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text;
}

interface Place {
  readonly pattern: unknown;
  readonly actual: unknown;
  readonly path: string;
}

function compare({ pattern, actual, path }: Place, found: Difference[]): void {
  if (found.length === DIFFERENCES_MAX || Object.is(pattern, actual)) return;
  if (isMatcher(pattern)) {
    if (!pattern.asymmetricMatch(actual)) found.push({ path, expected: pattern, actual });
  } else if (Array.isArray(pattern) && Array.isArray(actual) && pattern.length === actual.length) {
    for (const [at, item] of pattern.entries()) {
      compare({ pattern: item, actual: actual[at], path: `${path}[${at}]` }, found);
    }
  } else if (isPlain(pattern) && isPlain(actual)) {
    for (const [name, part] of Object.entries(pattern)) {
      compare({ pattern: part, actual: actual[name], path: path === "" ? name : `${path}.${name}` }, found);
    }
  } else if (!isSameInstant(pattern, actual)) {
    found.push({ path, expected: pattern, actual });
  }
}

/** Dates are told by their instant, also where data went through JSON. */
function isSameInstant(pattern: unknown, actual: unknown): boolean {
  if (!(pattern instanceof Date)) return false;
  return (typeof actual === "string" || actual instanceof Date) && new Date(actual).getTime() === pattern.getTime();
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return Object.prototype.toString.call(value) === "[object Object]" && !isMatcher(value);
}

function isMatcher(value: unknown): value is Matcher {
  return (
    typeof value === "object" && value !== null && typeof (value as Partial<Matcher>).asymmetricMatch === "function"
  );
}

/** What JSON has no word for. */
function plain(_: string, value: unknown): unknown {
  if (isMatcher(value)) return String(value);
  if (typeof value === "bigint" || typeof value === "function" || typeof value === "symbol") return String(value);
  return value;
}
