/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.REMOVE`: the text of the refusal, empty when all is well. */
export function checkRemove(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 6) return "ERR EMQ.REMOVE takes 6 keys";
  if (args.length < 2 || args.length > 3) return "ERR wrong number of arguments for 'EMQ.REMOVE' command";
  if (args[1] !== "" && !s.name(args[1])) return "ERR EMQ.REMOVE bad argument dedup";
  if (args.length > 2 && args[2] !== "force") return "ERR EMQ.REMOVE bad argument force";
  const base = keys[5];
  if (
    !s.base(base) ||
    keys[0] !== `${base}job:${args[0]}` ||
    keys[1] !== `${base}pending` ||
    keys[2] !== `${base}active` ||
    keys[3] !== `${base}schedule` ||
    keys[4] !== `${base}dead`
  )
    return "ERR EMQ.REMOVE keys do not match the wire-4 layout";
  return "";
}
