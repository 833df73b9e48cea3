/**
 * The floor of the server by plain commands: a bare socket that sends what a job needs on our keyspace and nothing
 * else.
 *
 * Adding is one `HSET` a job and one `ZADD` for what one step of the event loop gives. Processing has three steps,
 * which the turns of floor-work.mjs carry side by side: ids are taken from `pending`; their rows are read and marked,
 * and all of them are leased by one `ZADD`; and when handlers have ended, each row is read as a fence would be, and all
 * leave by one `ZREM` and one `DEL`. Between two of these commands anything may happen, which is what the acts are for.
 */

import { rowOf, SETS } from "../acts.mjs";
import { encode } from "../wire.mjs";
import { LEASE_MS, openFloor } from "./floor-work.mjs";

const [PENDING, ACTIVE] = SETS;

export const open = (url) => openFloor(url, prepare);

/** One turn: settles, claims what the turn before has taken, and takes. */
function prepare(exchange) {
  let taken = [];
  return async (ended, want) => {
    const claimed = taken;
    taken = [];
    const settling = settlingOf(ended.map(({ id }) => id));
    const claiming = claimingOf(claimed, Date.now() + LEASE_MS);
    const taking = takingOf(want);
    const commands = [...settling, ...claiming, ...taking];
    if (commands.length === 0) return [];
    const replies = await exchange.send(commands.join(""), commands.length);
    if (want > 0) for (let at = 0, members = replies.at(-1); at < members.length; at += 2) taken.push(members[at]);
    // Of each claimed job the first of two replies is its row.
    return claimed.map((id, at) => ({ id, token: "1", payload: replies[settling.length + 2 * at][1] }));
  };
}

/** Takes ids from those that wait. */
export function takingOf(want) {
  return want === 0 ? [] : [encode(["ZPOPMIN", PENDING, String(want)])];
}

/** Ends jobs. No row is kept, so their results have no place to go. */
export function settlingOf(ids) {
  if (ids.length === 0) return [];
  return [
    ...ids.map((id) => encode(["HMGET", rowOf(id), "state", "attempts"])),
    encode(["ZREM", ACTIVE, ...ids]),
    encode(["DEL", ...ids.map(rowOf)]),
  ];
}

/** Reads and marks rows, and leases them: the last first, since the server looks from the front for their places. */
export function claimingOf(ids, leasedUntil) {
  if (ids.length === 0) return [];
  return [
    ...ids.flatMap((id) => [
      encode(["HMGET", rowOf(id), "attempts", "payload", "name"]),
      encode(["HSET", rowOf(id), "state", "active", "attempts", "1"]),
    ]),
    encode(["ZADD", ACTIVE, ...ids.toReversed().flatMap((id) => [String(leasedUntil), id])]),
  ];
}
