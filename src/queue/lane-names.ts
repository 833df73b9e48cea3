/**
 * The names of lanes that may have waiting jobs, page by page.
 *
 * A lane with work stands on the ring, or a pause, a limit or a rate keeps it off (an ordered lane has a limit). So
 * these name every such lane, and no index of lanes has to be kept by the acts. Names are remembered while they are
 * read, so that none comes twice: memory goes by the number of lanes, not of jobs.
 */

import type { Engine } from "../engine/engine.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { namePages } from "./key-pages.ts";
import { bytesReply, listOf, type QueueKeys } from "./verb-call.ts";

/** Entries of the ring of one page. */
const RING_PAGE = 1000;

/** The lanes that have a rate, page by page, each at least once. */
export async function* ratedLanePages(engine: Engine, keys: QueueKeys): AsyncGenerator<Bytes[]> {
  for await (const fields of namePages(engine, `${keys.base}rate`, "hash")) {
    yield fields.filter((field) => field.startsWith("m") && field.length > 1).map((field) => field.slice(1));
  }
}

/** Each name once, at most about a thousand at a time. A lane that moves on the ring meanwhile may be missed. */
export async function* laneNamePages(engine: Engine, keys: QueueKeys): AsyncGenerator<Bytes[]> {
  const seen = new Set<Bytes>();
  const fresh = (names: readonly Bytes[]): Bytes[] => {
    const news = [...new Set(names)].filter((name) => !seen.has(name));
    for (const name of news) seen.add(name);
    return news;
  };
  for (let at = 0; ; at += RING_PAGE) {
    const range = [`${keys.base}ring`, String(at), String(at + RING_PAGE - 1)];
    const entries = listOf(await engine.command(["LRANGE", ...range])).map((entry) => bytesReply(entry));
    yield fresh(entries);
    if (entries.length < RING_PAGE) break;
  }
  for await (const names of namePages(engine, `${keys.base}paused`, "set")) yield fresh(names);
  for await (const names of namePages(engine, `${keys.base}glimit`, "hash")) yield fresh(names);
  for await (const names of ratedLanePages(engine, keys)) yield fresh(names);
}
