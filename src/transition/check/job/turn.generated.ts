/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";
import { badSettlement } from "../../step/settlements.ts";

/** Shape, values and layout of `EMQ.TURN`: the text of the refusal, empty when all is well. */
export function checkTurn(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 5) return "ERR EMQ.TURN takes 5 keys";
  if (args.length < 3) return "ERR wrong number of arguments for 'EMQ.TURN' command";
  if (!s.int(args[1], 1, 2147483648)) return "ERR EMQ.TURN bad argument lease_ms";
  if (!s.int(args[2], 0, 1000)) return "ERR EMQ.TURN bad argument want";
  const bad = badSettlement(s, args, 3);
  if (bad !== "") return `ERR EMQ.TURN bad argument ${bad}`;
  const base = keys[4];
  if (
    !s.base(base) ||
    keys[0] !== `${base}pending` ||
    keys[1] !== `${base}active` ||
    keys[2] !== `${base}schedule` ||
    keys[3] !== `${base}wake`
  )
    return "ERR EMQ.TURN keys do not match the wire-4 layout";
  return "";
}
