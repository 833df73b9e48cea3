/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.GREAP`: the text of the refusal, empty when all is well. */
export function checkGreap(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 2) return "ERR EMQ.GREAP takes 2 keys";
  if (args.length !== 2) return "ERR wrong number of arguments for 'EMQ.GREAP' command";
  if (!s.name(args[0])) return "ERR EMQ.GREAP bad argument group";
  if (!s.int(args[1], 0, 1000)) return "ERR EMQ.GREAP bad argument limit";
  const base = keys[1];
  if (!s.base(base) || keys[0] !== `${base}active`) return "ERR EMQ.GREAP keys do not match the wire-4 layout";
  return "";
}
