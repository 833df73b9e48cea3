/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.SWEEP`: the text of the refusal, empty when all is well. */
export function checkSweep(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 4) return "ERR EMQ.SWEEP takes 4 keys";
  if (args.length < 2 || args.length > 5) return "ERR wrong number of arguments for 'EMQ.SWEEP' command";
  if (!s.int(args[0], 0, 2147483648)) return "ERR EMQ.SWEEP bad argument max_stalled";
  if (!s.int(args[1], 0, 1000)) return "ERR EMQ.SWEEP bad argument limit";
  if (args.length > 2 && !s.int(args[2], 0, 9007199254740991)) return "ERR EMQ.SWEEP bad argument dead_n";
  if (args.length > 3 && !s.int(args[3], 0, 9007199254740991)) return "ERR EMQ.SWEEP bad argument dead_ms";
  if (args.length > 4 && !s.int(args[4], 0, 9007199254740991)) return "ERR EMQ.SWEEP bad argument result_ms";
  const base = keys[3];
  if (!s.base(base) || keys[0] !== `${base}active` || keys[1] !== `${base}pending` || keys[2] !== `${base}dead`)
    return "ERR EMQ.SWEEP keys do not match the wire-4 layout";
  return "";
}
