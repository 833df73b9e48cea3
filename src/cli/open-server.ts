/**
 * How the commands that look at a server reach it.
 *
 * The library shares one engine between all queues of a process and waits for a server for ever. A command line is one
 * short question: it has an engine of its own, and each of its calls ends with a coded error when no answer comes.
 */

import { DeferredEngine } from "../deferred-engine.ts";
import { hasStore } from "../embedded/journal/store-repair.ts";
import type { Engine } from "../engine/engine.ts";
import type { Logger } from "../engine/ports.ts";
import { isFileConnection, parseFileConnection } from "../file-connection.ts";
import { openFileEngine } from "../node-file-engine.ts";
import { nodeFileLayer } from "../node-file-layer.ts";
import { openFolderCopy } from "../node-folder-copy.ts";
import { nodePorts } from "../node-ports.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { WIRE_VERSION } from "../protocol/wire-version.ts";
import { truePath } from "../true-path.ts";
import { ValkeyEngine } from "../valkey/valkey-engine.ts";

/** What an engine is opened for. */
export interface EngineRequest {
  /** A URL of a server, or `file:` and a folder. */
  readonly url: string;
  /** Whether nothing will be written: then the fence is looked at and never set. */
  readonly isReadonly: boolean;
  /** Whether a folder is read as it is at one instant, also while another process has it open. Default false. */
  readonly isCopy?: boolean;
  /** What `{emq}:version` must hold; default: the version that this package speaks. */
  readonly wireVersion: string | undefined;
  /** Where the engine tells of connections that come and go. */
  readonly logger: Logger;
}

/**
 * Begins to connect. Throws EchoMQError `invalid_connection`, `invalid_option` or `unknown_option` for what can be seen
 * without a server.
 */
export type OpenEngine = (request: EngineRequest) => Engine;

/** The engine of a real server, or of a folder. */
export const openServer: OpenEngine = (request) => {
  const { url, isReadonly, wireVersion, logger } = request;
  if (isFileConnection(url)) return openFolder(request);
  return new ValkeyEngine({
    connection: url,
    ports: { ...nodePorts(), logger },
    isReadonly,
    ...(wireVersion === undefined ? {} : { wireVersion }),
  });
};

/** A folder that is only looked at must hold a store: one that is mistyped would be made, and look like no jobs. */
function openFolder({ url, isReadonly, isCopy = false, wireVersion, logger }: EngineRequest): Engine {
  const { path, fsync } = parseFileConnection(url);
  const folder = truePath(path);
  if (wireVersion !== undefined && wireVersion !== WIRE_VERSION) {
    throw new EchoMQError("unsupported", `A folder is written by ${WIRE_VERSION} alone: leave --wire-version out`);
  }
  if (isReadonly && !hasStore(nodeFileLayer(), folder)) {
    throw new EchoMQError("invalid_folder", `There is no store in ${folder}: look at the path`, {
      details: { folder },
    });
  }
  const ports = { ...nodePorts(), logger };
  const place = { kind: "embedded", ports, wireVersion: WIRE_VERSION } as const;
  if (isCopy) return new DeferredEngine(place, async () => await openFolderCopy({ ports, folder }));
  return new DeferredEngine(place, async () => await openFileEngine({ ports, folder, fsync: fsync ?? "everysec" }));
}
