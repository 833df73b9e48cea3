/**
 * Looks at a store that is not open, and cuts one where it can no longer be followed.
 *
 * What is cut is never thrown away: its bytes are put beside the file first, under its name, the place, and `.cut`.
 */

import type { Ports } from "../../engine/ports.ts";
import { isEchoMQError } from "../../protocol/errors.ts";
import { CommandTable } from "../command/command-table.ts";
import { Keyspace } from "../store/keyspace.ts";
import type { FileLayer } from "./file-layer.ts";
import { FolderLock } from "./folder-lock.ts";
import { sortNames } from "./folder-name.ts";
import { Replay } from "./replay.ts";
import { type Break, readStore, type StoreReading } from "./store-reading.ts";
import { writeAll } from "./write-all.ts";

/** Bytes that are copied at a time. */
const COPY_BYTES = 1 << 20;

export interface ClosedStore {
  readonly layer: FileLayer;
  readonly ports: Ports;
  /** The folder, which is there. */
  readonly folder: string;
}

/** What a store holds. */
export interface StoreReport {
  readonly files: readonly string[];
  readonly keys: number;
  readonly records: number;
  readonly bytes: number;
  /** Where it can no longer be followed; `undefined` when it is whole. */
  readonly break: Break | undefined;
}

/** Whether there is a store in a folder. */
export function hasStore(layer: FileLayer, folder: string): boolean {
  try {
    const { journals, snapshots } = sortNames(layer.list(folder));
    return journals.length + snapshots.length > 0;
  } catch {
    return false;
  }
}

/**
 * Reads a whole store and changes nothing in it.
 *
 * @throws EchoMQError `folder_in_use`, `folder_format`, and `folder_damaged` for what cutting does not mend.
 */
export async function checkStore(store: ClosedStore): Promise<StoreReport> {
  const lock = await lockIfWritable(store);
  try {
    return await report(store);
  } finally {
    lock?.release();
  }
}

/**
 * Cuts a store where it can no longer be followed; answers the names of the files that hold what was cut.
 *
 * @throws EchoMQError as {@link checkStore}, and what the file layer throws.
 */
export async function repairStore(store: ClosedStore): Promise<readonly string[]> {
  const { layer, folder } = store;
  const lock = await FolderLock.take(store);
  try {
    const { break: found } = await report(store);
    if (found === undefined) return [];
    const kept = [await keepBytes(store, found.file, found.offset)];
    for (const file of found.laterFiles) kept.push(await keepBytes(store, file, 0));
    await layer.syncFolder(folder);
    const file = layer.open(`${folder}/${found.file}`, "write");
    try {
      file.truncate(found.offset);
      await file.sync();
    } finally {
      file.close();
    }
    for (const each of found.laterFiles) layer.removeNow(`${folder}/${each}`);
    await layer.syncFolder(folder);
    return kept;
  } finally {
    lock.release();
  }
}

/** A store on a device that is read-only can be looked at; nobody has it open. */
async function lockIfWritable(store: ClosedStore): Promise<FolderLock | undefined> {
  try {
    return await FolderLock.take(store);
  } catch (error) {
    if (isEchoMQError(error)) throw error;
    return undefined;
  }
}

async function report({ layer, ports, folder }: ClosedStore): Promise<StoreReport> {
  const ignore = (): void => {};
  const keyspace = new Keyspace({
    onPush: ignore,
    onAppend: ignore,
    onForeignWrite: ignore,
    onExpiryChange: ignore,
  });
  const table = new CommandTable(keyspace, () => 0);
  const reading: StoreReading = await readStore(layer, folder, new Replay({ keyspace, table }, ports));
  const { files, records, snapshotBytes, journalBytes } = reading;
  return { files, keys: keyspace.size, records, bytes: snapshotBytes + journalBytes, break: reading.break };
}

/** Puts the bytes of a file from a place on into a file beside it; answers its name. */
async function keepBytes({ layer, folder }: ClosedStore, name: string, offset: number): Promise<string> {
  const kept = `${name}-${offset}.cut`;
  layer.removeNow(`${folder}/${kept}`);
  const source = layer.open(`${folder}/${name}`, "read");
  const target = layer.open(`${folder}/${kept}`, "create");
  try {
    const buffer = layer.allocate(COPY_BYTES);
    let at = 0;
    for (;;) {
      const read = await source.read(buffer, offset + at);
      if (read === 0) break;
      writeAll(target, buffer, { from: 0, to: read, at });
      at += read;
    }
    await target.sync();
  } finally {
    source.close();
    target.close();
  }
  return kept;
}
