/**
 * How the commands that look at a server reach it.
 *
 * The library shares one engine between all queues of a process and waits for a server for ever. A command line is one
 * short question: it has an engine of its own, and each of its calls ends with a coded error when no answer comes.
 */

import type { Engine } from "../engine/engine.ts";
import type { Logger } from "../engine/ports.ts";
import { nodePorts } from "../node-ports.ts";
import { ValkeyEngine } from "../valkey/valkey-engine.ts";

/** What an engine is opened for. */
export interface EngineRequest {
  /** A URL of a server. */
  readonly url: string;
  /** Whether nothing will be written: then the fence is looked at and never set. */
  readonly isReadonly: boolean;
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

/** The engine of a real server. */
export const openServer: OpenEngine = ({ url, isReadonly, wireVersion, logger }) =>
  new ValkeyEngine({
    connection: url,
    ports: { ...nodePorts(), logger },
    isReadonly,
    ...(wireVersion === undefined ? {} : { wireVersion }),
  });
