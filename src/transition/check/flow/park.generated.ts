/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.PARK`: the text of the refusal, empty when all is well. */
export function checkPark(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 3) return "ERR EMQ.PARK takes 3 keys";
  if (args.length < 3 || args.length > 6) return "ERR wrong number of arguments for 'EMQ.PARK' command";
  if (!s.int(args[1], 0, 9007199254740991)) return "ERR EMQ.PARK bad argument token";
  if (!s.int(args[2], 0, 9007199254740991)) return "ERR EMQ.PARK bad argument timeout_ms";
  if (args.length > 3 && !s.int(args[3], 0, 9007199254740991)) return "ERR EMQ.PARK bad argument dead_n";
  if (args.length > 4 && !s.int(args[4], 0, 9007199254740991)) return "ERR EMQ.PARK bad argument dead_ms";
  if (args.length > 5 && !s.int(args[5], 0, 9007199254740991)) return "ERR EMQ.PARK bad argument result_ms";
  const base = keys[2];
  if (!s.base(base) || keys[0] !== `${base}active` || keys[1] !== `${base}job:${args[0]}`)
    return "ERR EMQ.PARK keys do not match the wire-4 layout";
  return "";
}
