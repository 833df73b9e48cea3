/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.GRESUME`: the text of the refusal, empty when all is well. */
export function checkGresume(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 6) return "ERR EMQ.GRESUME takes 6 keys";
  if (args.length !== 1) return "ERR wrong number of arguments for 'EMQ.GRESUME' command";
  if (!s.name(args[0])) return "ERR EMQ.GRESUME bad argument group";
  const base = keys[5];
  if (
    !s.base(base) ||
    keys[0] !== `${base}paused` ||
    keys[1] !== `${base}ring` ||
    keys[2] !== `${base}glimit` ||
    keys[3] !== `${base}gactive` ||
    keys[4] !== `${base}wake`
  )
    return "ERR EMQ.GRESUME keys do not match the wire-4 layout";
  return "";
}
