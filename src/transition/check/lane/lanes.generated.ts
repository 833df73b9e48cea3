/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.LANES`: the text of the refusal, empty when all is well. */
export function checkLanes(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 2) return "ERR EMQ.LANES takes 2 keys";
  if (args.length !== 2) return "ERR wrong number of arguments for 'EMQ.LANES' command";
  if (args[0] !== "" && !s.name(args[0])) return "ERR EMQ.LANES bad argument cursor";
  if (!s.int(args[1], 1, 1000)) return "ERR EMQ.LANES bad argument n";
  const base = keys[1];
  if (!s.base(base) || keys[0] !== `${base}ring`) return "ERR EMQ.LANES keys do not match the wire-4 layout";
  return "";
}
