/** The runner: a verdict a line, a queue that is left clean, and no praise for what was never tried. */

import { describe, expect, it, onTestFinished } from "vitest";
import { nothingExercised } from "../../src/conformance/checked-engine.ts";
import { EnginePort } from "../../src/conformance/engine-port.ts";
import { same } from "../../src/conformance/expectation.ts";
import { neverExercised, runConformance, runScenario } from "../../src/conformance/runner.ts";
import type { Scenario } from "../../src/conformance/scenario.ts";
import { SCENARIOS } from "../../src/conformance/scenarios.ts";
import { EmbeddedEngine } from "../../src/embedded/embedded-engine.ts";
import { createTestPorts } from "../../src/testing/test-ports.ts";
import type { Transition } from "../../src/transition/server.ts";
import { TRANSITIONS } from "../../src/transition/transitions.generated.ts";

/** A port on an engine of its own, some of whose acts do something else. */
function setup(instead: Record<string, Transition> = {}) {
  const ports = createTestPorts();
  const engine = new EmbeddedEngine({ ports, transitions: { ...TRANSITIONS, ...instead } });
  onTestFinished(async () => await engine.close());
  const port = new EnginePort({ engine, advance: async (ms) => await ports.clock.advance(ms) });
  const lines: string[] = [];
  const exercised = nothingExercised();
  const run = async (part: Partial<Scenario> & Pick<Scenario, "run">) =>
    await runScenario(port, { name: "one", plane: "rule", contract: "One.", ...part }, { queue: "q", exercised });
  return { engine, port, lines, print: (line: string) => void lines.push(line), run, exercised };
}

describe("runConformance", () => {
  it("prints a line a scenario in their order, and closes with what passed", async () => {
    const { port, lines, print, engine } = setup();
    // All of them are run by the command of the tool.
    const report = await runConformance(port, { print, only: ["update_data", "dead", "fence", "claim", "retry"] });
    expect(report).toEqual({ passed: 5, run: 5, skipped: 0, failed: [] });
    expect(lines.slice(0, -1).map((line) => line.split(" ")[1])).toEqual(
      SCENARIOS.map(({ name }) => name).filter((name) => /^(?:update_data|dead|fence|claim|retry)$/.test(name)),
    );
    expect(lines[0]).toBe(`CONF fence ok -- ${SCENARIOS[0]?.contract}`);
    expect(lines.at(-1)).toBe("CONFORMANCE 5/5");
    expect(await engine.command(["KEYS", "emq:*"])).toEqual([]);
  });

  it("names what fails and why, and goes on", async () => {
    const { port, lines, print } = setup({ LOG: () => 7 });
    const report = await runConformance(port, { print, only: ["mint", "job_logs", "dead"], queue: "here" });
    expect(report).toEqual({ passed: 2, run: 3, skipped: 0, failed: ["job_logs"] });
    expect(lines).toEqual([
      expect.stringMatching(/^CONF mint ok -- /),
      expect.stringMatching(/^CONF dead ok -- /),
      expect.stringMatching(/^CONF job_logs FAIL the first line: expected 1, got 7 -- /),
      "CONFORMANCE 2/3",
    ]);
  });
});

describe("runScenario", () => {
  it("fails for a reply that the specification does not name, although the scenario overlooks it", async () => {
    const { run } = setup({ STATE: () => "waiting", PROMOTE: () => -1 });
    const verdict = await run({
      run: async (t) => {
        await t.jobs.promote(t.queue, 1).catch(() => undefined);
      },
    });
    expect(verdict).toEqual({ kind: "fail", why: "PROMOTE broke its reply schema: reply is -1, below 0" });
    const answer = await run({ run: async (t) => void (await t.jobs.getState(t.queue, t.id())) });
    expect(answer).toEqual({ kind: "fail", why: 'STATE broke its reply schema: reply is "waiting", not in its list' });
  });

  it("fails for a refusal in other words than those of the specification", async () => {
    const { run } = setup({ RELEASE: (s) => s.error("EMQSTATE not there") });
    const verdict = await run({ run: async (t) => void (await t.act("RELEASE", [t.id()]).catch(() => undefined)) });
    expect(verdict).toMatchObject({ kind: "fail", why: expect.stringContaining("EMQSTATE not there") });
  });

  it("purges the scenario's queues, whatever came of it, and no neighbour's", async () => {
    const { run, engine } = setup();
    await engine.command(["SET", "emq:{q.one*}:pending", "a neighbour's"]);
    await engine.command(["SET", "emq:{q.one}:pending", "left by an earlier run"]);
    const verdict = await run({
      run: async (t) => {
        same((await t.snapshot()).size, 0, "keys at the start");
        await t.enqueued();
        await t.jobs.enqueue(t.otherQueue("*"), t.id(), "p");
        throw new Error("given up");
      },
    });
    expect(verdict).toEqual({ kind: "fail", why: "given up" });
    expect(await engine.command(["KEYS", "emq:*"])).toEqual(["emq:{q.one*}:pending"]);
  });

  it("fails when the queue is left wrong, unless the scenario names just what the doctor then finds", async () => {
    const { run } = setup();
    const part: Pick<Scenario, "run"> = {
      run: async (t) => void (await t.command("HSET", t.row(t.id()), "state", "dead", "attempts", "0", "payload", "p")),
    };
    expect(await run(part)).toMatchObject({
      kind: "fail",
      why: expect.stringContaining("row-place emq:{q.one}:job:JOB"),
    });
    expect(await run({ ...part, expectFindings: ["row-place"] })).toEqual({ kind: "ok" });
    expect(await run({ ...part, expectFindings: ["row-place", "lane-ring"] })).toEqual({
      kind: "fail",
      why: "the doctor does not find what the scenario breaks: lane-ring",
    });
    const elsewhere = await run({
      run: async (t) => void (await t.command("SET", `emq:{${t.otherQueue("x")}}:nonsense`, "1")),
    });
    expect(elsewhere).toMatchObject({ kind: "fail", why: expect.stringContaining("key-known emq:{q.one.x}:nonsense") });
  });

  it("skips what the server lacks and says so", async () => {
    const { run } = setup();
    const verdict = await run({ needs: ["FLY"], run: async () => await Promise.reject(new Error("was run")) });
    expect(verdict).toEqual({ kind: "skip", lacks: "the server has no FLY" });
  });

  it("remembers which verbs and refusals were exercised", async () => {
    const { run, exercised } = setup();
    await run({ run: async (t) => void (await t.active()) });
    const missed = neverExercised(exercised);
    expect(missed).not.toContain("CLAIM");
    expect(missed).toContain("ENQUEUE EMQKIND job id must be JOB-namespaced");
    expect(missed).toContain("SWEEP");
  });
});
