/**
 * Branded ids: the 14 bytes that name a job, a lane or a record.
 *
 *     JOB 0Nb1VTbfnu4
 *     └┬┘ └────┬────┘
 *      │       └ 11 base-62 digits of a 63-bit number: timestamp (41 bits) · node (10) · sequence (12)
 *      └ namespace: three capitals
 *
 * Within one namespace the byte order of ids is the order of their numbers and so the order of minting, which is why a
 * sorted set of ids with equal scores is a queue. The range is tested against the text of the largest id and not by
 * overflow, so no eleven digits are ever read as another number.
 */

import { base62, fromBase62 } from "./base62.ts";
import { bytesFrom, bytesOf } from "./bytes.ts";
import { EchoMQError } from "./errors.ts";
import { quote } from "./quote.ts";

/** The instant from which ids count, in Unix milliseconds: 2024-01-01T00:00:00Z. */
export const ID_EPOCH_MS = 1_704_067_200_000;

export const NODE_BITS = 10;
export const SEQUENCE_BITS = 12;
const TIMESTAMP_SHIFT = BigInt(NODE_BITS + SEQUENCE_BITS);

const ID_BYTES = 14;
const NAMESPACE_BYTES = 3;

/** The largest number that an id holds: the sign bit of its 64 bits stays 0. */
const VALUE_MAX = 2n ** 63n - 1n;

/** The digits of {@link VALUE_MAX}. */
const PAYLOAD_MAX = "AzL8n0Y58m7";

/** Digits of the lower part when the number is cut in two, so that both parts fit a double. */
const LOW_DIGITS = 6;
const HIGH_DIGITS = ID_BYTES - NAMESPACE_BYTES - LOW_DIGITS;
const LOW_RANGE = 62n ** BigInt(LOW_DIGITS);

const NAMESPACE = /^[A-Z]{3}$/;
const NAMESPACE_AHEAD = /^[A-Z]{3}/;
const FORM = /^[A-Z]{3}[0-9A-Za-z]{11}$/;

/** Why a value is no branded id, in the order of the tests. */
export type IdFault = "length" | "namespace" | "charset" | "range";

/** What {@link parseId} answers. */
export type ParsedId =
  | { readonly namespace: string; readonly value: bigint; readonly error?: never }
  | { readonly error: IdFault; readonly namespace?: never; readonly value?: never };

/** The three parts of an id's number. */
export interface IdParts {
  /** Unix milliseconds, not the milliseconds since {@link ID_EPOCH_MS} that the id holds. */
  readonly ms: number;
  /** 0 to 1023. */
  readonly node: number;
  /** 0 to 4095. */
  readonly sequence: number;
}

const FAULTS: Readonly<Record<IdFault, string>> = {
  length: "an id has exactly 14 bytes",
  namespace: "it must begin with a namespace of three capitals A-Z",
  charset: "its last eleven characters must be base-62 digits 0-9 A-Z a-z",
  range: `its digits must not be above ${PAYLOAD_MAX}, which is 2^63 - 1`,
};

/** Whether `namespace` is three capitals A-Z. */
export function isNamespace(namespace: unknown): namespace is string {
  return typeof namespace === "string" && NAMESPACE.test(namespace);
}

/**
 * The id of a namespace and a number.
 *
 * `value` is 0 to 2^63 - 1; a plain number must be a safe integer. Throws `invalid_id` for anything else, the number
 * judged before the namespace.
 */
export function encodeId(namespace: string, value: bigint | number): string {
  const whole = Number.isSafeInteger(value) ? BigInt(value) : value;
  if (typeof whole !== "bigint" || whole < 0n || whole > VALUE_MAX) {
    throw refusal(value, "range", `${quote(value)} cannot be the number of an id: give a bigint from 0 to 2^63 - 1`);
  }
  if (!isNamespace(namespace)) {
    throw refusal(namespace, "namespace", `${quote(namespace)} is no namespace: give three capitals A-Z`);
  }
  const high = base62(Number(whole / LOW_RANGE), HIGH_DIGITS);
  return namespace + high + base62(Number(whole % LOW_RANGE), LOW_DIGITS);
}

/** The number of an id, given as text or bytes. Throws `invalid_id` for anything that is no branded id. */
export function decodeId(id: string | Uint8Array): bigint {
  return valueOf(assertValidId(id));
}

/** Takes an id apart, or says by which test it fails. Never throws; what is neither text nor bytes fails by length. */
export function parseId(id: unknown): ParsedId {
  const text = idText(id);
  const error = faultOf(text);
  return error === undefined ? { namespace: text.slice(0, NAMESPACE_BYTES), value: valueOf(text) } : { error };
}

/** Whether a value is a branded id, as text or bytes, of any namespace. */
export function isValidId(id: unknown): boolean {
  return faultOf(idText(id)) === undefined;
}

/** The id as text. Throws `invalid_id`, with the failed test as `details.fault`, when it is no branded id. */
export function assertValidId(id: unknown): string {
  const text = idText(id);
  const fault = faultOf(text);
  if (fault === undefined) return text;
  throw refusal(id, fault, `${quote(id)} is no branded id: ${FAULTS[fault]}; mint ids with createMinter`);
}

/** When an id was minted. Throws `invalid_id`. */
export function idTime(id: string | Uint8Array): Date {
  return new Date(idParts(id).ms);
}

/** The parts of an id's number. Throws `invalid_id`. */
export function idParts(id: string | Uint8Array): IdParts {
  const value = decodeId(id);
  const low = Number(BigInt.asUintN(NODE_BITS + SEQUENCE_BITS, value));
  return {
    ms: Number(value >> TIMESTAMP_SHIFT) + ID_EPOCH_MS,
    node: low >> SEQUENCE_BITS,
    sequence: low & (2 ** SEQUENCE_BITS - 1),
  };
}

/**
 * A 32-bit hash of an id's number, the same for every namespace: the first half of the 64-bit finaliser of MurmurHash3.
 *
 * Meant for spreading ids over a power of two of at most 256 places. Throws `invalid_id`.
 */
export function hash32(id: string | Uint8Array): number {
  let value = decodeId(id);
  value ^= value >> 33n;
  value = BigInt.asUintN(64, value * 0xff51afd7ed558ccdn);
  value ^= value >> 33n;
  return Number(BigInt.asUintN(32, value));
}

/** The value as a byte string; the empty text, which is no id, for what is neither text nor bytes. */
function idText(id: unknown): string {
  // What is too long is refused whatever it holds, so nothing longer than an id is ever converted.
  if (typeof id === "string") return id.length > ID_BYTES ? id : bytesOf(id);
  return id instanceof Uint8Array ? bytesFrom(id.subarray(0, ID_BYTES + 1)) : "";
}

/** The first test that a byte string fails. */
function faultOf(text: string): IdFault | undefined {
  if (text.length !== ID_BYTES) return "length";
  // A good id, which is nearly every one, pays for one expression; only a bad one is asked what is wrong with it.
  if (!FORM.test(text)) return NAMESPACE_AHEAD.test(text) ? "charset" : "namespace";
  return text.slice(NAMESPACE_BYTES) > PAYLOAD_MAX ? "range" : undefined;
}

/** The number of an id that has passed every test. */
function valueOf(id: string): bigint {
  const cut = NAMESPACE_BYTES + HIGH_DIGITS;
  return BigInt(fromBase62(id, NAMESPACE_BYTES, cut)) * LOW_RANGE + BigInt(fromBase62(id, cut, ID_BYTES));
}

function refusal(id: unknown, fault: IdFault, message: string): EchoMQError {
  return new EchoMQError("invalid_id", message, { details: { id, fault } });
}
