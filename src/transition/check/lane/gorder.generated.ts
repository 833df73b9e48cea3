/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.GORDER`: the text of the refusal, empty when all is well. */
export function checkGorder(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 7) return "ERR EMQ.GORDER takes 7 keys";
  if (args.length !== 2) return "ERR wrong number of arguments for 'EMQ.GORDER' command";
  if (!s.name(args[0])) return "ERR EMQ.GORDER bad argument group";
  if (args[1] !== "on" && args[1] !== "off") return "ERR EMQ.GORDER bad argument mode";
  const base = keys[6];
  if (
    !s.base(base) ||
    keys[0] !== `${base}gordered` ||
    keys[1] !== `${base}glimit` ||
    keys[2] !== `${base}gactive` ||
    keys[3] !== `${base}ring` ||
    keys[4] !== `${base}paused` ||
    keys[5] !== `${base}wake`
  )
    return "ERR EMQ.GORDER keys do not match the wire-4 layout";
  return "";
}
