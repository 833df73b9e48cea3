/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.OBLITERATE`: the text of the refusal, empty when all is well. */
export function checkObliterate(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 2) return "ERR EMQ.OBLITERATE takes 2 keys";
  if (args.length !== 2) return "ERR wrong number of arguments for 'EMQ.OBLITERATE' command";
  if (args[0] !== "" && args[0] !== "force") return "ERR EMQ.OBLITERATE bad argument force";
  if (!s.int(args[1], 1, 1000)) return "ERR EMQ.OBLITERATE bad argument budget";
  const base = keys[1];
  if (!s.base(base) || keys[0] !== `${base}meta`) return "ERR EMQ.OBLITERATE keys do not match the wire-4 layout";
  return "";
}
