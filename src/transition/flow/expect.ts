/**
 * `EXPECT`: tells a parent of children, at run time by its holder or while it waits.
 *
 * A child that the parent knows is not counted again, and one that has ended meanwhile is not open. So the children may
 * land before their parent is told of them, and the act may be repeated.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkExpect } from "../check/flow/expect.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { CHILDREN_MAX, childEntry } from "../step/child-list.ts";
import { CONTINUE, FORGET } from "../step/kin.ts";
import { FORGOTTEN, isForgotten, openIn } from "../step/parent.ts";
import { isCurrent } from "../step/settle.ts";

/** Tells of one child, at `at`. Answers 0 when it has ended, 1 when it is open, 2 when it is open and new. */
function expectOne(s: Server, base: Bytes, row: Bytes, args: Bytes[], at: number): number {
  const call = s.call;
  const id = args[at];
  const policy = args[at + 2];
  const children = `${row}:children`;
  const known = call("HGET", children, id);
  if (isForgotten(s, known)) return 0;
  const isIgnored = call("HEXISTS", `${row}:unsuccessful`, id) === 1;
  const hasEnded = isIgnored || call("HEXISTS", `${row}:processed`, id) === 1;
  if (known === false && isIgnored && policy === FORGET) {
    call("HDEL", `${row}:unsuccessful`, id);
    const entry = childEntry(base, args, at, args[at + 3], args[at + 4]);
    call("HSET", children, id, FORGOTTEN + entry.slice(2));
    return 0;
  }
  if (known === false || args[at + 3] !== "")
    call("HSET", children, id, childEntry(base, args, at, args[at + 3], args[at + 4]));
  if (known === false && isIgnored && policy === CONTINUE) call("HSET", row, "eager", "1");
  if (hasEnded) return 0;
  return known === false ? 2 : 1;
}

/**
 * The children of the call that a parent knows and that have not ended, for one that does not wait now: it runs, or is
 * going to, before all of them have ended, and may come to wait for the others.
 */
function openOnes(s: Server, row: Bytes, args: Bytes[]): Bytes[] {
  const call = s.call;
  const open: Bytes[] = [];
  for (let at = 2; at < args.length; at += 5) {
    const id = args[at];
    const known = call("HGET", `${row}:children`, id);
    let isOpen = known !== false && !isForgotten(s, known);
    for (const side of ["processed", "unsuccessful", "failed"]) {
      if (isOpen && call("HEXISTS", `${row}:${side}`, id) === 1) isOpen = false;
    }
    if (isOpen) open[open.length] = id;
  }
  return open;
}

/** Keys: row, base. Arguments: id, token or empty, children. Answers those that are open, 0 or -1. */
export function expect(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkExpect(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const row = keys[0];
  const base = keys[1];
  const token = args[1];
  const fields = call("HMGET", row, "attempts", "state");
  if (fields[0] === false) return -1;
  if (token !== "" && !isCurrent(fields[0], token)) return s.error("EMQSTALE expect token mismatch");
  if (token !== "" && fields[1] !== "active") return s.error("EMQSTATE job is not active");
  if (token === "" && fields[1] !== "awaiting_children") {
    return fields[1] === "dead" || fields[1] === "completed" ? 0 : openOnes(s, row, args);
  }
  const stop = args.length;
  if (call("HLEN", `${row}:children`) + (stop - 2) / 5 > CHILDREN_MAX) return s.error("EMQFULL children of a job");
  let left = openIn(s, call("GET", `${row}:dependencies`));
  call("HLEN", `${row}:processed`);
  call("HLEN", `${row}:unsuccessful`);
  const open: Bytes[] = [];
  for (let at = 2; at < stop; at += 5) {
    const found = expectOne(s, base, row, args, at);
    if (found > 0) open[open.length] = args[at];
    if (found === 2) left += 1;
  }
  call("SET", `${row}:dependencies`, left);
  return open;
}
