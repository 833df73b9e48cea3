/**
 * `DUE`: tells which repeats are due, with all that firing them takes, and when the next one is.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkDue } from "../check/repeat/due.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { ENDED_AT } from "../step/repeat-record.ts";

/** Appends what the due members of a set are, at most `limit` after the first `offset`. */
function addDue(s: Server, entries: Bytes[], base: Bytes, type: Bytes, offset: number, limit: number): void {
  if (limit === 0) return;
  const call = s.call;
  const set = `${base}${type}`;
  const due = call("ZRANGEBYSCORE", set, "-inf", s.now(), "LIMIT", offset, limit);
  for (const name of due) {
    const score = call("ZSCORE", set, name);
    const record = `${base}${type}:${name}`;
    const fields = call("HMGET", record, "every_ms", "rev", "rule", "policy", "limit", "until", "fired");
    const size = entries.length;
    entries[size] = type;
    entries[size + 1] = name;
    entries[size + 2] = score === false ? "" : score;
    for (const field of fields) entries[entries.length] = field === false ? "" : field;
  }
}

/** The first instant of a set after now, `ENDED_AT` for none. */
function comingOf(s: Server, set: Bytes): number {
  const call = s.call;
  const next = call("ZRANGEBYSCORE", set, `(${s.text(s.now())}`, "+inf", "LIMIT", 0, 1);
  if (next.length === 0) return ENDED_AT;
  const score = call("ZSCORE", set, next[0]);
  return score !== false && s.int(score, 0, ENDED_AT) ? s.num(score) : ENDED_AT;
}

/**
 * Keys: repeat, cron, base. Arguments: cron_offset, repeat_offset, limit. Answers now, the first instant after it or
 * -1, and the entries of those that are due.
 */
export function due(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkDue(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const entries: Bytes[] = [];
  const limit = s.num(args[2]);
  addDue(s, entries, keys[2], "cron", s.num(args[0]), limit);
  addDue(s, entries, keys[2], "repeat", s.num(args[1]), limit);
  const coming = Math.min(comingOf(s, keys[0]), comingOf(s, keys[1]));
  return [s.now(), coming === ENDED_AT ? -1 : coming, entries];
}
