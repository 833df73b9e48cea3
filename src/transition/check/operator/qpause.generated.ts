/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.QPAUSE`: the text of the refusal, empty when all is well. */
export function checkQpause(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 1) return "ERR EMQ.QPAUSE takes 1 keys";
  if (args.length !== 0) return "ERR wrong number of arguments for 'EMQ.QPAUSE' command";
  const base = keys[0].slice(0, -4);
  if (!s.base(base) || keys[0] !== `${base}meta`) return "ERR EMQ.QPAUSE keys do not match the wire-4 layout";
  return "";
}
