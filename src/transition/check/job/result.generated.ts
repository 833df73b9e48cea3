/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.RESULT`: the text of the refusal, empty when all is well. */
export function checkResult(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 2) return "ERR EMQ.RESULT takes 2 keys";
  if (args.length !== 2) return "ERR wrong number of arguments for 'EMQ.RESULT' command";
  if (!s.int(args[1], 0, 2147483648)) return "ERR EMQ.RESULT bad argument wait_ms";
  const base = keys[1];
  if (!s.base(base) || keys[0] !== `${base}job:${args[0]}`) return "ERR EMQ.RESULT keys do not match the wire-4 layout";
  return "";
}
