/**
 * Checks of options, with answers that help.
 *
 * A misspelt option that is silently ignored costs its writer an afternoon; so every unknown one is refused with the
 * nearest known name, and one that other queues have and this one cannot have, with the reason. All checks run before
 * anything is written or connected.
 */

import type { Logger } from "../engine/ports.ts";
import { bytesOf } from "../protocol/bytes.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { NAME_BYTES_MAX } from "./defaults.ts";

/** What the options of one owner may be. */
export interface OptionTable {
  /** Who takes them, for messages: `add`, `Queue`. */
  readonly owner: string;
  readonly known: readonly string[];
  /** Options that users know from elsewhere, with what to do instead. */
  readonly foreign?: Readonly<Record<string, string>>;
  /** A call as it should be, for whoever gave something else than an object. */
  readonly example?: string;
}

/** Edits between a misspelt and a known name, above which no suggestion is made. */
const EDITS_MAX = 3;

/**
 * Refuses every option that the table does not know. `undefined` passes as no options at all.
 *
 * @throws EchoMQError `unknown_option` with the nearest known name or the reason; `invalid_option` for what is no
 * object.
 */
export function assertKnownOptions(options: unknown, table: OptionTable): void {
  if (options === undefined) return;
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    const advice = table.example === undefined ? "" : `: write ${table.example}`;
    const text = `The options of ${table.owner} must be an object, not ${quote(options)}${advice}`;
    throw new EchoMQError("invalid_option", text);
  }
  let isEmpty = true;
  // Not over `Object.keys`, whose list would be garbage for each item of a bulk.
  for (const name in options) {
    if (!Object.hasOwn(options, name)) continue;
    if (!table.known.includes(name)) throw unknownOption(name, table);
    isEmpty = false;
  }
  // A Date or a Map shows no members, so it would pass for no options at all.
  if (isEmpty && Object.prototype.toString.call(options) !== "[object Object]") {
    throw new EchoMQError("invalid_option", `The options of ${table.owner} must be a plain object`);
  }
}

function unknownOption(name: string, table: OptionTable): EchoMQError {
  const foreign = table.foreign;
  const reason = foreign !== undefined && Object.hasOwn(foreign, name) ? foreign[name] : undefined;
  if (reason !== undefined) {
    return new EchoMQError("unknown_option", `${table.owner} has no option ${name}: ${reason}`, {
      details: { option: name },
    });
  }
  const nearest = nearestName(name, table.known);
  const advice = nearest === undefined ? `it takes ${table.known.join(", ")}` : `did you mean ${nearest}?`;
  return new EchoMQError("unknown_option", `${table.owner} has no option ${quote(name)}: ${advice}`, {
    details: { option: name, ...(nearest === undefined ? {} : { nearest }) },
  });
}

/** The known name with the fewest edits, `undefined` when none is near. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let fewest = Math.min(EDITS_MAX, Math.floor(name.length / 2)) + 1;
  for (const candidate of known) {
    const edits = editsBetween(name.toLowerCase(), candidate.toLowerCase());
    if (edits < fewest) {
      fewest = edits;
      nearest = candidate;
    }
  }
  return nearest;
}

/** Insertions, deletions and replacements that turn one text into the other. Both are cut at 64 characters. */
function editsBetween(a: string, b: string): number {
  const from = a.slice(0, 64);
  const to = b.slice(0, 64);
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

/** Throws `invalid_option` for what is neither true nor false. */
export function assertBoolean(value: unknown, name: string): asserts value is boolean {
  if (typeof value === "boolean") return;
  throw new EchoMQError("invalid_option", `${name} must be true or false, not ${quote(value)}`, {
    details: { option: name, value },
  });
}

/**
 * The logger to use: `logger`, or `otherwise` for `undefined`. A line that it throws on is lost and harms nobody, since
 * most lines are written where there is nobody to catch.
 *
 * @throws EchoMQError `invalid_option` for what is no logger.
 */
export function checkedLogger(logger: Logger | undefined, otherwise: Logger): Logger {
  if (logger === undefined) return otherwise;
  const isLogger =
    typeof logger === "object" && logger !== null && LEVELS.every((level) => typeof logger[level] === "function");
  if (!isLogger) {
    const text = `logger must be an object with ${LEVELS.join(", ")}, not ${quote(logger)}`;
    throw new EchoMQError("invalid_option", text, { details: { option: "logger" } });
  }
  const write = (level: (typeof LEVELS)[number], message: string, fields?: Record<string, unknown>): void => {
    try {
      if (fields === undefined) logger[level](message);
      else logger[level](message, fields);
    } catch {
      // Where should it be told?
    }
  };
  return {
    debug: (message, fields) => write("debug", message, fields),
    info: (message, fields) => write("info", message, fields),
    warn: (message, fields) => write("warn", message, fields),
    error: (message, fields) => write("error", message, fields),
  };
}

const LEVELS = ["debug", "info", "warn", "error"] as const satisfies readonly (keyof Logger)[];

/** Throws `invalid_option` for what is no whole number from `min` to `max`. */
export function assertWhole(value: unknown, name: string, range: { readonly min: number; readonly max: number }): void {
  if (typeof value === "number" && Number.isInteger(value) && value >= range.min && value <= range.max) return;
  throw new EchoMQError(
    "invalid_option",
    `${name} must be a whole number from ${range.min} to ${range.max}, not ${quote(value)}`,
    { details: { option: name, value } },
  );
}

/**
 * Braces, NUL, and half a surrogate pair, which no UTF-8 holds: two such names would be stored as one. In Unicode mode
 * a surrogate matches only where it stands alone.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is what the wire uses as a separator.
const NOT_IN_NAMES = /[{}\u0000\p{Surrogate}]/u;

/**
 * Whether a value is text of at most 256 bytes of UTF-8 without braces, NUL and lone surrogates, the empty included.
 */
export function isName(value: unknown): value is string {
  return (
    typeof value === "string" &&
    value.length <= NAME_BYTES_MAX &&
    !NOT_IN_NAMES.test(value) &&
    bytesOf(value).length <= NAME_BYTES_MAX
  );
}

/**
 * Throws `invalid_name` for what is no text of at most 256 bytes of UTF-8 without braces, NUL and lone surrogates.
 *
 * @param what whose name it is, for the message: `lane`, `job name`.
 */
export function assertName(value: unknown, what: string, options: { readonly mayBeEmpty: boolean }): void {
  if (isName(value) && (options.mayBeEmpty || value !== "")) return;
  const least = options.mayBeEmpty ? 0 : 1;
  throw new EchoMQError(
    "invalid_name",
    `A ${what} must be text of ${least} to ${NAME_BYTES_MAX} bytes of UTF-8 without braces and NUL, not ${quote(value)}`,
    { details: { value } },
  );
}

/**
 * Throws `invalid_lane` for what is no text of 1 to 256 bytes of UTF-8 without braces, NUL and lone surrogates.
 */
export function assertLane(lane: unknown): asserts lane is string {
  if (isName(lane) && lane !== "") return;
  const rule = `A lane must be text of 1 to ${NAME_BYTES_MAX} bytes of UTF-8 without braces and NUL`;
  throw new EchoMQError("invalid_lane", `${rule}, not ${quote(lane)}`, { details: { value: lane } });
}
