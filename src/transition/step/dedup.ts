/**
 * The names of a job: its deduplication id and its alias, each a key that holds the job's id, and the job that is to
 * run after it.
 *
 * Whoever ends a job asks for its names before the first write, and lets them go after the last. A deduplication id
 * goes when the job is over, so that the next one is admitted; an alias goes with the row, since a finished job that is
 * kept can still be asked for. Only a key that holds this very job goes: another job may have taken the name since.
 *
 * A row without the field `dedup` has neither, so most jobs pay for no more than that field; a row that has only an
 * alias holds it empty.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { pushIfHead } from "./wake.ts";

/**
 * The score in `schedule` of a job that runs after another: an instant that never comes. It is moved by the end of the
 * other, or by whoever promotes it.
 */
export const PARKED_AT = 9007199254740991;

/** What the end of a job lets go. */
export interface Names {
  /** Keys that hold the job. */
  readonly keys: Bytes[];
  /** The key of its deduplication id if the job that runs next may take it, and that job; empty for none. */
  readonly key: Bytes;
  readonly next: Bytes;
  /** The instant before which that job does not run, `false` for none. */
  readonly at: Bytes | false;
  /** The key of the alias that the next job waits for, empty for none. */
  readonly alias: Bytes;
}

/** Whether a key is free once the job `id` is over. */
function isFree(held: Bytes | false, id: Bytes): boolean {
  return held === false || held === id;
}

/**
 * Reads the names of a job that is ending. `rowGoes` is whether its row goes too, and with it its alias.
 *
 * @cold
 */
function readNamesOf(s: Server, base: Bytes, id: Bytes, dedup: Bytes, rowGoes: boolean): Names {
  const call = s.call;
  const own = call("HMGET", `${base}job:${id}`, "alias", "next");
  const keys: Bytes[] = [];
  let key = dedup === "" ? "" : `${base}de:${dedup}`;
  const holder = key === "" ? false : call("GET", key);
  if (holder === id) keys[0] = key;
  if (!isFree(holder, id)) key = "";
  if (rowGoes && own[0] !== false && own[0] !== "") {
    const alias = `${base}de:${own[0]}`;
    if (call("GET", alias) === id) keys[keys.length] = alias;
  }
  const next = own[1];
  if (next === false) return { keys, key, next: "", at: false, alias: "" };
  const fields = call("HMGET", `${base}job:${next}`, "state", "alias", "follow_at", "dedup");
  // One that follows under another name, which this job had as its alias, would never let go of this one.
  if (fields[3] !== dedup) key = "";
  const score = call("ZSCORE", `${base}schedule`, next);
  if (fields[0] !== "scheduled" || score === false || s.num(score) !== PARKED_AT) {
    return { keys, key, next: "", at: false, alias: "" };
  }
  let alias = "";
  if (fields[1] !== false && fields[1] !== "") {
    alias = `${base}de:${fields[1]}`;
    if (!isFree(call("GET", alias), id)) alias = "";
  }
  return { keys, key, next, at: fields[2], alias };
}

/**
 * The names of a job that is ending, `false` for none; to be read before the first write. `dedup` is that field of its
 * row, and `rowGoes` whether the row goes too, and with it its alias.
 */
export function readNames(s: Server, base: Bytes, id: Bytes, dedup: Bytes | false, rowGoes: boolean): Names | false {
  return dedup === false ? false : readNamesOf(s, base, id, dedup, rowGoes);
}

/**
 * Lets the job that was to run after another fall due, under the name that both have. It is promoted like any other, so
 * no end of a job has to know of lanes for its sake.
 *
 * @cold
 */
function startNext(s: Server, base: Bytes, names: Names): void {
  const call = s.call;
  const next = names.next;
  const now = s.now();
  call("HDEL", `${base}job:${next}`, "follows", "follow_at");
  if (names.key !== "") call("SET", names.key, next);
  if (names.alias !== "") call("SET", names.alias, next);
  call("ZADD", `${base}schedule`, names.at === false ? now : Math.max(now, s.num(names.at)), next);
  pushIfHead(s, base, next);
}

/** Lets the names of a job go that has ended, and the job run that waited for its end. */
export function letGo(s: Server, base: Bytes, names: Names | false): void {
  if (names === false) return;
  if (names.keys.length > 0) s.call("DEL", ...names.keys);
  if (names.next !== "") startNext(s, base, names);
}

/**
 * What lets a job run that is parked behind one that will not let it: the other is gone, over, or knows nothing of it.
 * `false` when it is not parked, or rightly. To be read before the first write, and let go after the last.
 */
export function readStray(s: Server, base: Bytes, id: Bytes): Names | false {
  const call = s.call;
  const own = call("HMGET", `${base}job:${id}`, "state", "follows", "follow_at", "dedup", "alias");
  const leader = own[1];
  const score = call("ZSCORE", `${base}schedule`, id);
  if (own[0] !== "scheduled" || leader === false || score === false || s.num(score) !== PARKED_AT) return false;
  const led: (Bytes | false)[] = s.branded(leader) ? call("HMGET", `${base}job:${leader}`, "state", "next") : [false];
  const isOver = led[0] === false || led[0] === "dead" || led[0] === "completed";
  if (!isOver && led[1] === id) return false;
  let key = own[3] === false || own[3] === "" ? "" : `${base}de:${own[3]}`;
  let alias = own[4] === false || own[4] === "" ? "" : `${base}de:${own[4]}`;
  // A name that the other still holds is its own until it is over.
  const holder = isOver ? leader : id;
  if (key !== "" && !isFree(call("GET", key), holder)) key = "";
  if (alias !== "" && !isFree(call("GET", alias), holder)) alias = "";
  call("LLEN", `${base}wake`);
  return { keys: [], key, next: id, at: own[2], alias };
}

/**
 * The keys of the aliases that jobs hold whose rows are about to go although they ended long ago; the rest of their
 * names went then. To be read before the first write.
 */
export function aliasesOf(s: Server, base: Bytes, ids: Bytes[]): Bytes[] {
  const call = s.call;
  const keys: Bytes[] = [];
  for (const id of ids) {
    const fields = call("HMGET", `${base}job:${id}`, "dedup", "alias");
    if (fields[0] !== false && fields[1] !== false) {
      const alias = `${base}de:${fields[1]}`;
      if (call("GET", alias) === id) keys[keys.length] = alias;
    }
  }
  return keys;
}
