/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.SCHEDULE`: the text of the refusal, empty when all is well. */
export function checkSchedule(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 2) return "ERR EMQ.SCHEDULE takes 2 keys";
  if (args.length !== 4) return "ERR wrong number of arguments for 'EMQ.SCHEDULE' command";
  if (args[2] !== "at" && args[2] !== "in") return "ERR EMQ.SCHEDULE bad argument mode";
  if (!s.int(args[3], 0, 9007199254740991)) return "ERR EMQ.SCHEDULE bad argument ms";
  const base = keys[1].slice(0, -8);
  if (!s.base(base) || keys[0] !== `${base}job:${args[0]}` || keys[1] !== `${base}schedule`)
    return "ERR EMQ.SCHEDULE keys do not match the wire-4 layout";
  return "";
}
