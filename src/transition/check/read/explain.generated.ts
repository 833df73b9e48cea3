/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.EXPLAIN`: the text of the refusal, empty when all is well. */
export function checkExplain(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 6) return "ERR EMQ.EXPLAIN takes 6 keys";
  if (args.length !== 1) return "ERR wrong number of arguments for 'EMQ.EXPLAIN' command";
  const base = keys[5];
  if (
    !s.base(base) ||
    keys[0] !== `${base}pending` ||
    keys[1] !== `${base}active` ||
    keys[2] !== `${base}schedule` ||
    keys[3] !== `${base}dead` ||
    keys[4] !== `${base}job:${args[0]}`
  )
    return "ERR EMQ.EXPLAIN keys do not match the wire-4 layout";
  return "";
}
