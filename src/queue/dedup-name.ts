/**
 * How a deduplication id and an alias are written as the name of a key `de:<name>` (docs/protocol/jobs.md).
 *
 * A name has 1 to 256 bytes without braces and NUL, and the two kinds must never meet in one key. So a plain
 * deduplication id is its own name, as every speaker of the wire writes it; one that could not be a name, or begins
 * with `%`, is escaped behind `%de:`; and an alias stands behind `%id:`, always escaped. Each name stands for one text.
 */

import { type Bytes, bytesOf, textOf } from "../protocol/bytes.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { isValidId } from "../protocol/id.ts";
import { quote } from "../protocol/quote.ts";
import { JOB_ID_BYTES_MAX, NAME_BYTES_MAX } from "./defaults.ts";

const DEDUP_PREFIX = "%de:";
const ALIAS_PREFIX = "%id:";

// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL is one of the characters that no name may hold.
const ESCAPED = /[%{}\u0000]/g;

/** Half a surrogate pair, which no UTF-8 holds: two such texts would be stored as one. */
const LONE_SURROGATE = /\p{Surrogate}/u;

function escaped(text: string): string {
  return text.replace(ESCAPED, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`);
}

/** The name for a text behind a prefix, `undefined` when it would be too long or the text is no Unicode. */
function nameOf(prefix: string, text: string): Bytes | undefined {
  // Each character is a byte at least, so what is too long already is not looked at.
  if (text === "" || text.length > NAME_BYTES_MAX || LONE_SURROGATE.test(text)) return undefined;
  const name = prefix + bytesOf(escaped(text));
  return name.length <= NAME_BYTES_MAX ? name : undefined;
}

/**
 * The name of a deduplication id.
 *
 * @throws EchoMQError `invalid_deduplication` for what is no text of 1 to 256 bytes of UTF-8; where braces, NUL or `%`
 *   have to be escaped, each of them counts three times, and 4 more go to the mark.
 */
export function dedupName(id: unknown): Bytes {
  if (typeof id === "string") {
    const isPlain = !id.startsWith("%") && id.search(/[{}\0]/) < 0;
    // A `%` inside says nothing while the name does not begin with one.
    const name = isPlain ? plainName(id) : nameOf(DEDUP_PREFIX, id);
    if (name !== undefined) return name;
  }
  throw new EchoMQError(
    "invalid_deduplication",
    `The id of a deduplication must be text of 1 to ${NAME_BYTES_MAX} bytes of UTF-8, not ${quote(id)}`,
    { details: { value: id } },
  );
}

function plainName(id: string): Bytes | undefined {
  if (id === "" || id.length > NAME_BYTES_MAX || LONE_SURROGATE.test(id)) return undefined;
  const name = bytesOf(id);
  return name.length <= NAME_BYTES_MAX ? name : undefined;
}

/**
 * The name of an alias.
 *
 * @throws EchoMQError `invalid_job_id` for what is no text of 1 to 252 bytes of UTF-8 (braces, NUL and `%` count three
 *   times), and for text that has the form of a job's id, which could not be told from one.
 */
export function aliasName(jobId: unknown): Bytes {
  if (isJobId(jobId)) {
    throw new EchoMQError(
      "invalid_job_id",
      `${quote(jobId)} has the form of an id that is minted: give it as id, or another text as jobId`,
      { details: { value: jobId } },
    );
  }
  const name = typeof jobId === "string" ? nameOf(ALIAS_PREFIX, jobId) : undefined;
  if (name !== undefined) return name;
  throw new EchoMQError(
    "invalid_job_id",
    `A jobId must be text of 1 to ${JOB_ID_BYTES_MAX} bytes of UTF-8, where braces, NUL and % count three times, ` +
      `not ${quote(jobId)}`,
    { details: { value: jobId } },
  );
}

/** The text of an alias, `undefined` for a name of another kind. */
export function aliasText(name: Bytes): string | undefined {
  if (!name.startsWith(ALIAS_PREFIX)) return undefined;
  const raw = name.slice(ALIAS_PREFIX.length);
  return textOf(
    raw.replace(/%([0-9A-F]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
  );
}

/** The deduplication id of a name; a name of another kind is shown as it is. */
export function dedupText(name: Bytes): string {
  if (!name.startsWith(DEDUP_PREFIX)) return textOf(name);
  const raw = name.slice(DEDUP_PREFIX.length);
  return textOf(
    raw.replace(/%([0-9A-F]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
  );
}

/** Whether a text is the id of a job, and so no alias. */
export function isJobId(text: unknown): text is string {
  return typeof text === "string" && text.startsWith("JOB") && isValidId(text);
}
