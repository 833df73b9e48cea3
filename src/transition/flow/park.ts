/**
 * `PARK`: lets an active parent wait for its open children. It holds no slot meanwhile, and spends no attempt.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkPark } from "../check/flow/park.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { dueIn } from "../step/bound.ts";
import { heardBy } from "../step/event.ts";
import { hasCeiling } from "../step/limit.ts";
import { openIn } from "../step/parent.ts";
import { kill } from "../step/put-back.ts";
import { deadTerms } from "../step/retain.ts";
import { countOf } from "../step/row.ts";
import { endLease, judge, readHolder } from "../step/settle.ts";
import { readPlace } from "../step/waiting.ts";
import { isOpen, pushIfClaimable, pushIfHead } from "../step/wake.ts";

/** The error of a child that ends its parent, empty when none has. */
function failureOf(s: Server, row: Bytes): Bytes[] {
  return s.call("HLEN", `${row}:failed`) === 0 ? [] : s.call("HGETALL", `${row}:failed`);
}

/** Lets the parent wait, for `timeout` ms at most, 0 for as long as it takes. */
function waitForChildren(s: Server, base: Bytes, id: Bytes, holder: (Bytes | false)[], timeout: number): void {
  const call = s.call;
  const row = `${base}job:${id}`;
  call("ZCARD", `${base}awaiting`);
  call("ZCARD", `${base}schedule`);
  readPlace(s, base, holder[3]);
  endLease(s, base, id, holder);
  call("HSET", row, "state", "awaiting_children", "deferred", countOf(s, holder[6]) + 1);
  call("ZADD", `${base}awaiting`, s.now(), id);
  if (timeout === 0) {
    call("HDEL", row, "wait_until");
  } else {
    call("HSET", row, "wait_until", dueIn(s, timeout));
    call("ZADD", `${base}schedule`, dueIn(s, timeout), id);
  }
}

/**
 * Keys: active, row, base. Arguments: id, token, timeout_ms, perhaps dead_n, dead_ms and result_ms. Answers 1 parked, 0
 * nothing to wait for, or `dead`.
 */
export function park(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkPark(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const id = args[0];
  const row = keys[1];
  const base = keys[2];
  const holder = readHolder(s, row);
  const verdict = judge(holder, args[1], "EMQSTALE job gone", "EMQSTALE park token mismatch");
  if (verdict !== "") return s.error(verdict);
  const open = isOpen(s, base);
  const frees = holder[3] !== false || hasCeiling(s, base);
  const failure = failureOf(s, row);
  if (failure.length > 0) {
    const terms = deadTerms(s, args, 3);
    terms.heard = heardBy(s, base);
    kill(s, base, id, holder, failure[1], terms);
    if (terms.deadCount > 0) call("HSET", row, "failed_child", failure[0]);
    if (frees) pushIfClaimable(s, base, open);
    return "dead";
  }
  const left = openIn(s, call("GET", `${row}:dependencies`));
  // It says so for one wait, also where nothing is open.
  if (call("HDEL", row, "eager") === 1 || left === 0) {
    // The time of an earlier rest is for that rest: the next wait has its own, or none.
    call("HDEL", row, "wait_until");
    return 0;
  }
  waitForChildren(s, base, id, holder, s.num(args[2]));
  if (frees) pushIfClaimable(s, base, open);
  pushIfHead(s, base, id);
  return 1;
}
