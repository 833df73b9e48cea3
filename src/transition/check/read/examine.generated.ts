/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.EXAMINE`: the text of the refusal, empty when all is well. */
export function checkExamine(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 2) return "ERR EMQ.EXAMINE takes 2 keys";
  if (args.length < 3) return "ERR wrong number of arguments for 'EMQ.EXAMINE' command";
  if (args[0] !== "" && !s.name(args[0])) return "ERR EMQ.EXAMINE bad argument lane";
  if (args[1] !== "" && !s.name(args[1])) return "ERR EMQ.EXAMINE bad argument dedup";
  if (!s.int(args[2], 0, 1)) return "ERR EMQ.EXAMINE bad argument count";
  const base = keys[1];
  if (!s.base(base) || keys[0] !== `${base}pending`) return "ERR EMQ.EXAMINE keys do not match the wire-4 layout";
  return "";
}
