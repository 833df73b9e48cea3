/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Bytes } from "../../../protocol/bytes.ts";
import type { Server } from "../../server.ts";
import { badChild } from "../../step/flow-args.ts";

/** Shape, values and layout of `EMQ.CHILD`: the text of the refusal, empty when all is well. */
export function checkChild(s: Server, keys: Bytes[], args: Bytes[]): Bytes {
  if (keys.length !== 3) return "ERR EMQ.CHILD takes 3 keys";
  if (args.length < 6) return "ERR wrong number of arguments for 'EMQ.CHILD' command";
  if (args[1] !== "" && !s.name(args[1])) return "ERR EMQ.CHILD bad argument parent_queue";
  if (args[2] !== "fp" && args[2] !== "id" && args[2] !== "co" && args[2] !== "rm")
    return "ERR EMQ.CHILD bad argument policy";
  const bad = badChild(s, args, 6);
  if (bad !== "") return `ERR EMQ.CHILD bad argument ${bad}`;
  const base = keys[2];
  if (!s.base(base) || keys[0] !== `${base}job:${args[4]}` || keys[1] !== `${base}pending`)
    return "ERR EMQ.CHILD keys do not match the wire-4 layout";
  return "";
}
