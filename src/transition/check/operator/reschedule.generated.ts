/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.RESCHEDULE`: the text of the refusal, empty when all is well. */
export function checkReschedule(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 3) return "ERR EMQ.RESCHEDULE takes 3 keys";
  if (args.length !== 3) return "ERR wrong number of arguments for 'EMQ.RESCHEDULE' command";
  if (args[1] !== "in" && args[1] !== "at") return "ERR EMQ.RESCHEDULE bad argument mode";
  if (!s.int(args[2], 0, 9007199254740991)) return "ERR EMQ.RESCHEDULE bad argument ms";
  const base = keys[2];
  if (!s.base(base) || keys[0] !== `${base}job:${args[0]}` || keys[1] !== `${base}schedule`)
    return "ERR EMQ.RESCHEDULE keys do not match the wire-4 layout";
  return "";
}
