/**
 * Reads everything that a queue holds, key by key, in slices of bounded size, by plain reading commands.
 *
 * What is read twice in a row is the same when nobody wrote in between; nothing here depends on the order that a server
 * keeps. Keys that tell only who is there now (workers, readers of events, tokens for idle workers) are left out: they
 * are true of the place that they are read from, and make themselves anew.
 *
 * The keys come in two parts. First what jobs are; then the places where they lie, and the signals between flows. Who
 * writes them in this order never shows a place without its job, and loses no signal because its parent is yet to come.
 */

import { type KeyKind, keyKind } from "../../doctor/key-kind.ts";
import type { Engine, Reply } from "../../engine/engine.ts";
import { type Bytes, textOf } from "../../protocol/bytes.ts";
import { EchoMQError } from "../../protocol/errors.ts";
import { quote } from "../../protocol/quote.ts";
import { keyPages, namePages } from "../key-pages.ts";
import { bytesReply, listOf, numberReply } from "../verb-call.ts";
import type { Item, KeyRecord, RecordType } from "./export-line.ts";

/** The two parts of a queue's keys, in the order in which they are read and written. */
export const QUEUE_PARTS = ["records", "places"] as const;

/** One of {@link QUEUE_PARTS}. */
export type QueuePart = (typeof QUEUE_PARTS)[number];

/** Rows, or other keys, that are asked for together. */
const KEYS_AT_ONCE = 100;

/** Items of one slice, by type: members are short, values may be large. */
const MEMBERS_OF_SLICE = 1000;
const VALUES_OF_SLICE = 100;

/** Keys that say who is there now. */
const PRESENT: ReadonlySet<string> = new Set(["workers", "wake", "listeners"]);

/** Whether a key says who is there now, so that no copy has it and it makes no queue hold anything. */
export function isOfPresence(suffix: Bytes): boolean {
  return PRESENT.has(suffix);
}

/** Reads a queue of one engine, by its base key. */
export class QueueReader {
  readonly #engine: Engine;
  readonly #base: Bytes;

  constructor(engine: Engine, base: Bytes) {
    this.#engine = engine;
    this.#base = base;
  }

  /**
   * The keys of one part, or slices of them. A key may come twice, when the server's own table grew meanwhile.
   *
   * @throws EchoMQError `queue_unsound` for a key that the wire does not know.
   */
  async *read(part: QueuePart): AsyncGenerator<KeyRecord> {
    for await (const page of keyPages(this.#engine, this.#base)) {
      const rows: Bytes[] = [];
      const others: [Bytes, KeyKind][] = [];
      for (const key of page) {
        const suffix = key.slice(this.#base.length);
        const kind = this.#kindOf(suffix);
        if (isOfPresence(suffix) || partOf(kind) !== part) continue;
        if (kind.type === "job:<id>") rows.push(suffix);
        else others.push([suffix, kind]);
      }
      for (let at = 0; at < rows.length; at += KEYS_AT_ONCE) {
        yield* await this.#readRows(rows.slice(at, at + KEYS_AT_ONCE));
      }
      for (let at = 0; at < others.length; at += KEYS_AT_ONCE)
        yield* this.#readKeys(others.slice(at, at + KEYS_AT_ONCE));
    }
  }

  #kindOf(suffix: Bytes): KeyKind {
    const kind = keyKind(suffix);
    if (kind !== undefined) return kind;
    const key = textOf(this.#base + suffix);
    throw new EchoMQError(
      "queue_unsound",
      `The key ${quote(key)} is none of the wire's, so it cannot be copied: echomq doctor --repair deletes it`,
      { details: { key } },
    );
  }

  async #readRows(suffixes: readonly Bytes[]): Promise<KeyRecord[]> {
    const rows = await Promise.all(suffixes.map((suffix) => this.#ask("HGETALL", suffix)));
    return suffixes.flatMap((suffix, at): KeyRecord[] => {
      const items = flatBytes(rows[at] ?? []);
      return items.length === 0 ? [] : [{ suffix, type: "hash", items, isFirst: true, expiresAt: undefined }];
    });
  }

  /** Asks for the size and the end of each key together; what is small is read together as well. */
  async *#readKeys(keys: readonly (readonly [Bytes, KeyKind])[]): AsyncGenerator<KeyRecord> {
    const asked = keys.map(async ([suffix, { valkey }]) => {
      const [end, small] = await Promise.all([this.#ask("PEXPIRETIME", suffix), this.#readSmall(suffix, valkey)]);
      return { end: numberReply(end), small };
    });
    const found = await Promise.all(asked);
    for (const [at, [suffix, { valkey }]] of keys.entries()) {
      const { end = -2, small } = found[at] ?? {};
      if (end === -2) continue;
      const expiresAt = end < 0 ? undefined : end;
      if (small !== undefined) {
        if (small.length > 0) yield { suffix, type: valkey as RecordType, items: small, isFirst: true, expiresAt };
        continue;
      }
      let isFirst = true;
      for await (const [type, items] of this.#slices(suffix, valkey)) {
        yield { suffix, type, items, isFirst, expiresAt };
        isFirst = false;
      }
    }
  }

  /** All of a key that fits into one slice; `undefined` for a larger one, and for a stream. */
  async #readSmall(suffix: Bytes, valkey: string): Promise<readonly Item[] | undefined> {
    if (valkey === "string") {
      const value = await this.#ask("GET", suffix);
      return value === null ? [] : [bytesReply(value)];
    }
    if (valkey === "stream") return undefined;
    const { count, slice, all } = WHOLE[valkey] ?? unknownType(valkey);
    if (numberReply(await this.#ask(count, suffix)) > slice) return undefined;
    const [name, ...rest] = all;
    return flatBytes(await this.#ask(name, suffix, ...rest));
  }

  #slices(suffix: Bytes, valkey: string): AsyncGenerator<[RecordType, readonly Item[]]> {
    switch (valkey) {
      case "hash":
        return this.#hashSlices(suffix);
      case "list":
        return this.#rankSlices(suffix, "list");
      case "set":
        return this.#setSlices(suffix);
      case "zset":
        return this.#rankSlices(suffix, "zset");
      case "stream":
        return this.#streamSlices(suffix);
      default:
        return unknownType(valkey);
    }
  }

  async *#hashSlices(suffix: Bytes): AsyncGenerator<[RecordType, readonly Item[]]> {
    let cursor = "0";
    do {
      const [next, pairs] = listOf(await this.#ask("HSCAN", suffix, cursor, "COUNT", String(VALUES_OF_SLICE)));
      cursor = bytesReply(next);
      yield ["hash", flatBytes(pairs ?? [])];
    } while (cursor !== "0");
  }

  async *#setSlices(suffix: Bytes): AsyncGenerator<[RecordType, readonly Item[]]> {
    for await (const page of namePages(this.#engine, this.#base + suffix, "set")) yield ["set", page];
  }

  async *#rankSlices(suffix: Bytes, type: "list" | "zset"): AsyncGenerator<[RecordType, readonly Item[]]> {
    const size = type === "list" ? VALUES_OF_SLICE : MEMBERS_OF_SLICE;
    for (let from = 0; ; from += size) {
      const range = [String(from), String(from + size - 1)];
      const asked = type === "list" ? ["LRANGE", ...range] : ["ZRANGE", ...range, "WITHSCORES"];
      const items = flatBytes(await this.#ask(asked[0] ?? "", suffix, ...asked.slice(1)));
      if (items.length > 0) yield [type, items];
      if (items.length < (type === "list" ? size : 2 * size)) return;
    }
  }

  async *#streamSlices(suffix: Bytes): AsyncGenerator<[RecordType, readonly Item[]]> {
    for (let start = "-"; ; ) {
      const page = listOf(await this.#ask("XRANGE", suffix, start, "+", "COUNT", String(VALUES_OF_SLICE)));
      const entries = page.map((entry) => flatBytes(entry));
      if (entries.length > 0) yield ["stream", entries];
      if (entries.length < VALUES_OF_SLICE) break;
      start = `(${entries.at(-1)?.[0] ?? ""}`;
    }
    // Where its ids go on, which the entries do not tell when the newest were deleted.
    const facts = factsOf(await this.#ask("XINFO", suffix, "STREAM"));
    const end = ["last-generated-id", "entries-added", "max-deleted-entry-id"].map((name) => facts.get(name) ?? "");
    yield ["stream-end", [end]];
    const groups = listOf(await this.#ask("XINFO", suffix, "GROUPS")).map((group) => factsOf(group));
    for (const facts of groups) {
      const name = facts.get("name") ?? "";
      yield ["stream-group", [[name, facts.get("last-delivered-id") ?? "", facts.get("entries-read") ?? ""]]];
      yield* this.#givenSlices(suffix, name);
    }
  }

  /** What the consumers of a group were given and have not settled. */
  async *#givenSlices(suffix: Bytes, group: Bytes): AsyncGenerator<[RecordType, readonly Item[]]> {
    for (let start = "-"; ; ) {
      const [time, reply] = await Promise.all([
        this.#engine.command(["TIME"]),
        this.#ask("XPENDING", suffix, group, start, "+", String(VALUES_OF_SLICE)),
      ]);
      const nowMs = Math.floor(numberReply(listOf(time)[0]) * 1000 + numberReply(listOf(time)[1]) / 1000);
      const given = listOf(reply).map((entry) => {
        const [id = "", consumer = "", idleMs = "0", count = "1"] = flatBytes(entry);
        return [group, consumer, id, String(nowMs - Number(idleMs)), count];
      });
      if (given.length > 0) yield ["stream-given", given];
      if (given.length < VALUES_OF_SLICE) return;
      start = `(${given.at(-1)?.[2] ?? ""}`;
    }
  }

  /** One command on a key of the queue. `XINFO` has its key last. */
  async #ask(name: string, suffix: Bytes, ...rest: readonly Bytes[]): Promise<Reply> {
    const key = this.#base + suffix;
    return await this.#engine.command(name === "XINFO" ? [name, ...rest, key] : [name, key, ...rest]);
  }
}

/** How the size of a value is asked for, what fits into one slice, and how all of it is read. */
const WHOLE: Readonly<
  Record<string, { readonly count: string; readonly slice: number; readonly all: readonly [string, ...string[]] }>
> = {
  hash: { count: "HLEN", slice: VALUES_OF_SLICE, all: ["HGETALL"] },
  list: { count: "LLEN", slice: VALUES_OF_SLICE, all: ["LRANGE", "0", "-1"] },
  set: { count: "SCARD", slice: MEMBERS_OF_SLICE, all: ["SMEMBERS"] },
  zset: { count: "ZCARD", slice: MEMBERS_OF_SLICE, all: ["ZRANGE", "0", "-1", "WITHSCORES"] },
};

/** Where jobs lie, whose turn it is, and what is told between queues. */
function partOf({ type, valkey }: KeyKind): QueuePart {
  return valkey === "zset" || type === "ring" || type === "flow:outbox" ? "places" : "records";
}

/** A reply as one flat list of byte strings; a client may give pairs as lists of two. */
function flatBytes(reply: Reply): Bytes[] {
  return listOf(reply).flatMap((item) => (Array.isArray(item) ? flatBytes(item as Reply) : [bytesReply(item)]));
}

/** Fields and values of a reply whose values may be nil or lists; these are left out. */
function factsOf(reply: Reply): Map<string, Bytes> {
  const parts = listOf(reply);
  const facts = new Map<string, Bytes>();
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const value = parts[at + 1];
    if (typeof value === "string" || typeof value === "number") facts.set(bytesReply(parts[at]), String(value));
  }
  return facts;
}

function unknownType(valkey: string): never {
  throw new EchoMQError("internal", `Keys of the type ${valkey} are not known to copies`);
}
