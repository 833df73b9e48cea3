/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";

/** Shape, values and layout of `EMQ.REVIVE`: the text of the refusal, empty when all is well. */
export function checkRevive(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 3) return "ERR EMQ.REVIVE takes 3 keys";
  if (args.length > 1000) return "ERR EMQ.REVIVE bad argument ids";
  const base = keys[2];
  if (!s.base(base) || keys[0] !== `${base}dead` || keys[1] !== `${base}pending`)
    return "ERR EMQ.REVIVE keys do not match the wire-4 layout";
  return "";
}
