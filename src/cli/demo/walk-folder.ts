/**
 * Walks a folder and finds its regular files.
 *
 * Links are never followed, so no loop can be entered and nothing outside the folder is touched. What cannot be read is
 * counted and passed over, because a live folder changes while it is walked. Entries come in the order of their names:
 * every process that walks the folder meets the files in the same order.
 */

import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { type SkipReason, skipReasonOf } from "./skips.ts";

/** The most files of one run; it bounds the memory of the walk and of an embedded queue. */
export const FILES_MAX = 1_000_000;

/** A regular file as the walk saw it. */
export interface FoundFile {
  readonly path: string;
  readonly bytes: number;
  /** Change time of the inode in Unix ms. */
  readonly changedAtMs: number;
}

/** Bounds of a walk, and who is told of what it leaves out. */
export interface WalkOptions {
  /** Told of everything that is left out. */
  readonly onSkip: (reason: SkipReason, path: string) => void;
  /** Ends the walk early, without an error. */
  readonly signal?: AbortSignal;
  /** Default {@link FILES_MAX}. */
  readonly filesMax?: number;
}

/** What Node.js puts where the bytes of a name are no UTF-8; such a name leads nowhere. */
const REPLACEMENT = "\ufffd";

/** The files below `folder`, in a fixed order. Throws only when `folder` itself cannot be read. */
export async function* walkFolder(folder: string, options: WalkOptions): AsyncGenerator<FoundFile> {
  const filesMax = options.filesMax ?? FILES_MAX;
  const waiting = [await entriesOf(folder)];
  let count = 0;
  for (let entries = waiting.at(-1); entries !== undefined; entries = waiting.at(-1)) {
    const entry = entries.pop();
    if (entry === undefined) {
      waiting.pop();
      continue;
    }
    if (options.signal?.aborted === true) return;
    if (entry.dirent.isDirectory()) {
      const inner = await entriesOf(entry.path).catch((error: unknown) => skip(error, entry.path, options));
      if (inner !== undefined) waiting.push(inner);
      continue;
    }
    const file = await fileOf(entry, options);
    if (file === undefined) continue;
    if (count === filesMax) return options.onSkip("limit", file.path);
    count++;
    yield file;
  }
}

interface Entry {
  readonly path: string;
  readonly dirent: Dirent;
}

/** The entries of a folder, last name first, so that the next one is taken off the end. */
async function entriesOf(folder: string): Promise<Entry[]> {
  const dirents = await readdir(folder, { withFileTypes: true });
  dirents.sort((a, b) => (a.name < b.name ? 1 : -1));
  return dirents.map((dirent) => ({ path: join(folder, dirent.name), dirent }));
}

async function fileOf(entry: Entry, options: WalkOptions): Promise<FoundFile | undefined> {
  const { path, dirent } = entry;
  if (dirent.isSymbolicLink()) return void options.onSkip("link", path);
  if (!dirent.isFile()) return void options.onSkip("special", path);
  try {
    const { size, ctimeMs } = await lstat(path);
    return { path, bytes: size, changedAtMs: Math.floor(ctimeMs) };
  } catch (error) {
    return skip(error, path, options);
  }
}

function skip(error: unknown, path: string, options: WalkOptions): undefined {
  const reason = skipReasonOf(error);
  options.onSkip(reason === "vanished" && path.includes(REPLACEMENT) ? "name" : reason, path);
}
