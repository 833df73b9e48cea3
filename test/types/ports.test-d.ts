/**
 * Types of the ports and of the test kit: what a test builds fits where an engine wants it.
 */

import { describe, expectTypeOf, it } from "vitest";
import type { Clock, Logger, Ports, Timer } from "../../src/engine/ports.ts";
import { Signal } from "../../src/testing/signal.ts";
import { createTestPorts, type TestPorts } from "../../src/testing/test-ports.ts";
import type { VirtualClock } from "../../src/testing/virtual-clock.ts";

describe("ports of a test", () => {
  it("are ports", () => {
    expectTypeOf(createTestPorts).returns.toExtend<Ports>();
    expectTypeOf<TestPorts["clock"]>().toEqualTypeOf<VirtualClock>();
    expectTypeOf<VirtualClock>().toExtend<Clock>();
  });

  it("take a console as a logger", () => {
    expectTypeOf(console).toExtend<Logger>();
  });

  it("give timers that can be taken back", () => {
    expectTypeOf<VirtualClock["after"]>().returns.toEqualTypeOf<Timer>();
  });
});

describe("a signal", () => {
  it("gives what it was told", () => {
    expectTypeOf(new Signal<number>().next()).toEqualTypeOf<Promise<number>>();
    expectTypeOf(new Signal<number>().emit).parameter(0).toEqualTypeOf<number>();
  });
});
