/**
 * `SWEEP`: takes back lapsed leases, ends jobs that lapsed too often or did not begin in time, and takes away kept jobs
 * whose time is over.
 *
 * It pushes whenever the queue is claimable, whatever it took back, so that a sweep finds a job of a foreign producer,
 * and mends a lost token, as a `TURN` does; it pushes as well when a job has fallen due in a queue that is not paused,
 * since whoever kept time may have died. So an idle worker may sweep in place of asking.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkSweep } from "../check/job/sweep.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { takeBack } from "../step/lapse.ts";
import { repeatIn } from "../step/repeat-record.ts";
import { deadTerms, dropExpired, findExpired } from "../step/retain.ts";
import { endUntimely, findUntimely } from "../step/ttl.ts";
import { isOpen, push, pushIfClaimable } from "../step/wake.ts";

/** Whether a job of the schedule, or the end of a limit's rest, has fallen due. */
function isDue(s: Server, base: Bytes): boolean {
  const call = s.call;
  if (call("ZRANGEBYSCORE", `${base}schedule`, "-inf", s.now(), "LIMIT", 0, 1).length > 0) return true;
  return call("ZRANGEBYSCORE", `${base}rest`, "-inf", s.now(), "LIMIT", 0, 1).length > 0;
}

/** How many leases of `limit` have lapsed, which come first; not counted where nothing else asks for the rest. */
function lapsedCount(s: Server, active: Bytes, base: Bytes, limit: number): number {
  if (s.call("ZCARD", `${base}ttl`) === 0) return limit;
  return Math.min(limit, s.call("ZCOUNT", active, "-inf", s.now()));
}

/**
 * Keys: active, pending, dead, base. Arguments: max_stalled, limit, perhaps dead_n, dead_ms and result_ms. Answers
 * recovered ids, dead ids; with the terms also how many kept jobs whose time was over it looked at, within the limit,
 * how many leases were dropped because their job was gone or not active, whether a token lies in the wake list
 * now, which says to whoever hears no token that there may be work, the ids of the jobs that are dead because they did
 * not begin in time, how many entries of `ttl` it looked at, whether the outbox holds signals to be delivered, and how
 * long it is until a repeat occurs, -1 for none.
 */
export function sweep(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkSweep(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const base = keys[3];
  const wake = `${base}wake`;
  const open = isOpen(s, base);
  const limit = s.num(args[1]);
  const due = isDue(s, base);
  const repeats = args.length > 2 && s.call("EXISTS", `${base}repeat`, `${base}cron`) > 0 ? repeatIn(s, base) : -1;
  const expired = findExpired(s, base, args.length > 2 ? limit : 0);
  const terms = deadTerms(s, args, 2);
  const untimely = findUntimely(s, base, args.length > 2 ? limit - lapsedCount(s, keys[0], base, limit) : 0, terms);
  const lapsed = takeBack(s, keys[0], base, s.num(args[0]), limit, terms);
  const overdue = endUntimely(s, base, untimely, terms);
  if (open && due) push(s, wake);
  else pushIfClaimable(s, base, open);
  if (args.length === 2) return [lapsed.recovered, lapsed.dead];
  const looked = lapsed.recovered.length + lapsed.dead.length + lapsed.dropped;
  const gone = dropExpired(s, base, expired, limit - looked - untimely.ids.length);
  const outbox = `${base}flow:outbox`;
  const found = s.call("EXISTS", wake, outbox, outbox);
  const signals = found >= 2 ? 1 : 0;
  const tokens = found - signals * 2;
  const looks = untimely.ids.length;
  return [lapsed.recovered, lapsed.dead, gone, lapsed.dropped, tokens, overdue, looks, signals, repeats];
}
