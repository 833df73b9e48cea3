/**
 * The conformance suite as tests of one engine: a test for each scenario, and one for what they exercised together.
 *
 * The scenarios of an engine share it, as they do when `echomq conformance` runs them, but never a queue.
 */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nothingExercised } from "../../src/conformance/checked-engine.ts";
import type { ConformancePort } from "../../src/conformance/port.ts";
import { neverExercised, runScenario } from "../../src/conformance/runner.ts";
import { SCENARIOS } from "../../src/conformance/scenarios.ts";

/** An engine for the suite. */
export interface SuiteTarget {
  readonly port: ConformancePort;
  /** What is wrong besides the verdict of the scenario that just ran. */
  readonly faults?: () => readonly string[];
  /** Whether it may lack commands that a scenario says it needs; such a scenario is skipped with the reason. */
  readonly mayLack?: boolean;
  close(): Promise<void>;
}

/** Longest time of one scenario, in ms: ten times what the longest takes. */
const SCENARIO_MS_MAX = 120_000;

/** Describes the suite for the engine that `open` makes; `reason` leaves it out, as one skipped test that says why. */
export function describeSuite(name: string, open: () => Promise<SuiteTarget>, reason?: string): void {
  if (reason !== undefined) return it.skip(`${name} (${reason})`);
  describe(name, () => {
    const exercised = nothingExercised();
    let target: SuiteTarget | undefined;
    beforeAll(async () => {
      target = await open();
    });
    afterAll(async () => await target?.close());

    for (const scenario of SCENARIOS) {
      it(
        `${scenario.name}: ${scenario.contract}`,
        async ({ skip }) => {
          const verdict = await runScenario(target!.port, scenario, { queue: "conf", exercised });
          if (verdict.kind === "skip" && target!.mayLack === true) skip(verdict.lacks);
          expect(verdict).toEqual({ kind: "ok" });
          expect(target!.faults?.() ?? []).toEqual([]);
        },
        SCENARIO_MS_MAX,
      );
    }

    it("exercises every verb and every refusal that a verb names, and leaves no key behind", async () => {
      expect(neverExercised(exercised)).toEqual([]);
      expect(await target!.port.engine.command(["KEYS", "emq:*"])).toEqual([]);
      expect(await target!.port.engine.command(["SMEMBERS", "{emq}:queues"])).toEqual([]);
    });
  });
}
