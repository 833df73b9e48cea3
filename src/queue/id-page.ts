/**
 * A page of ids of one sorted set, with a cursor that holds its place while jobs come and go.
 *
 * Ranks move whenever a job before them leaves, so a page by rank skips jobs of a queue that works. A cursor is the
 * score and the id of the last job that was listed, which is a place in the order and not a number: the next page
 * begins behind it, whether that job is still there or not. So a job that stays where it is, is listed exactly once.
 *
 *     cursor = <score> ":" <id>
 *
 * Finding the place costs one command more than the page; when the job of the cursor has left, a search by halves. Who
 * knows about where the page begins saves both.
 */

import type { Engine, Reply } from "../engine/engine.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { bytesReply, listOf, numberReply } from "./verb-call.ts";

/**
 * Times that a place is looked for while the set moves under the search; then jobs may be left out, none comes twice.
 */
const SEARCHES_MAX = 8;

/** Scores are whole numbers, unless a foreign speaker wrote another; so may be the member behind it. */
const CURSOR = /^(-?\d+(?:\.\d+)?(?:e\+\d+)?):(.{1,256})$/s;

/** Which page of which set. */
export interface IdPageRequest {
  readonly key: Bytes;
  /** What an earlier page of the same set and direction answered; `undefined` for the first page. */
  readonly cursor: string | undefined;
  readonly limit: number;
  /** About how many members stand before the page, where that is known. A wrong guess costs one command. */
  readonly rank?: number;
  /** From the lowest score and id on; otherwise from the highest. */
  readonly ascending: boolean;
}

/** A page of ids, and where the next one begins. */
export interface IdPage {
  readonly ids: readonly string[];
  /** For the next page; `undefined` when this one was the last. */
  readonly cursor: string | undefined;
}

/** A place in the order of a sorted set. */
interface Place {
  readonly score: number;
  readonly id: Bytes;
}

/** Reads one page. @throws EchoMQError `invalid_option` for a cursor that no page answered. */
export async function readIdPage(engine: Engine, request: IdPageRequest): Promise<IdPage> {
  const { cursor, limit } = request;
  const after = cursor === undefined ? undefined : parseCursor(cursor);
  const found =
    after === undefined ? await places(engine, request, 0, limit) : await placesAfter(engine, request, after);
  const last = found.length < limit ? undefined : found.at(-1);
  return { ids: found.map(({ id }) => id), cursor: last === undefined ? undefined : `${last.score}:${last.id}` };
}

function parseCursor(cursor: unknown): Place {
  const [, score, id] = typeof cursor === "string" ? (CURSOR.exec(cursor) ?? []) : [];
  if (score !== undefined && id !== undefined) return { score: Number(score), id };
  throw new EchoMQError("invalid_option", `${quote(cursor)} is no cursor: give the one that the page before answered`, {
    details: { option: "cursor", value: cursor },
  });
}

/** `count` members from a rank on, counted in the direction of the request. */
async function places(engine: Engine, request: IdPageRequest, from: number, count: number): Promise<Place[]> {
  const parts = ["ZRANGE", request.key, String(from), String(from + count - 1)];
  if (!request.ascending) parts.push("REV");
  parts.push("WITHSCORES");
  // A server that speaks RESP3 answers pairs, an older one a flat list.
  const flat = listOf(await engine.command(parts)).flatMap<Reply>((part) =>
    typeof part === "object" && part !== null ? listOf(part) : [part],
  );
  const found: Place[] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) {
    found.push({ id: bytesReply(flat[at]), score: numberReply(flat[at + 1]) });
  }
  return found;
}

async function placesAfter(engine: Engine, request: IdPageRequest, after: Place): Promise<Place[]> {
  const { limit, ascending } = request;
  const isBehind = (place: Place): boolean => compare(place, after, ascending) > 0;
  for (let search = request.rank === undefined ? 1 : 0; ; search++) {
    const rank = search === 0 ? (request.rank ?? 0) : await rankAfter(engine, request, after);
    // The member before the page is read as well: it shows whether the place was still right.
    const found = await places(engine, request, Math.max(rank - 1, 0), limit + 1);
    const first = found[0];
    const page = found.filter(isBehind).slice(0, limit);
    // A guess that is too low by much finds a part of the page only.
    const isWhole = search > 0 || page.length === limit || found.length <= limit;
    const isRight = isWhole && (rank === 0 || (first !== undefined && !isBehind(first)));
    if (isRight || search === SEARCHES_MAX) return page;
  }
}

/** How many members stand before or at a place, in the direction of the request. */
async function rankAfter(engine: Engine, request: IdPageRequest, after: Place): Promise<number> {
  const { key, ascending } = request;
  const [rank, score] = await Promise.all([
    engine.command([ascending ? "ZRANK" : "ZREVRANK", key, after.id]),
    engine.command(["ZSCORE", key, after.id]),
  ]);
  if (rank !== null && numberReply(score) === after.score) return numberReply(rank) + 1;
  let low = 0;
  let high = numberReply(await engine.command(["ZCARD", key]));
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [place] = await places(engine, request, middle, 1);
    if (place !== undefined && compare(place, after, ascending) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Below 0 when `a` comes first in the direction. Ids are ASCII, so texts have the order of their bytes. */
function compare(a: Place, b: Place, ascending: boolean): number {
  const order = a.score - b.score || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
  return ascending ? order : -order;
}
