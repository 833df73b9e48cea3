/**
 * `HOLD`: admits a parent that waits for children which are going to land by `CHILD`, in this queue or in others.
 *
 * It comes before its children, so none can end before the parent counts it. A parent that exists is left as it is; it
 * is linked to the parents of the call if it is not yet, which lets a flow be added again that broke half-way.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { checkHold } from "../check/flow/hold.generated.ts";
import type { Server, TransitionReply } from "../server.ts";
import { writePairs } from "../step/bulk.ts";
import { childEntry } from "../step/child-list.ts";
import { heardBy } from "../step/event.ts";
import { tellAdded, widthOfJob, writeParent } from "../step/flow-job.ts";
import { addParent, linkExisting, linkFields } from "../step/link.ts";
import { isJobId, NO_JOB_ID } from "../step/row.ts";

/** Where the links to parents stand, the first of them behind the job at `from`. */
function linksOf(args: Bytes[], from: number): number[] {
  const links: number[] = [];
  const stop = args.length;
  if (from < stop && args[from] !== "") links[0] = from;
  for (let at = from + 3; at < stop; at += 5) if (args[at] === "p") links[links.length] = at + 1;
  return links;
}

/** The children that the call names, and what is kept of each. */
function childrenOf(base: Bytes, args: Bytes[], from: number): Bytes[] {
  const pairs: Bytes[] = [];
  const stop = args.length;
  for (let at = from + 3; at < stop; at += 5) {
    if (args[at] === "c") {
      pairs[pairs.length] = args[at + 1];
      pairs[pairs.length] = childEntry(base, args, at + 1, "", args[at + 4]);
    }
  }
  return pairs;
}

/** Keys: row, pending, base. Arguments: n, job, link, groups. Answers 1, or 0 when the job exists. */
export function hold(s: Server, keys: Bytes[], args: Bytes[]): TransitionReply {
  const refusal = checkHold(s, keys, args);
  if (refusal !== "") return s.error(refusal);
  const call = s.call;
  const base = keys[2];
  const id = args[2];
  if (!isJobId(id)) return s.error(NO_JOB_ID);
  const from = 1 + widthOfJob(args[1]);
  const links = linksOf(args, from);
  if (call("EXISTS", keys[0]) === 1) {
    const full = links.length > 0 ? linkExisting(s, base, id, args, links, id) : "";
    return full === "" ? 0 : s.error(full);
  }
  call("ZCARD", `${base}awaiting`);
  call("ZCARD", `${base}ttl`);
  if (heardBy(s, base) > 0) tellAdded(s, base, args, 1, "awaiting_children");
  const first: Bytes[] = links.length > 0 ? linkFields(base, args, links[0], "") : [];
  writeParent(s, base, args, 1, first, s.num(args[0]));
  for (let i = 1; i < links.length; i += 1) addParent(s, base, keys[0], args, links[i], "");
  writePairs(s, `${keys[0]}:children`, childrenOf(base, args, from));
  return 1;
}
