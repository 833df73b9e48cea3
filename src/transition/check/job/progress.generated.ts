/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.PROGRESS`: the text of the refusal, empty when all is well. */
export function checkProgress(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 2) return "ERR EMQ.PROGRESS takes 2 keys";
  if (args.length < 2 || args.length > 3) return "ERR wrong number of arguments for 'EMQ.PROGRESS' command";
  if (args.length > 2 && !s.int(args[2], 0, 9007199254740991)) return "ERR EMQ.PROGRESS bad argument token";
  const base = keys[1];
  if (!s.base(base) || keys[0] !== `${base}job:${args[1]}`)
    return "ERR EMQ.PROGRESS keys do not match the wire-4 layout";
  return "";
}
