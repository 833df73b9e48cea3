/**
 * A record of a stream, in the two forms that it has: flat on the wire, and with names as a program wants it.
 *
 * The first field of every entry is `id` with the branded id of the record; the writer's own fields follow, text to
 * text. An entry without that field is another speaker's or the server's own (a mirrored event): its id is then read
 * out of the entry's.
 */

import type { Reply } from "../engine/engine.ts";
import { type Bytes, bytesOf, textOf } from "../protocol/bytes.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { recordIdOf } from "../protocol/record-id.ts";
import { RECORD_BYTES_MAX, RECORD_FIELDS_MAX } from "./defaults.ts";
import { bytesReply, listOf } from "./verb-call.ts";

/** What a record says: names and texts. */
export type RecordFields = Readonly<Record<string, string>>;

/** A record as it is read. */
export interface StreamRecord {
  /** The branded id; `undefined` for an entry of another speaker that has none and was not minted. */
  readonly id: string | undefined;
  /** The id of the entry, which bounds of reading, acknowledging and deleting go by. */
  readonly entryId: string;
  /** The server milliseconds of the entry: when its id was minted. */
  readonly at: number;
  readonly fields: RecordFields;
}

/** Half a surrogate pair has no UTF-8 form: two such texts would be stored as one. */
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * The fields as they are written, names and values in turn.
 *
 * @throws EchoMQError `invalid_record` for what is no object of texts, has a field `id` or an empty one, or is above
 *   {@link RECORD_FIELDS_MAX} fields or {@link RECORD_BYTES_MAX} bytes.
 */
export function fieldBytes(fields: RecordFields): Bytes[] {
  if (typeof fields !== "object" || fields === null || Array.isArray(fields)) {
    throw refusal(`A record must be an object of texts, not ${quote(fields)}`);
  }
  const entries = Object.entries(fields);
  if (entries.length > RECORD_FIELDS_MAX) throw refusal(`A record has at most ${RECORD_FIELDS_MAX} fields`);
  const flat: Bytes[] = [];
  let bytes = 0;
  for (const [name, value] of entries) {
    if (name === "id") throw refusal("A record has no field id of its own: it is the record's id");
    if (name === "") throw refusal("A field of a record must have a name");
    if (typeof value !== "string") throw refusal(`The field ${quote(name)} must be text, not ${quote(value)}`);
    if (LONE_SURROGATE.test(name) || LONE_SURROGATE.test(value)) {
      throw refusal(`The field ${quote(name)} holds half a surrogate pair, which no UTF-8 has`);
    }
    flat.push(bytesOf(name), bytesOf(value));
    bytes += (flat.at(-2)?.length ?? 0) + (flat.at(-1)?.length ?? 0);
  }
  if (bytes > RECORD_BYTES_MAX) throw refusal(`A record has at most ${RECORD_BYTES_MAX} bytes, not ${bytes}`);
  return flat;
}

function refusal(message: string): EchoMQError {
  return new EchoMQError("invalid_record", message);
}

/** The records of a list of entries; an entry whose body is gone is left out. */
export function recordsIn(entries: Reply): StreamRecord[] {
  const records: StreamRecord[] = [];
  for (const entry of listOf(entries)) {
    const record = recordIn(entry);
    if (record !== undefined) records.push(record);
  }
  return records;
}

/** The record of an entry; `undefined` when its body is gone. */
export function recordIn(entry: Reply): StreamRecord | undefined {
  const [entryId, body] = listOf(entry);
  if (body === null || body === undefined) return undefined;
  return recordFrom(bytesReply(entryId), listOf(body).map(bytesReply));
}

function recordFrom(entryId: Bytes, flat: readonly Bytes[]): StreamRecord {
  // The first of a name wins, so that no later field can take the place of the receipt.
  const fields = new Map<string, string>();
  for (let at = 0; at + 1 < flat.length; at += 2) {
    const name = textOf(flat[at] ?? "");
    if (!fields.has(name)) fields.set(name, textOf(flat[at + 1] ?? ""));
  }
  const stored = fields.get("id");
  fields.delete("id");
  return {
    id: stored ?? recordIdOf(entryId),
    entryId,
    at: Number(entryId.split("-")[0]),
    fields: Object.fromEntries(fields),
  };
}

/**
 * The entries of a reply of `XREADGROUP` on one stream: by protocol 2 a list of pairs of key and entries, by protocol 3
 * key and entries in turn. Empty for nothing.
 */
export function entriesOf(reply: Reply): readonly Reply[] {
  if (reply === null) return [];
  const parts = listOf(reply);
  const [first] = parts;
  return listOf((Array.isArray(first) ? (first as readonly Reply[])[1] : parts[1]) ?? []);
}
