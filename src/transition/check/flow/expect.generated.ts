/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";
import { badExpect } from "../../step/flow-args.ts";

/** Shape, values and layout of `EMQ.EXPECT`: the text of the refusal, empty when all is well. */
export function checkExpect(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 2) return "ERR EMQ.EXPECT takes 2 keys";
  if (args.length < 2) return "ERR wrong number of arguments for 'EMQ.EXPECT' command";
  const bad = badExpect(s, args, 2);
  if (bad !== "") return `ERR EMQ.EXPECT bad argument ${bad}`;
  const base = keys[1];
  if (!s.base(base) || keys[0] !== `${base}job:${args[0]}`) return "ERR EMQ.EXPECT keys do not match the wire-4 layout";
  return "";
}
