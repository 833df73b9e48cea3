/** Pairs of id and token that follow the fixed arguments of a verb. */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { NUMBER_MAX } from "./bound.ts";

/** Pairs of one act, at most. */
const PAIRS_MAX = 1000;

/** The name of the first bad argument from position `from` on, empty when all pairs are well formed. */
export function badPair(s: Server, args: Bytes[], from: number): Bytes {
  const stop = args.length;
  if (stop - from > PAIRS_MAX * 2) return "id";
  let at = from;
  while (at < stop) {
    if (at + 1 >= stop || !s.int(args[at + 1], 0, NUMBER_MAX)) return "token";
    at += 2;
  }
  return "";
}
