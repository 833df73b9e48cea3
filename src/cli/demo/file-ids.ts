/**
 * The id of a file's job: the same from every process that sees the same file, another as soon as the file changes.
 *
 *     timestamp (41 bits)               node and sequence (22 bits)
 *     when the file changed, in ms      a hash of its path
 *
 * So two processes that walk one folder admit each file once, because the second gets `duplicate`, and jobs run in the
 * order in which their files changed. The change time is that of the inode, which unpacking sets, and not that of the
 * content, which npm sets to one instant of 1985 for every file of every package.
 *
 * Files of one millisecond share the 22 bits, where two of a thousand meet with a chance of one in ten. Whoever comes
 * second in the order of the walk takes the next free place; the walk is sorted, so every process decides the same.
 */

import { createHash } from "node:crypto";
import { encodeId, ID_EPOCH_MS, NODE_BITS, SEQUENCE_BITS } from "../../protocol/id.ts";

const PATH_BITS = BigInt(NODE_BITS + SEQUENCE_BITS);

/** Bits of a hash that stand for the instant of a file from before the epoch of ids. */
const SPREAD_BITS = 31;

/** The last instant of 41 bits, in ms since the epoch of ids. */
const TIMESTAMP_MAX = 2 ** 41 - 1;

/** Gives out the ids of one walk. */
export class FileIds {
  /** Grows with the walk, which is bounded. */
  readonly #taken = new Set<bigint>();

  /** The id for a file; `changedAtMs` is its inode's change time in Unix ms, fractions cut off. */
  idOf(path: string, changedAtMs: number): string {
    const hash = createHash("sha256").update(path).digest().readBigUInt64BE();
    const pathPart = BigInt.asUintN(Number(PATH_BITS), hash);
    let value = (instantOf(changedAtMs, hash) << PATH_BITS) | pathPart;
    while (this.#taken.has(value)) value = BigInt.asUintN(63, value + 1n);
    this.#taken.add(value);
    return encodeId("JOB", value);
  }
}

/**
 * The timestamp bits. An instant that they cannot hold is replaced by one from the path, within the first 25 days of
 * the epoch, so that the old files of an archive do not all crowd into the millisecond 0.
 */
function instantOf(changedAtMs: number, hash: bigint): bigint {
  const ms = Math.floor(changedAtMs) - ID_EPOCH_MS;
  return ms >= 0 && ms <= TIMESTAMP_MAX ? BigInt(ms) : hash >> BigInt(64 - SPREAD_BITS);
}
