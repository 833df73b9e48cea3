/** What the doctor does not report: what is on its way, what hides behind another fault, what it cannot judge. */

import { describe, expect, it } from "vitest";
import { inspectQueue } from "../../../src/doctor/doctor.ts";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import type { Engine } from "../../../src/engine/engine.ts";
import { Jobs } from "../../../src/queue/jobs.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { Patient } from "./damage.ts";

function setup() {
  const ports = createTestPorts();
  const engine = new EmbeddedEngine({ ports });
  return { ports, engine, jobs: new Jobs(engine), patient: new Patient(engine, "q") };
}

/** The engine, with something that happens before each act or command that `when` names. */
function meddled(engine: Engine, when: string, meddle: () => Promise<unknown>): Engine {
  const before = async (name: string) => {
    if (name === when) await meddle();
  };
  const wrapped: Pick<Engine, "kind" | "ports" | "act" | "command"> = {
    kind: engine.kind,
    ports: engine.ports,
    act: async (verb, keys, args) => {
      await before(verb);
      return await engine.act(verb, keys, args);
    },
    command: async (parts) => {
      await before(parts[0] ?? "");
      return await engine.command(parts);
    },
  };
  return wrapped as Engine;
}

describe("a queue that moves", () => {
  it("has no finding though a job is elsewhere at every look", async () => {
    const { engine, jobs } = setup();
    const ids = ["JOB00000000001", "JOB00000000002", "JOB00000000003"];
    await jobs.admit(
      "q",
      ids.map((id) => ({ id, payload: "p", lane: "l" })),
    );
    let token = 0;
    const view = meddled(engine, "EXAMINE", async () => {
      token += 1;
      const { jobs: claimed } = await jobs.turn("q", { worker: "w", leaseMs: 60_000, want: 3 });
      for (const { id, token: held } of claimed) {
        if (token % 2 === 0) await jobs.giveBack("q", id, held);
        else await jobs.delay("q", id, held, 0);
      }
      await jobs.promote("q", 10);
    });
    expect(await inspectQueue(view, "q")).toMatchObject({ isClean: true, findings: [] });
    expect(token).toBeGreaterThanOrEqual(3);
  });

  it("has no finding though the job that holds an ordered lane goes into the schedule during the pass", async () => {
    const { engine, jobs, patient, ports } = setup();
    await patient.run("SADD", "gordered", "l");
    await patient.run("HSET", "glimit", "l", "1");
    await jobs.admit("q", [
      { id: "JOB00000000001", payload: "p", lane: "l" },
      { id: "JOB00000000002", payload: "p", lane: "l" },
    ]);
    const { jobs: claimed } = await jobs.turn("q", { worker: "w", leaseMs: 60_000, want: 1 });
    const held = claimed[0];
    let isPutOff = false;
    // The rows have been read, and the schedule as well, when the lane is looked at.
    const view = meddled(engine, "HSCAN", async () => {
      if (isPutOff) return;
      isPutOff = true;
      await jobs.delay("q", held?.id ?? "", held?.token ?? 0, 60_000);
    });
    expect(await inspectQueue(view, "q")).toMatchObject({ isClean: true, findings: [] });
    expect(isPutOff).toBe(true);
    expect(await engine.command(["HGET", patient.key("gactive"), "l"])).toBe("1");
    await ports.clock.advance(1);
  });

  it("is left alone by a repair that comes late", async () => {
    const { engine, patient } = setup();
    const id = await patient.row();
    const view = meddled(engine, "REPAIR", async () => {
      await engine.command(["DEL", patient.key(`job:${id}`)]);
    });
    const report = await inspectQueue(view, "q", { repair: true, destroy: true });
    expect(report.findings).toMatchObject([{ code: "row-place", outcome: "gone" }]);
    expect(report.isClean).toBe(true);
    expect(await engine.command(["KEYS", "emq:{q}:*"])).toEqual([]);
  });
});

describe("a key of a foreign type", () => {
  it("in the place of one lane hides no other job and no other lane", async () => {
    const { engine, patient } = setup();
    const lost: string[] = [];
    for (let at = 0; at < 150; at++) lost.push(await patient.row(at % 10 === 0 ? { group: "spoiled" } : {}));
    await patient.run("SET", "g:spoiled:pending", "x");
    const { counts, unchecked } = await inspectQueue(engine, "q");
    expect(counts).toEqual({ "key-type": 1, "row-place": 135 });
    expect(unchecked).toHaveLength(16);
    const mended = await inspectQueue(engine, "q", { repair: true, destroy: true });
    expect(mended).toMatchObject({ isClean: true, unchecked: [] });
    expect(await engine.command(["ZCARD", patient.key("g:spoiled:pending")])).toBe(15);
  });

  it("that every act reads is told alone, with what was not judged because of it", async () => {
    const { engine, patient } = setup();
    await patient.row();
    await patient.run("SET", "meta", "x");
    const { counts, unchecked } = await inspectQueue(engine, "q");
    expect(counts).toEqual({ "key-type": 1 });
    expect(unchecked).toEqual(["jobs and lanes: a key that every act reads is of a foreign type"]);
  });
});

describe("what cannot be counted", () => {
  it("is told and not guessed: lanes of a queue with more than a thousand leases", async () => {
    const { engine, patient } = setup();
    for (let at = 0; at < 1001; at++) {
      const id = await patient.row({ state: "active", attempts: "1", group: "l" });
      await patient.put("active", 9_000_000_000_000, id);
    }
    await patient.run("HSET", "gactive", "l", "7");
    const { isClean, unchecked } = await inspectQueue(engine, "q");
    expect(isClean).toBe(true);
    expect(unchecked).toEqual(["gactive: more than 1000 jobs are leased, which one act cannot count"]);
    const id = String(((await engine.command(["ZRANGE", patient.key("active"), "0", "0"])) as string[])[0]);
    await engine.command(["ZREM", patient.key("active"), id]);
    await engine.command(["DEL", patient.key(`job:${id}`)]);
    const { findings } = await inspectQueue(engine, "q", { repair: true });
    expect(findings).toMatchObject([{ code: "lane-active", detail: "says 7, 1000 are leased", outcome: "mended" }]);
  });
});

describe("an idle queue", () => {
  it("must have a token for its work, and gets one", async () => {
    const { engine, patient } = setup();
    await patient.waiting();
    expect(await inspectQueue(engine, "q")).toMatchObject({ isClean: true });
    expect(await inspectQueue(engine, "q", { idle: true })).toMatchObject({ counts: { "wake-idle": 1 } });
    expect(await inspectQueue(engine, "q", { idle: true, repair: true })).toMatchObject({ isClean: true });
    expect(await engine.command(["LRANGE", patient.key("wake"), "0", "-1"])).toEqual(["1"]);
  });
});
