/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";
import { badHold } from "../../step/flow-args.ts";

/** Shape, values and layout of `EMQ.HOLD`: the text of the refusal, empty when all is well. */
export function checkHold(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 3) return "ERR EMQ.HOLD takes 3 keys";
  if (args.length < 4) return "ERR wrong number of arguments for 'EMQ.HOLD' command";
  if (!s.int(args[0], 1, 1000)) return "ERR EMQ.HOLD bad argument n";
  const bad = badHold(s, args, 4);
  if (bad !== "") return `ERR EMQ.HOLD bad argument ${bad}`;
  const base = keys[2];
  if (!s.base(base) || keys[0] !== `${base}job:${args[2]}` || keys[1] !== `${base}pending`)
    return "ERR EMQ.HOLD keys do not match the wire-4 layout";
  return "";
}
