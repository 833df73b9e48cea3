/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";
import { badFlow } from "../../step/flow-args.ts";

/** Shape, values and layout of `EMQ.FLOW`: the text of the refusal, empty when all is well. */
export function checkFlow(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length < 3) return "ERR EMQ.FLOW takes 3 keys";
  if (args.length < 3) return "ERR wrong number of arguments for 'EMQ.FLOW' command";
  const bad = badFlow(s, args, 3);
  if (bad !== "") return `ERR EMQ.FLOW bad argument ${bad}`;
  const base = keys[2];
  if (!s.base(base) || keys[0] !== `${base}job:${args[1]}` || keys[1] !== `${base}pending`)
    return "ERR EMQ.FLOW keys do not match the wire-4 layout";
  for (let i = 3; i < keys.length; i += 1) {
    if (keys[i] !== `${base}job:${keys[i].slice(-14)}` || !s.branded(keys[i].slice(-14)))
      return "ERR EMQ.FLOW keys do not match the wire-4 layout";
  }
  return "";
}
