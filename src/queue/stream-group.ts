/**
 * One consumer's view of a group of readers of a stream: what it is given, what it settles, what it takes over.
 *
 * What must hold, whatever the protocol of the connection:
 *
 * - Walking the own backlog ends: it goes forward by id and never begins again, and an entry whose body was trimmed
 *   away meanwhile is acknowledged, since nobody can handle it any more.
 * - Taking over from peers looks at all that is pending in the end, not only at the first part: the cursor goes on.
 * - Who holds an entry longer than others may wait renews it, and learns of those that a peer took meanwhile.
 */

import type { Engine, Reply } from "../engine/engine.ts";
import { refusalWord } from "../engine/refusal.ts";
import { type Bytes, bytesOf } from "../protocol/bytes.ts";
import { isEchoMQError } from "../protocol/errors.ts";
import { assertName } from "./option-check.ts";
import { entriesOf, recordIn, type StreamRecord } from "./stream-record.ts";
import { streamKey } from "./streams.ts";
import { bytesReply, listOf, numberReply } from "./verb-call.ts";

/** A record that was given to a consumer. */
export interface Delivery extends StreamRecord {
  /** How often it was given to anybody of the group, this time included. */
  readonly attempts: number;
}

/** One page of a walk over what is pending. */
export interface DeliveryPage {
  readonly deliveries: readonly Delivery[];
  /** Where to go on; `undefined` at the end. */
  readonly next: string | undefined;
}

/** Who reads. */
export interface GroupPlace {
  readonly queue: string;
  readonly stream: string;
  /** The name of the group, 1 to 256 bytes. */
  readonly group: string;
  /** The name of this reader within it. */
  readonly consumer: string;
}

/** The state of a group. */
export interface GroupState {
  readonly group: string;
  readonly consumers: number;
  /** Records that were given and not settled. */
  readonly pending: number;
  /** The entry up to which records were given. */
  readonly lastEntryId: string;
  /** Records that were given to nobody; `undefined` where deletions have made that unknowable. */
  readonly lag: number | undefined;
}

/** One consumer of one group of one stream. */
export class StreamGroup {
  readonly #engine: Engine;
  readonly #key: Bytes;
  readonly #group: Bytes;
  readonly #consumer: Bytes;

  /** @throws EchoMQError `invalid_queue`, `invalid_stream`, `invalid_name`. */
  constructor(engine: Engine, place: GroupPlace) {
    this.#engine = engine;
    this.#key = streamKey(place.queue, place.stream);
    assertName(place.group, "group of readers", { mayBeEmpty: false });
    assertName(place.consumer, "consumer", { mayBeEmpty: false });
    this.#group = bytesOf(place.group);
    this.#consumer = bytesOf(place.consumer);
  }

  /**
   * Makes the group, and the stream, where there is none; an existing one keeps its place, whatever `from` says.
   * Answers whether it was made.
   */
  async create(from: "start" | "end"): Promise<boolean> {
    const at = from === "start" ? "0" : "$";
    try {
      await this.#engine.command(["XGROUP", "CREATE", this.#key, this.#group, at, "MKSTREAM"]);
      return true;
    } catch (error) {
      if (isEchoMQError(error) && refusalWord(error.message) === "BUSYGROUP") return false;
      throw error;
    }
  }

  /** Records that nobody of the group was given, at most `count`. */
  async readNew(count: number): Promise<Delivery[]> {
    const entries = entriesOf(await this.#read(">", count));
    return entries
      .map(recordIn)
      .filter(isThere)
      .map((record) => ({ ...record, attempts: 1 }));
  }

  /**
   * This consumer's own records that it has not settled, behind an entry id. The walk begins with `0`; entries whose
   * body is gone are acknowledged on the way.
   */
  async backlog(after: string, count: number): Promise<DeliveryPage> {
    const entries = entriesOf(await this.#read(after, count));
    const last = entries.at(-1);
    const gone = entries.filter((entry) => recordIn(entry) === undefined).map(idOf);
    if (gone.length > 0) await this.acknowledge(gone);
    const deliveries = await this.#counted(entries);
    return { deliveries, next: last === undefined || entries.length < count ? undefined : idOf(last) };
  }

  /**
   * Takes over records that whoever holds them has not settled for so long. The walk begins with `0-0`; records whose
   * body is gone leave what is pending on the way.
   */
  async takeOver(idleMs: number, from: string, count: number): Promise<DeliveryPage> {
    const parts = [this.#key, this.#group, this.#consumer, String(idleMs), from, "COUNT", String(count)];
    const [cursor, entries] = listOf(await this.#engine.command(["XAUTOCLAIM", ...parts]));
    const next = bytesReply(cursor);
    return { deliveries: await this.#counted(listOf(entries ?? [])), next: next === "0-0" ? undefined : next };
  }

  /**
   * Takes records of its own once more: the next attempt. Those that a peer has taken, that are settled or gone, are
   * left out.
   */
  async retake(entryIds: readonly string[]): Promise<Delivery[]> {
    const own = await this.#own(entryIds);
    if (own.length === 0) return [];
    const parts = [this.#key, this.#group, this.#consumer, "0", ...own];
    return await this.#counted(listOf(await this.#engine.command(["XCLAIM", ...parts])));
  }

  /**
   * Lets others take records over at once, as if they had been held for `idleMs` already. `attempts` is how often each
   * is to count as given: what no handler has seen costs no attempt.
   */
  async giveBack(entryId: string, idleMs: number, attempts: number): Promise<void> {
    const own = await this.#own([entryId]);
    if (own.length === 0) return;
    const options = ["IDLE", String(idleMs), "RETRYCOUNT", String(attempts), "JUSTID"];
    await this.#engine.command(["XCLAIM", this.#key, this.#group, this.#consumer, "0", entryId, ...options]);
  }

  /** Settles records; answers how many were pending. */
  async acknowledge(entryIds: readonly string[]): Promise<number> {
    if (entryIds.length === 0) return 0;
    return numberReply(await this.#engine.command(["XACK", this.#key, this.#group, ...entryIds]));
  }

  /**
   * Lets records that are in hand count as given just now, without an attempt more. Answers those that are this
   * consumer's no longer: a peer took them, or they were settled or trimmed.
   */
  async renew(entryIds: readonly string[]): Promise<string[]> {
    const own = await this.#own(entryIds);
    if (own.length > 0) {
      await this.#engine.command(["XCLAIM", this.#key, this.#group, this.#consumer, "0", ...own, "JUSTID"]);
    }
    return entryIds.filter((id) => !own.includes(id));
  }

  /**
   * Sets a record aside in another stream and settles it here: first the one, then the other, so a crash in between
   * leaves it in both and never in none. The other stream keeps about `keep` records.
   */
  async bury(
    record: StreamRecord,
    note: { readonly key: Bytes; readonly keep: number; readonly why: Bytes[] },
  ): Promise<void> {
    const receipt = record.id === undefined ? [] : ["id", record.id];
    const fields = Object.entries(record.fields).flatMap(([name, value]) => [bytesOf(name), bytesOf(value)]);
    const trim = ["MAXLEN", "~", String(note.keep)];
    await this.#engine.command(["XADD", note.key, ...trim, "*", ...receipt, ...note.why, ...fields]);
    await this.acknowledge([record.entryId]);
  }

  /** The entry up to which the group was given records; `undefined` without such a group. */
  async position(): Promise<string | undefined> {
    return (await groupStates(this.#engine, this.#key)).find(({ name }) => name === this.#group)?.lastEntryId;
  }

  /** Leaves the group, if nothing of this consumer is pending; answers whether it did. */
  async leave(): Promise<boolean> {
    const rows = await this.#engine.command(["XPENDING", this.#key, this.#group, "-", "+", "1", this.#consumer]);
    if (listOf(rows).length > 0) return false;
    await this.#engine.command(["XGROUP", "DELCONSUMER", this.#key, this.#group, this.#consumer]);
    return true;
  }

  /** Those of the records that are pending for this consumer. */
  async #own(entryIds: readonly string[]): Promise<string[]> {
    const rows = await Promise.all(entryIds.map((id) => this.#pendingRow(id)));
    return entryIds.filter((_, at) => rows[at]?.consumer === this.#consumer);
  }

  async #read(from: string, count: number): Promise<Reply> {
    const who = ["GROUP", this.#group, this.#consumer, "COUNT", String(count)];
    return await this.#engine.command(["XREADGROUP", ...who, "STREAMS", this.#key, from]);
  }

  /** The records of entries with how often each was given, which one question each answers. */
  async #counted(entries: readonly Reply[]): Promise<Delivery[]> {
    const records = entries.map(recordIn).filter(isThere);
    const rows = await Promise.all(records.map(({ entryId }) => this.#pendingRow(entryId)));
    return records.map((record, at) => ({ ...record, attempts: rows[at]?.deliveries ?? 1 }));
  }

  async #pendingRow(entryId: string): Promise<{ consumer: Bytes; deliveries: number } | undefined> {
    const rows = await this.#engine.command(["XPENDING", this.#key, this.#group, entryId, entryId, "1"]);
    const [row] = listOf(rows);
    if (row === undefined) return undefined;
    const [, consumer, , deliveries] = listOf(row);
    return { consumer: bytesReply(consumer), deliveries: numberReply(deliveries) };
  }
}

/** The state of each group of a stream, as the server has it. */
export async function groupStates(
  engine: Engine,
  key: Bytes,
): Promise<(Omit<GroupState, "group"> & { readonly name: Bytes })[]> {
  return listOf(await engine.command(["XINFO", "GROUPS", key])).map((reply) => {
    const flat = listOf(reply);
    // Only every other part is a name: a group may be called as one of them is.
    const of = (name: string): Reply => flat[flat.findIndex((part, at) => at % 2 === 0 && part === name) + 1] ?? null;
    const lag = of("lag");
    return {
      name: bytesReply(of("name")),
      consumers: numberReply(of("consumers")),
      pending: numberReply(of("pending")),
      lastEntryId: bytesReply(of("last-delivered-id")),
      lag: lag === null ? undefined : numberReply(lag),
    };
  });
}

/** Whether the server said that there is no such stream or group: it was deleted while it was read. */
export function isGroupGone(error: unknown): boolean {
  return isEchoMQError(error, "refused") && refusalWord(error.message) === "NOGROUP";
}

function idOf(entry: Reply): string {
  return bytesReply(listOf(entry)[0]);
}

function isThere<T>(value: T | undefined): value is T {
  return value !== undefined;
}
