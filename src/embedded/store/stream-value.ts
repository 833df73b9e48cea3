/**
 * A stream: entries in the order of their ids, and the groups that read it.
 *
 * A stream without entries stays, because its highest id stays: an id that was once exceeded is refused for ever. The
 * state of a group (how far it got, what it was given and has not acknowledged) lies in the stream and goes with it.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { IdList } from "./id-list.ts";
import { compareIds, LOWEST_ID, type StreamId } from "./stream-id.ts";
import { Value } from "./value.ts";

export interface StreamEntry {
  readonly id: StreamId;
  /** Names and values in turn. */
  readonly fields: readonly Bytes[];
}

/** An entry that was given to a consumer and is not acknowledged. */
export interface PendingEntry {
  readonly id: StreamId;
  consumer: StreamConsumer;
  /** When it was given last, in Unix milliseconds. */
  deliveredAt: number;
  /** How often it was given. */
  deliveries: number;
}

export interface StreamConsumer {
  readonly name: Bytes;
  /** When it was named last by a command that reads or claims, in Unix milliseconds. */
  seenAt: number;
  /** When it got an entry last; `undefined` when it never did. */
  activeAt: number | undefined;
  readonly pending: IdList<PendingEntry>;
}

export interface StreamGroup {
  readonly name: Bytes;
  /** The highest id that was given to anybody as a new entry. */
  lastId: StreamId;
  /** How many entries have been given as new ones since the first of the stream; `undefined` when nobody knows. */
  readCount: number | undefined;
  readonly pending: IdList<PendingEntry>;
  readonly consumers: Map<Bytes, StreamConsumer>;
}

/** What an entry's arrival changes beside the entry itself. */
export interface StreamMark {
  readonly lastId: StreamId;
  readonly addedCount: number;
  readonly highestDeleted: StreamId;
}

export class StreamValue extends Value {
  readonly entries: IdList<StreamEntry> = new IdList<StreamEntry>();
  readonly groups: Map<Bytes, StreamGroup> = new Map();
  /** The highest id ever. */
  lastId: StreamId = LOWEST_ID;
  /** How many entries were ever added. */
  addedCount = 0;
  /** How many of them are only said to have been added, by `XSETID`. It is kept in memory alone. */
  claimedCount = 0;
  /** The highest id that was taken out one by one, not from the front. */
  highestDeleted: StreamId = LOWEST_ID;

  get type(): "stream" {
    return "stream";
  }

  get encoding(): "stream" {
    return "stream";
  }

  copy(): StreamValue {
    const made = new StreamValue();
    for (const entry of this.entries.slice(0, this.entries.length)) made.entries.add(entry);
    made.restoreMark(this.mark);
    made.claimedCount = this.claimedCount;
    for (const group of this.groups.values()) copyGroup(made, group);
    return made;
  }

  get mark(): StreamMark {
    return { lastId: this.lastId, addedCount: this.addedCount, highestDeleted: this.highestDeleted };
  }

  /** Adds an entry above all others. */
  append(entry: StreamEntry): void {
    this.entries.add(entry);
    this.lastId = entry.id;
    this.addedCount += 1;
  }

  /** Takes out the entry with this id; `undefined` when there is none. */
  delete(id: StreamId): StreamEntry | undefined {
    const entry = this.entries.remove(id);
    if (entry !== undefined && compareIds(id, this.highestDeleted) > 0) this.highestDeleted = id;
    return entry;
  }

  /** For the undo log: as it was before entries were added or taken out. */
  restoreMark(mark: StreamMark): void {
    this.lastId = mark.lastId;
    this.addedCount = mark.addedCount;
    this.highestDeleted = mark.highestDeleted;
  }

  /** Makes a group, which is not there, that has got as far as `lastId`. */
  createGroup(name: Bytes, lastId: StreamId, readCount: number | undefined): StreamGroup {
    const group: StreamGroup = { name, lastId, readCount, pending: new IdList(), consumers: new Map() };
    this.groups.set(name, group);
    return group;
  }

  /**
   * How many entries had been added up to `id`; `undefined` where deletions have made that unknowable. It is what a
   * group has read when it got as far as `id`.
   */
  countThrough(id: StreamId): number | undefined {
    if (this.addedCount === 0) return 0;
    const first = this.entries.at(0);
    const order = compareIds(id, this.lastId);
    if (first === undefined && order <= 0) return this.addedCount;
    if (first === undefined || order > 0) return undefined;
    if (order === 0) return this.addedCount;
    if (compareIds(this.highestDeleted, first.id) >= 0) return undefined;
    const beforeFirst = this.addedCount - this.entries.length;
    if (compareIds(id, first.id) < 0) return beforeFirst;
    return compareIds(id, first.id) === 0 ? beforeFirst + 1 : undefined;
  }

  /** Whether an entry above `id` may have been deleted, so that counting from there is no use. */
  hasDeletedAbove(id: StreamId): boolean {
    const first = this.entries.at(0);
    if (first === undefined || compareIds(this.highestDeleted, first.id) < 0) return false;
    return compareIds(this.highestDeleted, id) >= 0;
  }
}

/** A consumer of that name, which has nothing. */
export function newConsumer(name: Bytes, seenAt: number): StreamConsumer {
  return { name, seenAt, activeAt: undefined, pending: new IdList() };
}

function copyGroup(target: StreamValue, { name, lastId, readCount, consumers }: StreamGroup): void {
  const made = target.createGroup(name, lastId, readCount);
  for (const consumer of consumers.values()) {
    const twin: StreamConsumer = { ...newConsumer(consumer.name, consumer.seenAt), activeAt: consumer.activeAt };
    made.consumers.set(twin.name, twin);
    for (const entry of consumer.pending.slice(0, consumer.pending.length)) {
      const copied = { ...entry, consumer: twin };
      twin.pending.add(copied);
      made.pending.add(copied);
    }
  }
}
