/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";
import { badAdmitRow } from "../../step/admit-rows.ts";

/** Shape, values and layout of `EMQ.ADMIT`: the text of the refusal, empty when all is well. */
export function checkAdmit(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 2) return "ERR EMQ.ADMIT takes 2 keys";
  const bad = badAdmitRow(s, args, 0);
  if (bad !== "") return `ERR EMQ.ADMIT bad argument ${bad}`;
  const base = keys[0];
  if (!s.base(base) || keys[1] !== `${base}pending`) return "ERR EMQ.ADMIT keys do not match the wire-4 layout";
  return "";
}
