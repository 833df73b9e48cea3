/**
 * What the tests of the Valkey engine share: engines that end with their test, and ports whose log can be read.
 */

import { onTestFinished } from "vitest";
import type { Engine, EngineState } from "../../../src/engine/engine.ts";
import type { Ports } from "../../../src/engine/ports.ts";
import { nodePorts } from "../../../src/node-ports.ts";
import { RecordingLogger } from "../../../src/testing/test-ports.ts";
import type { ValkeyConnectionOptions } from "../../../src/valkey/connection.ts";
import { ValkeyEngine, type ValkeyEngineOptions } from "../../../src/valkey/valkey-engine.ts";
import type { TestServer } from "../../server/start-server.ts";

/** Every way to speak to a server: a name for the title, and what selects it. */
export const WAYS: readonly (readonly [string, ValkeyConnectionOptions])[] = [
  ["iovalkey", { client: "iovalkey" }],
  ["ioredis on protocol 2", { client: "ioredis", protocol: 2 }],
  ["ioredis on protocol 3", { client: "ioredis", protocol: 3 }],
];

/** Real time and sockets, and a log that a test can read. */
export function recordingPorts(): Ports & { readonly logger: RecordingLogger } {
  return { ...nodePorts(), logger: new RecordingLogger() };
}

/** Real sockets under a clock that runs `factor` times too fast, so that long patience is short. */
export function hastyPorts(factor: number): Ports & { readonly logger: RecordingLogger } {
  const ports = recordingPorts();
  const begunAt = ports.clock.now();
  return {
    ...ports,
    clock: {
      now: () => begunAt + (ports.clock.now() - begunAt) * factor,
      after: (ms, action, options) => ports.clock.after(ms / factor, action, options),
    },
  };
}

/** The time of a call that no test is about: a busy machine must not end it. */
const COMMAND_TIMEOUT_MS = 30_000;

/** An engine that is closed when the test ends. A call has {@link COMMAND_TIMEOUT_MS} unless the options say else. */
export function openEngine(options: Omit<ValkeyEngineOptions, "ports"> & { readonly ports?: Ports }): ValkeyEngine {
  const engine = new ValkeyEngine({ ports: recordingPorts(), commandTimeoutMs: COMMAND_TIMEOUT_MS, ...options });
  onTestFinished(() => engine.close());
  return engine;
}

/** An engine, ready, on a server that holds nothing and has room for anything. */
export async function openOnEmpty(
  server: TestServer,
  way: ValkeyConnectionOptions = {},
  options: Partial<ValkeyEngineOptions> = {},
): Promise<ValkeyEngine> {
  await server.command("CONFIG", "SET", "maxmemory", "0");
  await server.command("FLUSHALL");
  const engine = openEngine({ connection: { ...way, url: server.url }, ...options });
  await engine.ready();
  return engine;
}

/** The connections that wait in a blocking command now, as the server sees them: a line each. */
export async function blockedLines(server: TestServer): Promise<string[]> {
  const list = String(await server.command("CLIENT", "LIST"));
  return list.split("\n").filter((line) => / flags=[A-Za-z]*b/.test(line));
}

/** Resolves at the next change to a state, or at once when it holds already. */
export function untilState(engine: Engine, state: EngineState): Promise<void> {
  if (engine.state === state) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = engine.onState((now) => {
      if (now !== state) return;
      stop();
      resolve();
    });
  });
}

/** The error that a promise rejects with; a promise that resolves is a failure. */
export async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`resolved to ${JSON.stringify(value)}`);
}

/** Tries until `probe` answers true, or tells by a text what is still missing; fails after 45 seconds. */
export async function until(probe: () => boolean | string | Promise<boolean | string>): Promise<void> {
  const deadline = performance.now() + 45_000;
  for (let found = await probe(); found !== true; found = await probe()) {
    if (performance.now() > deadline) throw new Error(`it did not come about within 45 seconds: ${String(found)}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
