/**
 * Values as bytes, in parts: what a snapshot holds of the keyspace.
 *
 * A part is a key, when it expires, the kind of its value, and some of the value's elements; each part of a key adds to
 * what is there. So a large value needs no large buffer, here or when it is read. The parts of one key come one after
 * the other, unless their kind says that the value was written in slices.
 *
 *     part      text key, varint 0 for no expiry or 1 + Unix ms, u8 kind (+ 128 in slices), varint count, elements
 *     string    text
 *     hash      text field, text value, varint 0 for no expiry or 1 + Unix ms
 *     list set  text
 *     zset      text member, f64 score
 *     stream    id as two texts, varint count, texts; and parts `groups` with all that is not an entry
 *     groups    highest id, varint count of added entries, highest deleted id; then each group: text name, last id,
 *               varint 0 or 1 + entries read, consumers, pending entries. A group that comes again adds to its lists.
 *
 * A change here is a change of the layout; record-format.ts says how that is done.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { HashValue } from "../store/hash-value.ts";
import type { Keyspace } from "../store/keyspace.ts";
import { ListValue } from "../store/list-value.ts";
import { isRowKey } from "../store/row-key.ts";
import { SetValue } from "../store/set-value.ts";
import { SortedSetValue } from "../store/sorted-set-value.ts";
import type { StreamId } from "../store/stream-id.ts";
import {
  newConsumer,
  type PendingEntry,
  type StreamConsumer,
  type StreamEntry,
  type StreamGroup,
  type StreamMark,
  StreamValue,
} from "../store/stream-value.ts";
import { StringValue } from "../store/string-value.ts";
import type { Value } from "../store/value.ts";
import { unsignedOf } from "../store/whole.ts";
import type { ByteReader } from "./byte-reader.ts";
import type { ByteWriter } from "./byte-writer.ts";

const KIND = { string: 1, hash: 2, list: 3, set: 4, zset: 5, stream: 6, groups: 7 } as const;

/**
 * Added to the kind of a value that is written in slices (value-walk.ts): parts of other keys may lie between its own,
 * and an element may come twice, the same both times.
 */
const SLICED = 0x80;

/** The most elements of one part. */
export const PART_ELEMENTS_MAX = 1024;

/** A key whose value is written. */
export interface ImageSource {
  readonly key: Bytes;
  readonly value: Value;
  /** Unix ms; `undefined` when the key does not expire. */
  readonly expiresAt: number | undefined;
  /** Whether the parts need not follow one another. Default `false`. */
  readonly isSliced?: boolean;
}

/** A field of a hash. */
export interface FieldElement {
  readonly field: Bytes;
  readonly text: Bytes;
  /** Unix ms; `undefined` when the field does not expire. */
  readonly expiresAt: number | undefined;
}

/** A member of a sorted set. */
export interface MemberElement {
  readonly member: Bytes;
  readonly score: number;
}

/** A group of a stream, as it was at one moment. */
export interface GroupImage {
  readonly name: Bytes;
  readonly lastId: StreamId;
  readonly readCount: number | undefined;
  readonly consumers: readonly Pick<StreamConsumer, "name" | "seenAt" | "activeAt">[];
  readonly pending: readonly PendingImage[];
}

/** An entry that was given to a consumer and is not acknowledged, as it was at one moment. */
export interface PendingImage {
  readonly id: StreamId;
  readonly consumer: Bytes;
  readonly deliveredAt: number;
  readonly deliveries: number;
}

/** Writes every part of a value; `onPart` is called after each. */
export function writeImage(writer: ByteWriter, source: ImageSource, onPart: () => void): void {
  const { value } = source;
  if (value instanceof StringValue) {
    begin(writer, source, KIND.string, 1);
    writer.text(value.text);
  } else if (value instanceof HashValue) writeHash(writer, source, value);
  else if (value instanceof ListValue) writeItems(writer, source, value.slice(0, value.length - 1), onPart);
  else if (value instanceof SetValue) writeItems(writer, source, [...value.values()], onPart);
  else if (value instanceof SortedSetValue) writeMembers(writer, source, value, onPart);
  else if (value instanceof StreamValue) writeStream(writer, source, value, onPart);
  onPart();
}

function begin(writer: ByteWriter, { key, expiresAt, isSliced }: ImageSource, kind: number, count: number): void {
  writer.text(key);
  writeInstant(writer, expiresAt);
  writer.u8(isSliced === true ? kind | SLICED : kind);
  writer.varint(count);
}

/** A hash is one part: its pairs come as one array anyway. */
function writeHash(writer: ByteWriter, source: ImageSource, hash: HashValue): void {
  const pairs = hash.entries();
  begin(writer, source, KIND.hash, pairs.length >> 1);
  for (let at = 0; at < pairs.length; at += 2) {
    const field = pairs[at] as Bytes;
    writer.text(field);
    writer.text(pairs[at + 1] as Bytes);
    writeInstant(writer, hash.expiryOf(field));
  }
}

function writeItems(writer: ByteWriter, source: ImageSource, items: readonly Bytes[], onPart: () => void): void {
  for (let at = 0; at < items.length; at += PART_ELEMENTS_MAX) {
    writeItemPart(writer, source, items.slice(at, at + PART_ELEMENTS_MAX));
    onPart();
  }
}

function writeMembers(writer: ByteWriter, source: ImageSource, set: SortedSetValue, onPart: () => void): void {
  const cursor = set.first();
  let left = set.size;
  while (left > 0) {
    const count = Math.min(left, PART_ELEMENTS_MAX);
    begin(writer, source, KIND.zset, count);
    for (let at = 0; at < count; at++) {
      writer.text(cursor.member);
      writer.f64(cursor.score);
      cursor.forward();
    }
    left -= count;
    onPart();
  }
}

function writeStream(writer: ByteWriter, source: ImageSource, stream: StreamValue, onPart: () => void): void {
  for (let at = 0; at < stream.entries.length; at += PART_ELEMENTS_MAX) {
    writeEntryPart(writer, source, stream.entries.slice(at, PART_ELEMENTS_MAX));
    onPart();
  }
  writeGroupPart(writer, source, { mark: stream.mark, groups: [...stream.groups.values()].map(groupImage) });
}

/** Writes fields of a hash as one part. */
export function writeFieldPart(writer: ByteWriter, source: ImageSource, fields: readonly FieldElement[]): void {
  begin(writer, source, KIND.hash, fields.length);
  for (const { field, text, expiresAt } of fields) {
    writer.text(field);
    writer.text(text);
    writeInstant(writer, expiresAt);
  }
}

/** Writes items of a list or members of a set as one part. */
export function writeItemPart(writer: ByteWriter, source: ImageSource, texts: readonly Bytes[]): void {
  begin(writer, source, source.value instanceof ListValue ? KIND.list : KIND.set, texts.length);
  for (const text of texts) writer.text(text);
}

/** Writes members of a sorted set as one part. */
export function writeMemberPart(writer: ByteWriter, source: ImageSource, members: readonly MemberElement[]): void {
  begin(writer, source, KIND.zset, members.length);
  for (const { member, score } of members) {
    writer.text(member);
    writer.f64(score);
  }
}

/** Writes entries of a stream as one part. */
export function writeEntryPart(writer: ByteWriter, source: ImageSource, entries: readonly StreamEntry[]): void {
  begin(writer, source, KIND.stream, entries.length);
  for (const { id, fields } of entries) {
    writeId(writer, id);
    writer.varint(fields.length);
    for (const text of fields) writer.text(text);
  }
}

/** Writes groups of a stream as one part. */
export function writeGroupPart(
  writer: ByteWriter,
  source: ImageSource,
  { mark, groups }: { readonly mark: StreamMark; readonly groups: readonly GroupImage[] },
): void {
  begin(writer, source, KIND.groups, groups.length);
  writeId(writer, mark.lastId);
  writer.varint(mark.addedCount);
  writeId(writer, mark.highestDeleted);
  for (const group of groups) writeGroup(writer, group);
}

/** A group as it is, with a copy of its lists. */
export function groupImage({ name, lastId, readCount, consumers, pending }: StreamGroup): GroupImage {
  const entries = pending.slice(0, pending.length);
  return {
    name,
    lastId,
    readCount,
    consumers: [...consumers.values()].map(({ name, seenAt, activeAt }) => ({ name, seenAt, activeAt })),
    pending: entries.map(({ id, consumer, deliveredAt, deliveries }) => {
      return { id, consumer: consumer.name, deliveredAt, deliveries };
    }),
  };
}

function writeGroup(writer: ByteWriter, { name, lastId, readCount, consumers, pending }: GroupImage): void {
  writer.text(name);
  writeId(writer, lastId);
  writer.varint(readCount === undefined ? 0 : readCount + 1);
  writer.varint(consumers.length);
  for (const { name: consumer, seenAt, activeAt } of consumers) {
    writer.text(consumer);
    writer.varint(seenAt);
    writeInstant(writer, activeAt);
  }
  writer.varint(pending.length);
  for (const entry of pending) {
    writeId(writer, entry.id);
    writer.text(entry.consumer);
    writer.varint(entry.deliveredAt);
    writer.varint(entry.deliveries);
  }
}

function writeId(writer: ByteWriter, { ms, seq }: StreamId): void {
  writer.text(String(ms));
  writer.text(String(seq));
}

function writeInstant(writer: ByteWriter, at: number | undefined): void {
  writer.varint(at === undefined ? 0 : Math.max(0, at) + 1);
}

/** Reads parts into a keyspace that holds nothing else and is not recording. */
export class ImageReader {
  readonly #keyspace: Keyspace;
  /** The key of the last part and its value: mostly the parts of a key follow one another. */
  #key: Bytes | undefined;
  #value: Value | undefined;
  /** Values that were written in slices: there are few, and more of each may come until the end. */
  readonly #sliced: Map<Bytes, Value> = new Map();

  constructor(keyspace: Keyspace) {
    this.#keyspace = keyspace;
  }

  /** Reads one part. */
  read(reader: ByteReader): void {
    const key = reader.text();
    const expiresAt = readInstant(reader);
    const mark = reader.u8();
    const kind = mark & ~SLICED;
    const count = reader.varint();
    const present = key === this.#key ? this.#value : this.#sliced.get(key);
    const value = present ?? this.#keyspace.create(key, newValue(reader, kind, key));
    if (present === undefined && mark !== kind) this.#sliced.set(key, value);
    if (value instanceof HashValue) {
      readFields(reader, value, count);
      if (value.hasExpiries) this.#keyspace.undo.hasFieldExpiries = true;
    } else if (value instanceof ListValue) for (let at = 0; at < count; at++) value.pushTail(reader.text());
    else if (value instanceof SetValue) for (let at = 0; at < count; at++) value.add(reader.text());
    else if (value instanceof SortedSetValue) readMembers(reader, value, count);
    else if (value instanceof StreamValue) readStream(reader, value, { kind, count });
    if (present === undefined && expiresAt !== undefined) this.#keyspace.setExpiry(key, expiresAt);
    this.#key = key;
    this.#value = value;
  }
}

function newValue(reader: ByteReader, kind: number, key: Bytes): Value {
  switch (kind) {
    case KIND.string:
      return new StringValue(reader.text());
    case KIND.hash:
      return new HashValue(isRowKey(key));
    case KIND.list:
      return new ListValue();
    case KIND.set:
      return new SetValue();
    case KIND.zset:
      return new SortedSetValue();
    case KIND.stream:
    case KIND.groups:
      return new StreamValue();
    default:
      throw new RangeError(`there is no kind ${kind} of values`);
  }
}

function readFields(reader: ByteReader, hash: HashValue, count: number): void {
  for (let at = 0; at < count; at++) {
    const field = reader.text();
    hash.set(field, reader.text());
    const expiresAt = readInstant(reader);
    if (expiresAt !== undefined) hash.setExpiry(field, expiresAt);
  }
}

function readMembers(reader: ByteReader, set: SortedSetValue, count: number): void {
  for (let at = 0; at < count; at++) {
    const member = reader.text();
    set.add(member, reader.f64());
  }
}

function readStream(reader: ByteReader, stream: StreamValue, { kind, count }: { kind: number; count: number }): void {
  if (kind === KIND.stream) {
    for (let at = 0; at < count; at++) {
      const id = readId(reader);
      const fields: Bytes[] = [];
      for (let left = reader.varint(); left > 0; left--) fields.push(reader.text());
      // How many there ever were stands in the other part, before or behind.
      stream.entries.add({ id, fields });
    }
    return;
  }
  const lastId = readId(reader);
  const addedCount = reader.varint();
  stream.restoreMark({ lastId, addedCount, highestDeleted: readId(reader) });
  for (let at = 0; at < count; at++) readGroup(reader, stream);
}

function readGroup(reader: ByteReader, stream: StreamValue): void {
  const name = reader.text();
  const lastId = readId(reader);
  const readCount = reader.varint();
  const group =
    stream.groups.get(name) ?? stream.createGroup(name, lastId, readCount === 0 ? undefined : readCount - 1);
  for (let left = reader.varint(); left > 0; left--) {
    const consumer = reader.text();
    const seenAt = reader.varint();
    group.consumers.set(consumer, { ...newConsumer(consumer, seenAt), activeAt: readInstant(reader) });
  }
  for (let left = reader.varint(); left > 0; left--) {
    const id = readId(reader);
    const consumer = group.consumers.get(reader.text());
    if (consumer === undefined) throw new RangeError("an entry is pending with a consumer that is not there");
    const entry: PendingEntry = { id, consumer, deliveredAt: reader.varint(), deliveries: reader.varint() };
    group.pending.add(entry);
    consumer.pending.add(entry);
  }
}

function readId(reader: ByteReader): StreamId {
  return { ms: readIdPart(reader), seq: readIdPart(reader) };
}

function readIdPart(reader: ByteReader): StreamId["ms"] {
  const part = unsignedOf(reader.text());
  if (part === undefined) throw new RangeError("a part of an id is no number");
  return part;
}

function readInstant(reader: ByteReader): number | undefined {
  const number = reader.varint();
  return number === 0 ? undefined : number - 1;
}
