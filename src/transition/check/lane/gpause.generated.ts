/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.GPAUSE`: the text of the refusal, empty when all is well. */
export function checkGpause(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 2) return "ERR EMQ.GPAUSE takes 2 keys";
  if (args.length !== 1) return "ERR wrong number of arguments for 'EMQ.GPAUSE' command";
  if (!s.name(args[0])) return "ERR EMQ.GPAUSE bad argument group";
  const base = keys[0].slice(0, -6);
  if (!s.base(base) || keys[0] !== `${base}paused` || keys[1] !== `${base}ring`)
    return "ERR EMQ.GPAUSE keys do not match the wire-4 layout";
  return "";
}
