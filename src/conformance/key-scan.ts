/**
 * Finds and reads all keys of a queue.
 *
 * A queue's name may hold every character that a pattern gives a meaning to. The pattern is therefore escaped and each
 * hit compared by its prefix, or a neighbour's keys would be taken for the queue's own.
 */

import type { Engine, Reply } from "../engine/engine.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { escapeGlob } from "../protocol/escape-glob.ts";

/** Keys that the server looks at in one call. */
const SCAN_COUNT = "1000";

/** Keys of one command. */
const BATCH = 200;

/** All keys that begin with `prefix`, in byte order. */
export async function keysWith(engine: Engine, prefix: Bytes): Promise<Bytes[]> {
  const pattern = `${escapeGlob(prefix)}*`;
  const found = new Set<Bytes>();
  let cursor = "0";
  do {
    const reply = (await engine.command(["SCAN", cursor, "MATCH", pattern, "COUNT", SCAN_COUNT])) as readonly Reply[];
    cursor = String(reply[0]);
    for (const key of reply[1] as readonly Bytes[]) if (key.startsWith(prefix)) found.add(key);
  } while (cursor !== "0");
  return [...found].sort();
}

/** Deletes all keys that begin with `prefix`. */
export async function purge(engine: Engine, prefix: Bytes): Promise<void> {
  const keys = await keysWith(engine, prefix);
  for (let at = 0; at < keys.length; at += BATCH) await engine.command(["UNLINK", ...keys.slice(at, at + BATCH)]);
}

/**
 * The content of all keys that begin with `prefix`: key to a text that is equal for equal content.
 *
 * Hashes and sets are sorted, because their order says nothing; lists and sorted sets are not.
 */
export async function snapshot(engine: Engine, prefix: Bytes): Promise<Map<Bytes, string>> {
  const keys = await keysWith(engine, prefix);
  const content = await Promise.all(keys.map(async (key) => await contentOf(engine, key)));
  return new Map(keys.map((key, at) => [key, content[at] ?? ""]));
}

async function contentOf(engine: Engine, key: Bytes): Promise<string> {
  const type = await engine.command(["TYPE", key]);
  switch (type) {
    case "hash":
      return `hash ${JSON.stringify(pairs(await engine.command(["HGETALL", key])).sort())}`;
    case "zset":
      return `zset ${JSON.stringify(pairs(await engine.command(["ZRANGE", key, "0", "-1", "WITHSCORES"])))}`;
    case "list":
      return `list ${JSON.stringify(await engine.command(["LRANGE", key, "0", "-1"]))}`;
    case "set":
      return `set ${JSON.stringify([...((await engine.command(["SMEMBERS", key])) as readonly Bytes[])].sort())}`;
    default:
      return `${JSON.stringify(type)} ${JSON.stringify(await engine.command(["GET", key]))}`;
  }
}

/** Neighbours of a flat reply, each pair as one text; a reply of pairs passes as it is. */
function pairs(reply: Reply): string[] {
  const parts = (reply as readonly Reply[]).flat() as readonly Reply[];
  const texts: string[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2)
    texts.push(JSON.stringify([String(parts[at]), String(parts[at + 1])]));
  return texts;
}
