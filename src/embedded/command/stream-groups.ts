/**
 * What commands on groups of readers have in common: finding a group, and changing it so that it can be taken back.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Argument } from "../../transition/server.ts";
import { CommandError } from "../store/command-error.ts";
import type { Keyspace } from "../store/keyspace.ts";
import {
  newConsumer,
  type PendingEntry,
  type StreamConsumer,
  type StreamGroup,
  type StreamValue,
} from "../store/stream-value.ts";
import { bytesAt, refuse } from "./argument.ts";

/** A group and where it lies. */
export interface FoundGroup {
  readonly stream: StreamValue;
  readonly group: StreamGroup;
}

/** The group that is named behind the key at `at`. @throws CommandError when there is none. */
export function groupAt(keyspace: Keyspace, args: readonly Argument[], at: number): FoundGroup {
  const key = bytesAt(args, at);
  const name = bytesAt(args, at + 1);
  const stream = keyspace.stream(key);
  const group = stream?.groups.get(name);
  if (stream !== undefined && group !== undefined) return { stream, group };
  throw new CommandError(`NOGROUP No such key '${shown(key)}' or consumer group '${shown(name)}'`);
}

/** The group of a stream that is there, named behind the key at `at`. @throws CommandError when there is none. */
export function groupOf(stream: StreamValue, args: readonly Argument[], at: number): FoundGroup {
  const name = bytesAt(args, at + 1);
  const group = stream.groups.get(name) ?? refuse(noGroup(bytesAt(args, at), name));
  return { stream, group };
}

function noGroup(key: Bytes, name: Bytes): CommandError {
  return new CommandError(`NOGROUP No such consumer group '${shown(name)}' for key name '${shown(key)}'`);
}

/** What the server shows of a name in a refusal: C's text, which ends at a NUL. */
export function shown(name: Bytes): Bytes {
  return name.split("\0", 1)[0] ?? "";
}

/** The consumer of that name, made when there is none, and seen just now. */
export function consumerOf(keyspace: Keyspace, { stream, group }: FoundGroup, name: Bytes): StreamConsumer {
  const present = group.consumers.get(name);
  const seenAt = present?.seenAt;
  keyspace.undo.change(stream, () => {
    if (present === undefined) group.consumers.delete(name);
    else present.seenAt = seenAt ?? 0;
  });
  const consumer = present ?? newConsumer(name, keyspace.now);
  consumer.seenAt = keyspace.now;
  if (present === undefined) group.consumers.set(name, consumer);
  return consumer;
}

/** Notes that a consumer got an entry. */
export function activate(keyspace: Keyspace, stream: StreamValue, consumer: StreamConsumer): void {
  const { activeAt } = consumer;
  if (activeAt === keyspace.now) return;
  keyspace.undo.change(stream, () => {
    consumer.activeAt = activeAt;
  });
  consumer.activeAt = keyspace.now;
}

/** Notes how far a group got. */
export function advance(
  keyspace: Keyspace,
  { stream, group }: FoundGroup,
  { lastId, readCount }: Pick<StreamGroup, "lastId" | "readCount">,
): void {
  const before = { lastId: group.lastId, readCount: group.readCount };
  keyspace.undo.change(stream, () => Object.assign(group, before));
  group.lastId = lastId;
  group.readCount = readCount;
}

/** Adds an entry that is not pending in the group. */
export function addPending(keyspace: Keyspace, { stream, group }: FoundGroup, entry: PendingEntry): void {
  keyspace.undo.change(stream, () => takeOut(group, entry));
  group.pending.add(entry);
  entry.consumer.pending.add(entry);
}

/** Takes out an entry that is pending. */
export function removePending(keyspace: Keyspace, { stream, group }: FoundGroup, entry: PendingEntry): void {
  keyspace.undo.change(stream, () => {
    group.pending.add(entry);
    entry.consumer.pending.add(entry);
  });
  takeOut(group, entry);
}

/** Changes what is known of a pending entry, its consumer included. */
export function changePending(
  keyspace: Keyspace,
  stream: StreamValue,
  entry: PendingEntry,
  now: Omit<PendingEntry, "id">,
): void {
  const before = { consumer: entry.consumer, deliveredAt: entry.deliveredAt, deliveries: entry.deliveries };
  keyspace.undo.change(stream, () => assign(entry, before));
  assign(entry, now);
}

function assign(entry: PendingEntry, { consumer, deliveredAt, deliveries }: Omit<PendingEntry, "id">): void {
  if (entry.consumer !== consumer) {
    entry.consumer.pending.remove(entry.id);
    consumer.pending.add(entry);
  }
  entry.consumer = consumer;
  entry.deliveredAt = deliveredAt;
  entry.deliveries = deliveries;
}

function takeOut(group: StreamGroup, entry: PendingEntry): void {
  group.pending.remove(entry.id);
  entry.consumer.pending.remove(entry.id);
}
