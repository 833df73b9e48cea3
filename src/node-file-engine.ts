/**
 * The engine over a folder of this machine.
 */

import { EmbeddedEngine } from "./embedded/embedded-engine.ts";
import type { FsyncMode } from "./embedded/journal/journal-start.ts";
import type { Ports } from "./engine/ports.ts";
import { nodeFileLayer } from "./node-file-layer.ts";

/** What an engine over a folder is opened with. */
export interface FileEngineOptions {
  readonly ports: Ports;
  readonly folder: string;
  readonly fsync: FsyncMode;
}

/**
 * Opens the store in a folder, which is made when it is not there.
 *
 * @throws EchoMQError `invalid_folder`, `folder_in_use`, `folder_format` or `folder_damaged`.
 */
export async function openFileEngine({ ports, folder, fsync }: FileEngineOptions): Promise<EmbeddedEngine> {
  return await EmbeddedEngine.open({ ports, store: { layer: nodeFileLayer(), folder, fsync } });
}
