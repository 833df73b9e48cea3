/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.RETRY`: the text of the refusal, empty when all is well. */
export function checkRetry(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 5) return "ERR EMQ.RETRY takes 5 keys";
  if (args.length < 5 || args.length > 8) return "ERR wrong number of arguments for 'EMQ.RETRY' command";
  if (!s.int(args[1], 0, 9007199254740991)) return "ERR EMQ.RETRY bad argument token";
  if (!s.int(args[2], 0, 9007199254740991)) return "ERR EMQ.RETRY bad argument delay_ms";
  if (!s.int(args[3], 0, 2147483648)) return "ERR EMQ.RETRY bad argument max_attempts";
  if (args.length > 5 && !s.int(args[5], 0, 9007199254740991)) return "ERR EMQ.RETRY bad argument dead_n";
  if (args.length > 6 && !s.int(args[6], 0, 9007199254740991)) return "ERR EMQ.RETRY bad argument dead_ms";
  if (args.length > 7 && !s.int(args[7], 0, 9007199254740991)) return "ERR EMQ.RETRY bad argument result_ms";
  const base = keys[4];
  if (
    !s.base(base) ||
    keys[0] !== `${base}active` ||
    keys[1] !== `${base}schedule` ||
    keys[2] !== `${base}dead` ||
    keys[3] !== `${base}job:${args[0]}`
  )
    return "ERR EMQ.RETRY keys do not match the wire-4 layout";
  return "";
}
