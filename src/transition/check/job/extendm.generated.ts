/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";
import { badPair } from "../../step/pairs.ts";

/** Shape, values and layout of `EMQ.EXTENDM`: the text of the refusal, empty when all is well. */
export function checkExtendm(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 2) return "ERR EMQ.EXTENDM takes 2 keys";
  if (args.length < 1) return "ERR wrong number of arguments for 'EMQ.EXTENDM' command";
  if (!s.int(args[0], 1, 2147483648)) return "ERR EMQ.EXTENDM bad argument lease_ms";
  const bad = badPair(s, args, 1);
  if (bad !== "") return `ERR EMQ.EXTENDM bad argument ${bad}`;
  const base = keys[1];
  if (!s.base(base) || keys[0] !== `${base}active`) return "ERR EMQ.EXTENDM keys do not match the wire-4 layout";
  return "";
}
