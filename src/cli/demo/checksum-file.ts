/**
 * The checksum of one file, read in pieces.
 *
 * Between the walk and the reading anything may have happened to the file, so it is opened without following a link and
 * without waiting for a pipe, and is asked again what it is. The memory used does not depend on its size.
 */

import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { type SkipReason, skipReasonOf } from "./skips.ts";

/** What became of a file. */
export type FileResult =
  | { readonly sha256: string; readonly bytes: number }
  | { readonly skipped: SkipReason; readonly bytes?: never };

/** Bytes of one read. */
const PIECE_BYTES = 256 * 1024;

/** A file that tells no size (as in `/proc`) or grows without end is read up to here, or up to its size when opened. */
const UNSIZED_BYTES_MAX = 16 * 2 ** 20;

/**
 * The SHA-256 of a file in hexadecimal, or why there is none: it vanished, or it is no regular file any more.
 *
 * @throws the file system's own error when it may not be read; the reason of the signal when that fires.
 */
export async function checksumFile(path: string, signal: AbortSignal): Promise<FileResult> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch((error: unknown) => {
    if (skipReasonOf(error) === "unreadable") throw error;
    return skipReasonOf(error);
  });
  if (typeof file === "string") return { skipped: file };
  try {
    const stat = await file.stat();
    if (!stat.isFile()) return { skipped: "special" };
    const bytesMax = Math.max(stat.size, UNSIZED_BYTES_MAX);
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, stat.size + 1));
    const hash = createHash("sha256");
    for (let bytes = 0; ; ) {
      signal.throwIfAborted();
      const { bytesRead } = await file.read(piece, 0, Math.min(piece.length, bytesMax - bytes));
      if (bytesRead === 0) return { sha256: hash.digest("hex"), bytes };
      hash.update(piece.subarray(0, bytesRead));
      bytes += bytesRead;
    }
  } finally {
    await file.close();
  }
}
