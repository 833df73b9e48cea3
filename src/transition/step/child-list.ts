/**
 * `:children` of a parent: every child that it was told of, each with policy, queue, perhaps the job that stands for it
 * and perhaps the name by which its parent asks for it, parted by NUL.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { queueOf } from "./kin.ts";

/** Children that a parent may be told of. */
export const CHILDREN_MAX = 10000;

/** Fields and values of one call. */
const SPREAD_MAX = 400;

/**
 * What is kept of a child whose id, queue and policy stand at `at`. `job` stands for it, and `key` names it; each empty
 * for none.
 */
export function childEntry(base: Bytes, args: Bytes[], at: number, job: Bytes, key: Bytes): Bytes {
  const queue = args[at + 1] === queueOf(base) ? "" : args[at + 1];
  const entry = `${args[at + 2]}\0${queue}`;
  if (key !== "") return `${entry}\0${job}\0${key}`;
  return job === "" ? entry : `${entry}\0${job}`;
}

/** Writes fields and values in turn into a hash, by as few calls as can be spread. */
export function writePairs(s: Server, key: Bytes, pairs: Bytes[]): void {
  let part: Bytes[] = [];
  const stop = pairs.length;
  for (let i = 0; i < stop; i += 1) {
    part[part.length] = pairs[i];
    if (part.length >= SPREAD_MAX || i === stop - 1) {
      s.call("HSET", key, ...part);
      part = [];
    }
  }
}
