/** What flows cost an act that finds none: no call, since what it must know comes with what it reads anyway. */

import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import { createMinter } from "../../../src/protocol/mint.ts";
import type { Verb } from "../../../src/protocol/verbs.generated.ts";
import { Flows } from "../../../src/queue/flows.ts";
import { Jobs } from "../../../src/queue/jobs.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import type { Argument, Command, Server, Transition } from "../../../src/transition/server.ts";
import { TRANSITIONS } from "../../../src/transition/transitions.generated.ts";

const BASE = "emq:{q}:";
const TURN = { worker: "w", leaseMs: 60_000 };

/** Keys that flows alone have. */
const FLOW_KEY =
  /:job:\w{14}:(?:dependencies|processed|failed|unsuccessful|children|parents)$|:(?:awaiting|flow:outbox)$/;

function setup() {
  const calls: string[] = [];
  const wrap =
    (transition: Transition): Transition =>
    (server, keys, args) => {
      const call = (command: Command, ...parts: Argument[]): unknown => {
        // Whoever deletes a row deletes what may hang on it by the same command.
        const isFlow = parts.some((part) => FLOW_KEY.test(String(part))) && command !== "DEL" && command !== "UNLINK";
        if (isFlow) calls.push(`${command} ${parts.join(" ")}`);
        return server.call(command, ...parts);
      };
      return transition({ ...server, call: call as Server["call"] }, keys, args);
    };
  const verbs = Object.keys(TRANSITIONS) as Verb[];
  const transitions = Object.fromEntries(verbs.map((verb) => [verb, wrap(TRANSITIONS[verb])])) as Record<
    Verb,
    Transition
  >;
  const ports = createTestPorts();
  const engine = new EmbeddedEngine({ ports, transitions });
  const jobs = new Jobs(engine);
  const mint = createMinter({ node: 1, clock: () => ports.clock.now() });
  const added = async () => {
    const id = mint("JOB");
    await jobs.admit("q", [{ id, payload: "p" }]);
    return id;
  };
  const claimed = async (leaseMs = 60_000) => {
    const id = await added();
    await jobs.claim("q", leaseMs);
    return id;
  };
  return { calls, engine, ports, jobs, flows: new Flows(engine), mint, added, claimed };
}

type Setup = ReturnType<typeof setup>;

const FAILURE = { delayMs: 0, maxAttempts: 1, error: "e" };

const ACTS: Readonly<Record<string, (s: Setup) => Promise<unknown>>> = {
  ADMIT: async ({ added }) => await added(),
  CLAIM: async ({ claimed }) => await claimed(),
  COMPLETE: async ({ jobs, claimed }) => await jobs.complete("q", await claimed(), 1, "r"),
  "RETRY later": async ({ jobs, claimed }) =>
    await jobs.retry("q", await claimed(), 1, { ...FAILURE, delayMs: 10, maxAttempts: 9 }),
  "RETRY, the last": async ({ jobs, claimed }) => await jobs.retry("q", await claimed(), 1, FAILURE),
  "TURN c": async ({ jobs, claimed }) => await turn(jobs, { op: "c", id: await claimed(), token: 1 }),
  "TURN r": async ({ jobs, claimed }) => await turn(jobs, { op: "r", id: await claimed(), token: 1, result: "r" }),
  "TURN k": async ({ jobs, claimed }) => await turn(jobs, { op: "k", id: await claimed(), token: 1, error: "e" }),
  SWEEP: async ({ jobs, ports, claimed }) => {
    await claimed(10);
    ports.clock.shift(20);
    await jobs.sweep("q", { maxStalled: 1 });
  },
  REMOVE: async ({ jobs, added }) => await jobs.removeJob("q", await added()),
  CANCEL: async ({ jobs, added }) => await jobs.cancel("q", await added(), "r"),
  CLEAN: async ({ jobs, added }) => await jobs.clean("q", "pending", [await added()]),
  REPROCESS: async ({ jobs, claimed }) => {
    const id = await claimed();
    await jobs.retry("q", id, 1, FAILURE);
    await jobs.reprocessJob("q", id);
  },
};

async function turn(
  jobs: Jobs,
  settlement: Parameters<Jobs["turn"]>[1]["settlements"] extends readonly (infer S)[] | undefined ? S : never,
) {
  await jobs.turn("q", { ...TURN, want: 1, settlements: [settlement] });
}

describe("an act that finds no flow", () => {
  for (const [name, act] of Object.entries(ACTS)) {
    it(`asks for nothing of flows: ${name}`, async () => {
      const world = setup();
      await act(world);
      expect(world.calls).toEqual([]);
    });
  }
});

describe("an act that ends a child", () => {
  it("asks its parent's keys alone, and as much for the thousandth child as for the first", async () => {
    const { calls, jobs, flows, mint } = setup();
    const row = (id: string) => ({ id, payload: "p", shape: "", values: [] });
    const parent = mint("JOB");
    const children = Array.from({ length: 999 }, () => ({ policy: "fp", row: row(mint("JOB")) }));
    await flows.flow("q", row(parent), children);
    const counts: number[] = [];
    for (const { row: child } of children.slice(0, 998)) {
      await jobs.claim("q", 60_000);
      calls.length = 0;
      expect(await jobs.complete("q", child.id, 1, "r")).toBe("ok");
      expect(
        calls.every(
          (call) =>
            call.includes(`${BASE}job:${parent}`) || call.includes(`${child.id}:parents`) || call.endsWith("awaiting"),
        ),
      ).toBe(true);
      counts.push(calls.length);
    }
    expect(new Set(counts).size).toBe(1);
    expect(counts[0]).toBeLessThan(20);
  });
});
