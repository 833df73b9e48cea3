/**
 * A store in this process that the tool takes for a server, so that its words can be tested without one.
 */

import type { OpenEngine } from "../../../src/cli/open-server.ts";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import type { Engine } from "../../../src/engine/engine.ts";
import { nodePorts } from "../../../src/node-ports.ts";
import { Jobs } from "../../../src/queue/jobs.ts";
import { QueueCore } from "../../../src/queue/queue.ts";
import { QUEUES_KEY } from "../../../src/queue/queue-names.ts";
import { RecordingLogger } from "../../../src/testing/test-ports.ts";
import { type Ran, type RanJson, type RunOptions, run, runJson } from "./run.ts";

export interface Store {
  readonly engine: EmbeddedEngine;
  readonly jobs: Jobs;
  readonly queue: QueueCore;
  readonly openEngine: OpenEngine;
  /** Runs a command on the store. */
  run(args: readonly string[], options?: RunOptions): Promise<Ran>;
  runJson(args: readonly string[], options?: RunOptions): Promise<RanJson>;
  /** Adds a job and lets it fail until it is dead; answers its id. */
  addDead(): Promise<string>;
}

/** A store of its own with one queue, `mail`, which is there without a job unless `isBare` is set. */
export function setupStore({ isBare = false }: { readonly isBare?: boolean } = {}): Store {
  const engine = new EmbeddedEngine({ ports: { ...nodePorts(), logger: new RecordingLogger() } });
  // Calls of one engine keep their order, so every command that a test runs comes behind it.
  if (!isBare) void engine.command(["SADD", QUEUES_KEY, "mail"]);
  const queue = new QueueCore("mail", { engine, release: () => Promise.resolve() });
  const jobs = new Jobs(engine);
  // A command ends its engine; the store outlives it.
  const openEngine: OpenEngine = () => lasting(engine);
  const env = { ECHOMQ_URL: "valkey://store" };
  return {
    engine,
    jobs,
    queue,
    openEngine,
    run: (args, options) => run(args, { env, openEngine, ...options }),
    runJson: (args, options) => runJson(args, { env, openEngine, ...options }),
    async addDead() {
      const { id } = await queue.add("welcome", { to: "ada" });
      const claimed = await jobs.claim("mail", 30_000);
      await jobs.retry("mail", id, claimed?.attempts ?? 0, { delayMs: 0, maxAttempts: 1, error: "no such address" });
      return id;
    },
  };
}

/** The same engine, which nobody can end. */
function lasting(engine: EmbeddedEngine): Engine {
  return {
    kind: engine.kind,
    wireVersion: engine.wireVersion,
    ports: engine.ports,
    get state() {
      return engine.state;
    },
    ready: () => engine.ready(),
    act: (verb, keys, args) => engine.act(verb, keys, args),
    command: (parts) => engine.command(parts),
    listenForWake: (key, listener) => engine.listenForWake(key, listener),
    listenForEntries: (key, listener) => engine.listenForEntries(key, listener),
    subscribe: (channel, onMessage) => engine.subscribe(channel, onMessage),
    onState: (listener) => engine.onState(listener),
    close: () => Promise.resolve(),
  };
}
