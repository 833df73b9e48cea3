/** Why a job does not run: each reason there is, from a queue that is in that state. */

import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import { wordsOf } from "../../../src/queue/explain.ts";
import { QueueCore } from "../../../src/queue/queue.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";

function setup() {
  const ports = createTestPorts();
  const engine = new EmbeddedEngine({ ports });
  const queue = new QueueCore("mail", { engine, release: () => Promise.resolve() });
  const { jobs } = queue;
  /** A worker that asks for nothing and tells that it is there. */
  const ask = (worker: string, concurrency = 5, names?: readonly string[]) =>
    jobs.turn("mail", { worker, leaseMs: 30_000, want: 0, presence: { beatMs: 1000, concurrency, names } });
  const kinds = async (id: string) => (await queue.explain(id)).reasons.map(({ kind }) => kind);
  return { ports, engine, queue, jobs, ask, kinds };
}

describe("explain", () => {
  it("refuses what is no text and what no alias can be before it asks", async () => {
    const { queue } = setup();
    await expect(queue.explain(5 as never)).rejects.toMatchObject({ code: "invalid_id" });
    await expect(queue.explain("x".repeat(300))).rejects.toMatchObject({ code: "invalid_job_id" });
  });

  it("knows no job of an unknown id", async () => {
    const { queue } = setup();
    expect(await queue.explain("JOB0Nb1VTbfnu4")).toMatchObject({
      state: "absent",
      reasons: [{ kind: "absent" }],
      text: "There is no job of this id: it is completed, was removed, or was never added.",
    });
  });

  it("finds nothing in the way of the first job of a queue that is served", async () => {
    const { queue, ask } = setup();
    const { id } = await queue.add("welcome", {});
    await ask("w1");
    expect(await queue.explain(id)).toMatchObject({ state: "pending", reasons: [{ kind: "next" }] });
  });

  it("tells a pause before anything else, also to a job that is delayed", async () => {
    const { queue, ask, kinds } = setup();
    const first = await queue.add("welcome", {});
    const second = await queue.add("welcome", {});
    const later = await queue.add("welcome", {}, { delay: "1h" });
    await ask("w1");
    await queue.pause();
    expect(await kinds(first.id)).toEqual(["paused"]);
    expect(await kinds(second.id)).toEqual(["paused", "behind"]);
    expect(await kinds(later.id)).toEqual(["delayed", "paused"]);
  });

  it("counts the jobs before one by priority and age, also in a lane", async () => {
    const { queue, ask } = setup();
    const late = await queue.add("welcome", {}, { priority: 9 });
    for (let at = 0; at < 12; at++) await queue.add("welcome", {});
    await queue.add("welcome", {}, { lane: "ada" });
    const lane = await queue.add("welcome", {}, { lane: "ada" });
    await ask("w1");
    const told = await queue.explain(late.id);
    expect(told.reasons).toEqual([{ kind: "behind", jobs: 12, lane: undefined }]);
    expect(told.text).toBe("12 jobs are before it.");
    expect(await queue.explain(lane.id)).toMatchObject({
      reasons: [{ kind: "behind", jobs: 1, lane: "ada" }],
      text: '1 job is before it in the lane "ada".',
    });
  });

  it("tells that a lane is paused, at its limit, held in its order, or so many turns away", async () => {
    const { queue, jobs, ask } = setup();
    await ask("w1");
    const lane = queue.lane("ada");
    const { id } = await queue.add("welcome", {}, { lane: "ada" });
    await lane.pause();
    expect(await queue.explain(id)).toMatchObject({
      reasons: [{ kind: "lane-paused", lane: "ada" }],
      text: 'Its lane "ada" is paused: resume it.',
    });
    for (const name of ["x", "y"]) await queue.add("welcome", {}, { lane: name });
    await lane.resume();
    expect(await queue.explain(id)).toMatchObject({
      reasons: [{ kind: "turns", lane: "ada", turns: 2 }],
      text: '2 other lanes are before its lane "ada" in the round.',
    });
    for (const name of ["x", "y"]) await queue.lane(name).drain();
    const next = await queue.add("welcome", {}, { lane: "ada" });
    await lane.limit(1);
    await jobs.turn("mail", { worker: "w1", leaseMs: 30_000, want: 1 });
    expect((await queue.explain(next.id)).reasons).toContainEqual({
      kind: "lane-full",
      lane: "ada",
      active: 1,
      limit: 1,
      isOrdered: false,
    });
    await lane.ordered(true);
    expect((await queue.explain(next.id)).text).toContain('Its lane "ada" is ordered, and a job that was begun before');
  });

  it("tells which limit of the queue, the lane or the name holds a job back, and for how long", async () => {
    const { queue, ask, jobs } = setup();
    const turn = async () => await jobs.turn("mail", { worker: "w1", leaseMs: 30_000, want: 5 });
    await ask("w1");
    await queue.setLimits({ rate: { max: 1, duration: "1h" }, concurrency: 1 });
    await queue.add("welcome", {});
    const { id } = await queue.add("welcome", {});
    await turn();
    const told = await queue.explain(id);
    expect(told.reasons).toContainEqual({ kind: "rate", inMs: 3_600_000, cost: 1 });
    expect(told.reasons).toContainEqual({ kind: "queue-full", active: 1, limit: 1 });
    expect(told.text).toContain("The queue is at its limit: 1 job is active of 1 at once.");
    await queue.setLimits({ rate: null, concurrency: null, names: { welcome: { max: 1, duration: "1h" } } });
    await turn();
    await turn();
    const { id: last } = await queue.add("welcome", {});
    await turn();
    const named = await queue.explain(last);
    expect(named.reasons).toContainEqual({ kind: "lane-rate", lane: "@welcome", inMs: 3_600_000, cost: 1 });
    expect(named.text).toContain('The rate of its lane "@welcome" is spent');
  });

  it("tells when a delayed job runs that keeps its place in an ordered lane", async () => {
    const { queue, ask, ports } = setup();
    await ask("w1");
    await queue.lane("ada").ordered(true);
    const { id } = await queue.add("welcome", {}, { lane: "ada", delay: "1m" });
    const told = await queue.explain(id);
    expect(told.state).toBe("pending");
    expect(told.reasons).toEqual([
      { kind: "delayed", dueAt: ports.clock.now() + 60_000, inMs: 60_000, lastError: undefined },
    ]);
  });

  it("tells the due time by the server's clock, and the failure that put the job off", async () => {
    const { queue, jobs, ask, ports } = setup();
    const { id } = await queue.add("welcome", {});
    await ask("w1");
    await jobs.claim("mail", 30_000);
    await jobs.retry("mail", id, 1, { delayMs: 90_000, maxAttempts: 3, error: "no route" });
    const now = ports.clock.now();
    const told = await queue.explain(id);
    expect(told).toMatchObject({
      state: "scheduled",
      askedAt: now,
      reasons: [{ kind: "delayed", dueAt: now + 90_000, inMs: 90_000, lastError: "no route" }],
    });
    const at = new Date(now + 90_000).toISOString();
    expect(told.text).toBe(`It is delayed until ${at}, 90 s from now after it failed: no route.`);
  });

  it("says of a job that is overdue that the next turn moves it", async () => {
    const { queue, kinds, ports } = setup();
    const { id } = await queue.add("welcome", {}, { delay: 500 });
    ports.clock.shift(2000);
    const { reasons, text } = await queue.explain(id);
    expect(reasons[0]).toMatchObject({ kind: "delayed", inMs: -1500 });
    expect(text).toContain("It was due at ");
    expect(await kinds(id)).toEqual(["delayed", "no-worker"]);
  });

  it("says that no worker knows a name, and which names are known", async () => {
    const { queue, ask, kinds } = setup();
    const { id } = await queue.add("digest", {});
    const known = await queue.add("welcome", {});
    await ask("w1", 5, ["welcome", "farewell"]);
    await ask("w2", 5, ["welcome"]);
    const told = await queue.explain(id);
    expect(told.reasons).toEqual([{ kind: "unknown-name", name: "digest", known: ["farewell", "welcome"] }]);
    expect(told.text).toBe('No worker knows the name "digest"; they know "farewell", "welcome".');
    expect(await kinds(known.id)).toEqual(["behind"]);
    await ask("w3");
    expect(await kinds(id)).toEqual(["next"]);
  });

  it("tells why a job is dead: it failed, it crashed, it was cancelled", async () => {
    const { queue, jobs, ports } = setup();
    const failed = await queue.add("welcome", {});
    await jobs.claim("mail", 30_000);
    await jobs.retry("mail", failed.id, 1, { delayMs: 0, maxAttempts: 1, error: "no such address" });
    const crashed = await queue.add("welcome", {});
    await jobs.claim("mail", 1000);
    ports.clock.shift(2000);
    await jobs.sweep("mail", { maxStalled: 1 });
    const cancelled = await queue.add("welcome", {});
    await jobs.claim("mail", 30_000);
    await jobs.cancel("mail", cancelled.id, "enough");
    await jobs.retry("mail", cancelled.id, 1, { delayMs: 0, maxAttempts: 1, error: "stopped" });
    expect((await queue.explain(failed.id)).reasons).toEqual([
      { kind: "dead", cause: "failed", error: "no such address" },
    ]);
    expect((await queue.explain(crashed.id)).reasons).toEqual([{ kind: "dead", cause: "crashed", error: "stalled" }]);
    expect((await queue.explain(cancelled.id)).reasons).toEqual([
      { kind: "dead", cause: "cancelled", error: "stopped" },
    ]);
  });

  it("names the holder of an active job, its lease, and that it was asked to stop", async () => {
    const { queue, jobs } = setup();
    const { id } = await queue.add("welcome", {});
    await jobs.turn("mail", { worker: "w1", leaseMs: 30_000, want: 1 });
    await jobs.cancel("mail", id, "enough");
    expect(await queue.explain(id)).toMatchObject({
      state: "active",
      reasons: [{ kind: "active", worker: "w1", token: 1, leaseLeftMs: 30_000, isCancelled: true }],
      text: 'It is active: worker "w1" has it under token 1, with 30000 ms of its lease left. It was asked to stop.',
    });
  });

  it.each([
    ["90s", "90 s from now"],
    ["599s", "599 s from now"],
    ["45m", "45 minutes from now"],
    ["2h", "120 minutes from now"],
    ["30h", "30 hours from now"],
    ["2w", "14 days from now"],
  ] as const)("tells a delay of %s as people do: %s", async (delay, words) => {
    const { queue } = setup();
    const { id } = await queue.add("welcome", {}, { delay });
    expect((await queue.explain(id)).text).toContain(words);
  });

  it("calls a row that stands in no set a case for the doctor", async () => {
    const { queue, engine, kinds } = setup();
    const { id } = await queue.add("welcome", {});
    await engine.command(["ZREM", "emq:{mail}:pending", id]);
    expect(await kinds(id)).toEqual(["stray"]);
    expect((await queue.explain(id)).text).toContain("the doctor mends that");
  });

  it("takes what is no entry in the list of workers for none", async () => {
    const { queue, engine, ask } = setup();
    await ask("w1");
    await engine.command(["HSET", "emq:{mail}:workers", "a", "{", "b", "7", "c", "{}", "d", '{"askedAt":"1"}']);
    expect((await queue.workers()).map(({ id }) => id)).toEqual(["w1"]);
  });

  it("has words for every reason", () => {
    expect(wordsOf({ kind: "completed" })).toBe("It is completed.");
    const children = [{ id: "JOB0Nb1VTbfnu4", queueName: "files" }];
    expect(wordsOf({ kind: "awaiting_children", open: 1, children, inMs: undefined })).toBe(
      'It waits for 1 child: JOB0Nb1VTbfnu4 of "files".',
    );
    expect(wordsOf({ kind: "awaiting_children", open: 30, children, inMs: 2000 })).toBe(
      'It waits for 30 children: JOB0Nb1VTbfnu4 of "files" and others. It waits 2000 ms longer at most.',
    );
    expect(wordsOf({ kind: "dead", cause: "failed", error: "" })).toContain("no error was told");
    expect(wordsOf({ kind: "unknown-name", name: "a", known: [] })).toContain("they know none");
    const beyond = { kind: "delayed", dueAt: 8.64e15 + 1, inMs: 8.6e15, lastError: undefined } as const;
    expect(wordsOf(beyond)).toContain("until 8640000000000001");
  });
});
