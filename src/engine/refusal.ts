/**
 * Turns a server's refusal into the error that every engine throws for it.
 *
 * The server's own text begins the message, byte for byte, because it names the verb and the argument; only its first
 * word decides the code (a right that is missing inside a script has no word of its own). Where the text says what is
 * wrong and not what to do, a sentence of advice follows it. Both engines use this one table, so that the same refusal
 * never has two codes.
 */

import { type Bytes, textOf } from "../protocol/bytes.ts";
import { type ErrorCode, WIRE_ERRORS } from "../protocol/error-codes.generated.ts";
import { EchoMQError } from "../protocol/errors.ts";

/** First words by which a server says "nothing happened, come back later" (docs/protocol/calls.md). */
const BUSY_WORDS: ReadonlySet<string> = new Set([
  "TRYAGAIN",
  "ASK",
  "MOVED",
  "CLUSTERDOWN",
  "LOADING",
  "BUSY",
  "READONLY",
  "MASTERDOWN",
  "NOREPLICAS",
  "MISCONF",
]);

/** The code of each first word; a word that is not here is `refused`. */
const CODES: ReadonlyMap<string, ErrorCode> = new Map<string, ErrorCode>([
  ...Object.entries(WIRE_ERRORS),
  ["NOPERM", "permission"],
  ["NOAUTH", "auth"],
  ["WRONGPASS", "auth"],
  ["OOM", "out_of_memory"],
  ...[...BUSY_WORDS].map((word): [string, ErrorCode] => [word, "server_busy"]),
]);

/** What to do about a refusal whose text does not say it. */
const ADVICE: ReadonlyMap<string, string> = new Map([
  ["NOAUTH", "Give the connection a user and password."],
  ["WRONGPASS", "Check user and password of the connection."],
  ["OOM", "Raise maxmemory or let workers drain the queue."],
]);

/** The class of a refusal: its text up to the first space. */
export function refusalWord(text: Bytes): string {
  const end = text.indexOf(" ");
  return end < 0 ? text : text.slice(0, end);
}

/** Whether a refusal of this class means that nothing happened and the same call may be sent again. */
export function isBusyWord(word: string): boolean {
  return BUSY_WORDS.has(word);
}

/** How a server begins its refusal when it is a command inside a script that the user has no right to. */
const SCRIPT_PERMISSION = /^ERR (?:ACL failure in script|The user executing the script can't)/;

/** The error for a refusal; its message is the server's text, and behind it what to do where the text lacks that. */
export function refusalError(text: Bytes): EchoMQError {
  const word = refusalWord(text);
  const code = SCRIPT_PERMISSION.test(text) ? "permission" : CODES.get(word);
  return new EchoMQError(code ?? "refused", advised(textOf(text), ADVICE.get(word)));
}

/** A text and a sentence behind it, as two sentences whether or not the first ends in a stop. */
function advised(text: string, advice: string | undefined): string {
  if (advice === undefined) return text;
  return `${text}${/[.!?]$/.test(text) ? "" : "."} ${advice}`;
}
