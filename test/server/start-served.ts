/**
 * Starts the project's own server for a test: an embedded engine behind `createServer`, on a socket in a folder of its
 * own or on a free port.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EmbeddedEngine, type EmbeddedEngineOptions } from "../../src/embedded/embedded-engine.ts";
import type { Logger } from "../../src/engine/ports.ts";
import { nodePorts } from "../../src/node-ports.ts";
import { createServer, type RunningServer, type ServerOptions } from "../../src/server/index.ts";

/** What a test gives beside where to listen. */
export interface ServedOptions extends Partial<Omit<ServerOptions, "engine">> {
  readonly embedded?: Partial<EmbeddedEngineOptions>;
}

/** A server with its engine. */
export interface Served {
  readonly engine: EmbeddedEngine;
  readonly server: RunningServer;
  /** Path of its socket; empty when it listens on a port. */
  readonly socketPath: string;
  /** Warnings and errors that it logged. */
  readonly logged: string[];
  stop(): Promise<void>;
}

/** Starts one; it must be stopped. */
export async function startServed({ embedded, ...options }: ServedOptions = {}): Promise<Served> {
  const logged: string[] = [];
  const note = (message: string) => void logged.push(message);
  const logger: Logger = { debug() {}, info() {}, warn: note, error: note };
  const engine = new EmbeddedEngine({ ports: { ...nodePorts(), logger }, ...embedded });
  const folder = mkdtempSync(join(tmpdir(), "echomq-served-"));
  const isOnPort = options.port !== undefined || options.host !== undefined;
  const socketPath = isOnPort ? "" : (options.path ?? join(folder, "s"));
  try {
    const server = await createServer({ engine, ...options, ...(isOnPort ? {} : { path: socketPath }) });
    const stop = async () => {
      await server.close();
      await engine.close();
      rmSync(folder, { recursive: true, force: true });
    };
    return { engine, server, socketPath, logged, stop };
  } catch (error) {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}
