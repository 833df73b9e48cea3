/**
 * The two names of a record of a stream: its branded id, and the id of the entry that holds it.
 *
 *     EVT000xY9Wvvcd  =  1704117200000-1620567
 *                        └─────┬─────┘ └──┬──┘
 *                   Unix milliseconds     node and sequence, the 22 low bits of the id's number
 *
 * The mapping keeps the order: within one stream the order of entries, of records by the bytes of their ids, and of
 * minting are one. Entry ids are compared as two numbers, never as text: `…-9` comes before `…-10`.
 */

import { EchoMQError } from "./errors.ts";
import { assertValidId, decodeId, encodeId, ID_EPOCH_MS, NODE_BITS, SEQUENCE_BITS } from "./id.ts";
import { quote } from "./quote.ts";

/** The namespace of records; a stream admits no other. */
export const RECORD_NAMESPACE = "EVT";

const TAIL_BITS = BigInt(NODE_BITS + SEQUENCE_BITS);

/** The highest second part of an entry that a minted id has. */
export const ENTRY_TAIL_MAX = 2 ** (NODE_BITS + SEQUENCE_BITS) - 1;

/** The last millisecond that an id holds. */
const MS_MAX = 2 ** 41 - 1 + ID_EPOCH_MS;

const ENTRY_ID = /^(\d{1,16})-(\d{1,16})$/;

/**
 * The id of the entry that holds a record.
 *
 * @throws EchoMQError `invalid_id` for what is no branded id; `kind` for one of another namespace than `EVT`.
 */
export function entryIdOf(id: string): string {
  const text = assertRecordId(id);
  const value = decodeId(text);
  const tail = BigInt.asUintN(Number(TAIL_BITS), value);
  return `${Number(value >> TAIL_BITS) + ID_EPOCH_MS}-${tail}`;
}

/** The id of the record in an entry, by the entry's id alone; `undefined` for one that no mint made. */
export function recordIdOf(entryId: string): string | undefined {
  const match = ENTRY_ID.exec(entryId);
  const ms = Number(match?.[1]);
  const tail = Number(match?.[2]);
  if (match === null || ms < ID_EPOCH_MS || ms > MS_MAX || tail > ENTRY_TAIL_MAX) return undefined;
  return encodeId(RECORD_NAMESPACE, (BigInt(ms - ID_EPOCH_MS) << TAIL_BITS) | BigInt(tail));
}

/**
 * The lowest id that may be minted at an instant: a bound for reading, or an id for records that are dated by hand.
 *
 * @param at an instant, or Unix milliseconds; a fraction is cut off.
 * @throws EchoMQError `invalid_option` for an instant that no id holds: before 2024 or after 2093.
 */
export function firstRecordIdAt(at: Date | number): string {
  const ms = Math.floor(Number(at));
  if (ms >= ID_EPOCH_MS && ms <= MS_MAX) return encodeId(RECORD_NAMESPACE, BigInt(ms - ID_EPOCH_MS) << TAIL_BITS);
  throw new EchoMQError("invalid_option", `${quote(at)} is no instant from 2024-01-01 to 2093-09-06`);
}

/** The id as text. Throws as {@link entryIdOf} does. */
export function assertRecordId(id: unknown): string {
  const text = assertValidId(id);
  if (text.startsWith(RECORD_NAMESPACE)) return text;
  throw new EchoMQError("kind", `A stream admits records of one kind, ${RECORD_NAMESPACE}; ${quote(id)} is another`, {
    details: { id },
  });
}
