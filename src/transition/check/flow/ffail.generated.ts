/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.FFAIL`: the text of the refusal, empty when all is well. */
export function checkFfail(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 5) return "ERR EMQ.FFAIL takes 5 keys";
  if (args.length !== 4) return "ERR wrong number of arguments for 'EMQ.FFAIL' command";
  if (args[2] !== "fp" && args[2] !== "id") return "ERR EMQ.FFAIL bad argument policy";
  const base = keys[4];
  if (
    !s.base(base) ||
    keys[0] !== `${base}job:${args[3]}:dependencies` ||
    keys[1] !== `${base}job:${args[3]}:failed` ||
    keys[2] !== `${base}job:${args[3]}:unsuccessful` ||
    keys[3] !== `${base}job:${args[3]}`
  )
    return "ERR EMQ.FFAIL keys do not match the wire-4 layout";
  return "";
}
