/**
 * Reads large collections by page while others change them.
 *
 * No call asks for more than {@link PAGE} members. A scan finds whatever is there from its first call to its last.
 * Ranks shift under whoever reads by rank, so a walk over a sorted set looks up where the last page ended before it
 * goes on; what moves backwards meanwhile may be missed or come twice, and every walk ends.
 */

import type { Engine, Reply } from "../engine/engine.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { escapeGlob } from "../protocol/escape-glob.ts";
import { listOf, textIn } from "./evidence.ts";

/** Members of one page, the budget of an act. */
export const PAGE = 1000;

/** Walks of one sorted set begin anew at its front so often, when all of a page was taken away at once. */
const RESTARTS_MAX = 10;

/** Pages of keys that begin with `prefix`; `rest` is a pattern of what follows. A key may come twice. */
export async function* keyPages(engine: Engine, prefix: Bytes, rest = "*"): AsyncGenerator<Bytes[]> {
  const pattern = escapeGlob(prefix) + rest;
  for await (const hits of scanPages(engine, (cursor) => ["SCAN", cursor, "MATCH", pattern, "COUNT", String(PAGE)])) {
    yield hits.filter((key) => key.startsWith(prefix));
  }
}

/** Pages of the field names of a hash. */
export async function* fieldPages(engine: Engine, key: Bytes): AsyncGenerator<Bytes[]> {
  for await (const flat of scanPages(engine, (cursor) => ["HSCAN", key, cursor, "COUNT", String(PAGE)])) {
    yield flat.filter((_, at) => at % 2 === 0);
  }
}

/** Pages of the members of a set. */
export async function* setPages(engine: Engine, key: Bytes): AsyncGenerator<Bytes[]> {
  yield* scanPages(engine, (cursor) => ["SSCAN", key, cursor, "COUNT", String(PAGE)]);
}

/** Pages of a list from its head on. Items that move meanwhile may be missed or come twice. */
export async function* listPages(engine: Engine, key: Bytes): AsyncGenerator<Bytes[]> {
  const length = Number(await engine.command(["LLEN", key]));
  for (let at = 0; at < length; at += PAGE) {
    yield texts(await engine.command(["LRANGE", key, String(at), String(at + PAGE - 1)]));
  }
}

/** Pages of the members of a sorted set, lowest score first. */
export async function* memberPages(engine: Engine, key: Bytes): AsyncGenerator<Bytes[]> {
  const size = Number(await engine.command(["ZCARD", key]));
  let pagesLeft = 2 * Math.ceil(size / PAGE) + RESTARTS_MAX;
  let restartsLeft = RESTARTS_MAX;
  for (let start = 0; pagesLeft > 0; pagesLeft--) {
    const page = texts(await engine.command(["ZRANGE", key, String(start), String(start + PAGE - 1)]));
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    const next = await rankAfter(engine, key, page);
    if (next !== undefined) start = next;
    else if (restartsLeft-- > 0) start = 0;
    else start += PAGE;
  }
}

/** The rank behind the last member of a page that is still there; `undefined` when none of those asked about is. */
async function rankAfter(engine: Engine, key: Bytes, page: readonly Bytes[]): Promise<number | undefined> {
  const probes = [1, 0.75, 0.5, 0.25, 0].map((share) => page[Math.floor((page.length - 1) * share)] ?? "");
  const ranks = await Promise.all(probes.map((member) => engine.command(["ZRANK", key, member])));
  const rank = ranks.find((found) => found !== null);
  return rank === undefined || rank === null ? undefined : Number(rank) + 1;
}

async function* scanPages(engine: Engine, command: (cursor: Bytes) => readonly Bytes[]): AsyncGenerator<Bytes[]> {
  let cursor = "0";
  do {
    const [next, hits] = listOf(await engine.command(command(cursor)));
    const page = texts(hits);
    if (page.length > 0) yield page;
    cursor = textIn(next) ?? "0";
  } while (cursor !== "0");
}

/** A flat list of texts; a client may also give pairs as lists of two. */
function texts(reply: Reply | undefined): Bytes[] {
  return listOf(reply).flatMap((item) => (Array.isArray(item) ? texts(item as Reply) : [String(item)]));
}
