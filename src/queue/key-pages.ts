/**
 * Finding keys by a scan, page by page, on one server or on every primary of a cluster.
 *
 * A queue's name may hold every character that a pattern gives a meaning to. The pattern is therefore escaped and each
 * hit compared by its prefix, or a neighbour's keys would be taken for the queue's own.
 */

import type { Engine, Reply } from "../engine/engine.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { escapeGlob } from "../protocol/escape-glob.ts";
import { bytesReply, listOf } from "./verb-call.ts";

/** Keys that the server looks at in one call. */
const LOOKS = "1000";

/** One command to one server. */
type Ask = (parts: readonly Bytes[]) => Promise<Reply>;

/**
 * The keys that begin with `prefix`, which names a queue, in pages of about a thousand. A key that is there all the
 * while comes at least once, perhaps twice.
 */
export async function* keyPages(engine: Engine, prefix: Bytes): AsyncGenerator<Bytes[]> {
  // All keys of a queue lie on one server, and the pattern's tag leads a cluster to it.
  const ask: Ask = async (parts) => await engine.command(parts);
  for await (const page of pages(ask, `${escapeGlob(prefix)}*`)) yield page.filter((key) => key.startsWith(prefix));
}

/** The keys that match `pattern` on all servers of the engine, in pages of about a thousand. */
export async function* keyPagesEverywhere(engine: Engine, pattern: Bytes): AsyncGenerator<Bytes[]> {
  const alone: Ask = async (parts) => await engine.command(parts);
  const servers = (await engine.primaries?.()) ?? [alone];
  for (const ask of servers) yield* pages(ask, pattern);
}

async function* pages(ask: Ask, pattern: Bytes): AsyncGenerator<Bytes[]> {
  let cursor = "0";
  do {
    const [next, keys] = listOf(await ask(["SCAN", cursor, "MATCH", pattern, "COUNT", LOOKS]));
    cursor = bytesReply(next);
    yield listOf(keys ?? []).map((key) => bytesReply(key));
  } while (cursor !== "0");
}

/** The members of a set or, with `hash`, the fields of a hash, in pages of about a thousand; each at least once. */
export async function* namePages(engine: Engine, key: Bytes, type: "set" | "hash"): AsyncGenerator<Bytes[]> {
  const command = type === "set" ? "SSCAN" : "HSCAN";
  let cursor = "0";
  do {
    const [next, found] = listOf(await engine.command([command, key, cursor, "COUNT", LOOKS]));
    cursor = bytesReply(next);
    const parts = listOf(found ?? []).map((part) => bytesReply(part));
    yield type === "set" ? parts : parts.filter((_, at) => at % 2 === 0);
  } while (cursor !== "0");
}
