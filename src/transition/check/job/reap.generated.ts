/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.REAP`: the text of the refusal, empty when all is well. */
export function checkReap(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 3) return "ERR EMQ.REAP takes 3 keys";
  if (args.length !== 1) return "ERR wrong number of arguments for 'EMQ.REAP' command";
  if (!s.int(args[0], 0, 1000)) return "ERR EMQ.REAP bad argument limit";
  const base = keys[2];
  if (!s.base(base) || keys[0] !== `${base}active` || keys[1] !== `${base}pending`)
    return "ERR EMQ.REAP keys do not match the wire-4 layout";
  return "";
}
