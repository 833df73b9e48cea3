/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.ENQUEUE`: the text of the refusal, empty when all is well. */
export function checkEnqueue(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 2) return "ERR EMQ.ENQUEUE takes 2 keys";
  if (args.length !== 2) return "ERR wrong number of arguments for 'EMQ.ENQUEUE' command";
  const base = keys[1].slice(0, -7);
  if (!s.base(base) || keys[0] !== `${base}job:${args[0]}` || keys[1] !== `${base}pending`)
    return "ERR EMQ.ENQUEUE keys do not match the wire-4 layout";
  return "";
}
