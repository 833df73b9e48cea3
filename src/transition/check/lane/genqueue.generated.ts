/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.GENQUEUE`: the text of the refusal, empty when all is well. */
export function checkGenqueue(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 7) return "ERR EMQ.GENQUEUE takes 7 keys";
  if (args.length !== 3) return "ERR wrong number of arguments for 'EMQ.GENQUEUE' command";
  if (!s.name(args[2])) return "ERR EMQ.GENQUEUE bad argument group";
  const base = keys[2].slice(0, -4);
  if (
    !s.base(base) ||
    keys[0] !== `${base}job:${args[0]}` ||
    keys[1] !== `${base}g:${args[2]}:pending` ||
    keys[2] !== `${base}ring` ||
    keys[3] !== `${base}paused` ||
    keys[4] !== `${base}glimit` ||
    keys[5] !== `${base}gactive` ||
    keys[6] !== `${base}wake`
  )
    return "ERR EMQ.GENQUEUE keys do not match the wire-4 layout";
  return "";
}
