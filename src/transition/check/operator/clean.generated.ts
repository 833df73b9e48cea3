/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.CLEAN`: the text of the refusal, empty when all is well. */
export function checkClean(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 4) return "ERR EMQ.CLEAN takes 4 keys";
  if (args.length < 1) return "ERR wrong number of arguments for 'EMQ.CLEAN' command";
  if (
    args[0] !== "pending" &&
    args[0] !== "scheduled" &&
    args[0] !== "awaiting_children" &&
    args[0] !== "dead" &&
    args[0] !== "completed"
  )
    return "ERR EMQ.CLEAN bad argument state";
  if (args.length > 1001) return "ERR EMQ.CLEAN bad argument ids";
  const base = keys[3];
  if (!s.base(base) || keys[0] !== `${base}pending` || keys[1] !== `${base}schedule` || keys[2] !== `${base}dead`)
    return "ERR EMQ.CLEAN keys do not match the wire-4 layout";
  return "";
}
