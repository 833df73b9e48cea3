/**
 * The names of a store's files, and what else may lie in its folder.
 *
 *     journal-000007.emq    what was written since the beginning of journal 7
 *     snapshot-000007.emq   the keyspace at the beginning of journal 7
 *     *.new                 a file that is being made; worth nothing
 *     *.cut                 bytes that a repair or an opening took away
 *     lock-000003           who has the folder open; see folder-lock.ts
 */

import type { FileKind } from "./record-format.ts";

const DIGITS = 6;
const NAME = /^(journal|snapshot)-(\d{6,15})\.emq$/;
const LOCK = /^lock-(\d{6,15})$/;
const PASSING = /^(?:journal|snapshot)-\d{6,15}(?:\.emq)?(?:-\d+)?\.(?:new|cut)$/;

/** Names that systems leave in folders of their own accord. */
const IGNORED = /^(?:\.|lost\+found$|desktop\.ini$|Thumbs\.db$)/i;

/** The name of a file of the store. */
export function storeFileName(kind: FileKind, number: number): string {
  return `${kind}-${String(number).padStart(DIGITS, "0")}.emq`;
}

/** The name of a lock. */
export function lockName(number: number): string {
  return `lock-${String(number).padStart(DIGITS, "0")}`;
}

/** What lies in a folder, each list in rising order. */
export interface FolderContent {
  readonly journals: readonly number[];
  readonly snapshots: readonly number[];
  readonly locks: readonly number[];
  /** Files that were being made when the process ended. */
  readonly unfinished: readonly string[];
  /** Names that are not a store's. */
  readonly foreign: readonly string[];
}

/** Sorts the names of a folder. */
export function sortNames(names: readonly string[]): FolderContent {
  const journals: number[] = [];
  const snapshots: number[] = [];
  const locks: number[] = [];
  const unfinished: string[] = [];
  const foreign: string[] = [];
  for (const name of names) {
    const file = NAME.exec(name);
    const lock = LOCK.exec(name);
    if (file !== null) (file[1] === "journal" ? journals : snapshots).push(Number(file[2]));
    else if (lock !== null) locks.push(Number(lock[1]));
    else if (PASSING.test(name)) {
      if (name.endsWith(".new")) unfinished.push(name);
    } else if (!IGNORED.test(name)) foreign.push(name);
  }
  for (const numbers of [journals, snapshots, locks]) numbers.sort((one, other) => one - other);
  return { journals, snapshots, locks, unfinished, foreign };
}
