/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.EXTEND`: the text of the refusal, empty when all is well. */
export function checkExtend(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 2) return "ERR EMQ.EXTEND takes 2 keys";
  if (args.length !== 3) return "ERR wrong number of arguments for 'EMQ.EXTEND' command";
  if (!s.int(args[1], 0, 9007199254740991)) return "ERR EMQ.EXTEND bad argument token";
  if (!s.int(args[2], 1, 2147483648)) return "ERR EMQ.EXTEND bad argument lease_ms";
  const base = keys[0].slice(0, -6);
  if (!s.base(base) || keys[0] !== `${base}active` || keys[1] !== `${base}job:${args[0]}`)
    return "ERR EMQ.EXTEND keys do not match the wire-4 layout";
  return "";
}
