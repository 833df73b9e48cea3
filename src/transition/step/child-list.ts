/**
 * `:children` of a parent: every child that it was told of, each with policy, queue, perhaps the job that stands for it
 * and perhaps the name by which its parent asks for it, parted by NUL.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import { queueOf } from "./kin.ts";

/** Children that a parent may be told of. */
export const CHILDREN_MAX = 10000;

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
