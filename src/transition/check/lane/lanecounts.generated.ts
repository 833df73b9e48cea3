/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.LANECOUNTS`: the text of the refusal, empty when all is well. */
export function checkLanecounts(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 2) return "ERR EMQ.LANECOUNTS takes 2 keys";
  if (args.length > 1000) return "ERR EMQ.LANECOUNTS bad argument group";
  for (let i = 0; i < args.length; i += 1) {
    if (!s.name(args[i])) return "ERR EMQ.LANECOUNTS bad argument group";
  }
  const base = keys[1];
  if (!s.base(base) || keys[0] !== `${base}ring`) return "ERR EMQ.LANECOUNTS keys do not match the wire-4 layout";
  return "";
}
