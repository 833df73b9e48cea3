/**
 * Everything that a queue holds, as plain sorted data.
 *
 * It reads by plain commands only, so it works on every engine and shares nothing with the acts that it checks. Two
 * engines that did the same have equal dumps, whatever order their own structures keep. The reading is not one act: let
 * the queue rest meanwhile.
 */

import type { Engine, Reply } from "../engine/engine.ts";
import { type Bytes, bytesOf } from "../protocol/bytes.ts";
import { escapeGlob } from "../protocol/escape-glob.ts";
import { baseKey } from "../protocol/key.ts";

/** Keys that one step of the scan looks at. */
const SCAN_COUNT = 1000;

/** Keys that are read at the same time, so that a large queue does not fill the connection. */
const KEYS_AT_ONCE = 200;

/** What a key holds: text, members in order, or pairs. Scores are numbers, everything else is bytes. */
export type Content =
  | { readonly type: "string"; readonly value: Bytes }
  | { readonly type: "list" | "set"; readonly items: readonly Bytes[] }
  | { readonly type: "hash"; readonly fields: readonly (readonly [Bytes, Bytes])[] }
  | { readonly type: "zset"; readonly members: readonly (readonly [Bytes, number])[] }
  | { readonly type: "stream"; readonly entries: Reply };

/** One key of a queue. */
export type KeyDump = Content & {
  /** The whole key. */
  readonly key: Bytes;
  /** The part after `emq:{q}:`. */
  readonly suffix: Bytes;
  /** Whether it will expire. When, is left out: two engines never agree on it to the millisecond. */
  readonly isExpiring: boolean;
};

/** Every key of a queue in byte order. `queue` is text, as for `Queue`. */
export async function dumpQueue(engine: Engine, queue: string): Promise<KeyDump[]> {
  const base = baseKey(bytesOf(queue));
  const keys = await scanKeys(engine, base);
  const dumps: KeyDump[] = [];
  for (let at = 0; at < keys.length; at += KEYS_AT_ONCE) {
    const some = keys.slice(at, at + KEYS_AT_ONCE);
    const read = await Promise.all(some.map((key) => dumpKey(engine, key, base)));
    for (const dump of read) if (dump !== undefined) dumps.push(dump);
  }
  return dumps;
}

/** The keys that begin with `base`, in byte order, each once. */
async function scanKeys(engine: Engine, base: Bytes): Promise<Bytes[]> {
  const pattern = `${escapeGlob(base)}*`;
  const keys = new Set<Bytes>();
  let cursor = "0";
  do {
    const reply = await engine.command(["SCAN", cursor, "MATCH", pattern, "COUNT", String(SCAN_COUNT)]);
    const [next, hits] = reply as [Bytes | number, readonly Bytes[]];
    for (const key of hits) if (key.startsWith(base)) keys.add(key);
    cursor = String(next);
  } while (cursor !== "0");
  return [...keys].sort();
}

/** One key, or `undefined` when it expired between the scan and now. */
async function dumpKey(engine: Engine, key: Bytes, base: Bytes): Promise<KeyDump | undefined> {
  const type = String(await engine.command(["TYPE", key]));
  const content = await readContent(engine, key, type);
  if (content === undefined) return undefined;
  const isExpiring = Number(await engine.command(["PTTL", key])) >= 0;
  return { key, suffix: key.slice(base.length), isExpiring, ...content };
}

async function readContent(engine: Engine, key: Bytes, type: string): Promise<Content | undefined> {
  switch (type) {
    case "none":
      return undefined;
    case "string":
      return { type, value: String(await engine.command(["GET", key])) };
    case "list":
      return { type, items: bytesList(await engine.command(["LRANGE", key, "0", "-1"])) };
    case "set":
      return { type, items: bytesList(await engine.command(["SMEMBERS", key])).sort() };
    case "hash":
      return { type, fields: pairs(bytesList(await engine.command(["HGETALL", key]))).sort(byFirst) };
    case "zset":
      return { type, members: scored(bytesList(await engine.command(["ZRANGE", key, "0", "-1", "WITHSCORES"]))) };
    case "stream":
      return { type, entries: await engine.command(["XRANGE", key, "-", "+"]) };
    default:
      throw new Error(`${key} is of type ${type}, which no key of a queue has`);
  }
}

/** A flat list of texts; a client may also give pairs as lists of two. */
function bytesList(reply: Reply): Bytes[] {
  if (!Array.isArray(reply)) throw new Error("the engine did not answer with a list");
  return (reply as readonly Reply[]).flatMap((item) =>
    Array.isArray(item) ? bytesList(item as Reply) : [String(item)],
  );
}

function pairs(flat: readonly Bytes[]): [Bytes, Bytes][] {
  const result: [Bytes, Bytes][] = [];
  for (let at = 0; at < flat.length; at += 2) result.push([flat[at] ?? "", flat[at + 1] ?? ""]);
  return result;
}

/** Members in the server's own order, by score and then by bytes. */
function scored(flat: readonly Bytes[]): [Bytes, number][] {
  return pairs(flat).map(([member, score]) => [member, Number(score)]);
}

function byFirst(a: readonly [Bytes, Bytes], b: readonly [Bytes, Bytes]): number {
  return a[0] < b[0] ? -1 : 1;
}
