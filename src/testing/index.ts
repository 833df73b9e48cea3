/**
 * The entry point `echomq/testing`: what tests of queues and handlers need in place of time, chance and sleep.
 *
 * @example
 * await using world = createTestWorld();
 * const mail = world.queue("mail");
 * world.worker("mail", async (job) => send(job.data));
 * await mail.add("welcome", { to: "ada@example.com" }, { delay: "1h" });
 * await world.clock.advance("1h");
 */

export { EmbeddedEngine, type EmbeddedEngineOptions } from "../embedded/embedded-engine.ts";
export { AddedAssertionError, type AddedJobRecord, type AddedPattern, type PartOf } from "./added-job.ts";
export { type Content, dumpQueue, type KeyDump } from "./dump.ts";
export type { FaultOptions, Faults, Outage } from "./faults.ts";
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
export {
  type AddedPatternOf,
  type AddedRecordOf,
  type AssertAddedOptions,
  createTestWorld,
  type DrainRunOptions,
  type DrainRunReport,
  type FailedRun,
  TestWorld,
  type TestWorldOptions,
  type WaitedState,
  type WaitForStateOptions,
} from "./test-world.ts";
export { VIRTUAL_EPOCH_MS, VirtualClock, type VirtualClockOptions } from "./virtual-clock.ts";
