/**
 * A copy of the store in a folder, in memory, while another process may have the folder open.
 *
 * The journals are read from their beginning to the last whole record, so the copy is what the store was at one
 * instant. Nothing is locked, and nothing written: what the copy would write goes nowhere. A snapshot that takes the
 * place of the files during the reading makes it begin anew.
 */

import { EmbeddedEngine } from "./embedded/embedded-engine.ts";
import type { FileLayer, OpenFile } from "./embedded/journal/file-layer.ts";
import type { Ports } from "./engine/ports.ts";
import { nodeFileLayer } from "./node-file-layer.ts";
import { isEchoMQError } from "./protocol/errors.ts";

/** Readings that the owner of the folder may thwart before the last one's error is the caller's. */
const READINGS_MAX = 10;

/**
 * Reads the store in a folder. The engine has all of it in memory, and forgets it when it is closed.
 *
 * @throws EchoMQError `invalid_folder`, `folder_format` or `folder_damaged`.
 */
export async function openFolderCopy({
  ports,
  folder,
}: {
  readonly ports: Ports;
  readonly folder: string;
}): Promise<EmbeddedEngine> {
  for (let reading = 1; ; reading++) {
    try {
      return await EmbeddedEngine.open({ ports, store: { layer: readingLayer(), folder, fsync: "no" } });
    } catch (error) {
      const mayPass = isEchoMQError(error, "folder_damaged") || isEchoMQError(error, "invalid_folder");
      if (!mayPass || reading === READINGS_MAX) throw error;
    }
  }
}

/** The files of this machine, of which nothing is changed. Locks are those of the copy alone, and in memory. */
function readingLayer(): FileLayer {
  const layer = nodeFileLayer();
  const own = new Map<string, string>();
  return {
    ...layer,
    makeFolder: (path) => {
      // A folder that is not there is no store; reading must not make one.
      layer.list(path);
      return layer.makeFolder(path);
    },
    list: (folder) => {
      const names = layer.list(folder).filter((name) => !name.startsWith(LOCK));
      return [...names, ...[...own.keys()].map((path) => path.slice(folder.length + 1))];
    },
    open: (path, mode) => {
      if (mode !== "create") return readingFile(layer.open(path, "read"));
      if (path.includes(`/${LOCK}`)) own.set(path, "");
      return blankFile();
    },
    rename: () => {},
    remove: async (path) => void (await Promise.resolve(own.delete(path))),
    removeNow: (path) => void own.delete(path),
    syncFolder: () => Promise.resolve(),
    syncFolderNow: () => {},
    readText: (path) => own.get(path),
    writeText: (path, text) => void own.set(path, text),
  };
}

/** How the names of locks begin. */
const LOCK = "lock-";

const UNWRITTEN = {
  write: (_: Uint8Array, { from, to }: { readonly from: number; readonly to: number }) => to - from,
  truncate: () => {},
  sync: () => Promise.resolve(),
  syncNow: () => {},
};

function readingFile(file: OpenFile): OpenFile {
  return {
    ...UNWRITTEN,
    size: () => file.size(),
    read: (target, at) => file.read(target, at),
    close: () => file.close(),
  };
}

function blankFile(): OpenFile {
  return { ...UNWRITTEN, size: () => 0, read: () => Promise.resolve(0), close: () => {} };
}
