/**
 * The entry point `echomq/testing`: what tests of queues and handlers need in place of time, chance and sleep.
 *
 * @example
 * const ports = createTestPorts({ seed: 7 });
 * const engine = new EmbeddedEngine({ ports });
 * const queue = new Queue("mail", { connection: engine });
 * await ports.clock.advance(60_000);
 * expect(await checkInvariants(engine, "mail")).toEqual([]);
 */

export { EmbeddedEngine, type EmbeddedEngineOptions } from "../embedded/embedded-engine.ts";
export { type Content, dumpQueue, type KeyDump } from "./dump.ts";
export {
  checkInvariants,
  type InvariantOptions,
  type Rule,
  type Violation,
  violationText,
} from "./invariants.ts";
export { SIGNAL_VALUES_MAX, Signal } from "./signal.ts";
export {
  createRandom,
  createTestPorts,
  LOG_LINES_MAX,
  type LogLine,
  RecordingLogger,
  type TestPorts,
  type TestPortsOptions,
} from "./test-ports.ts";
export { VIRTUAL_EPOCH_MS, VirtualClock, type VirtualClockOptions } from "./virtual-clock.ts";
