/**
 * The whole public surface on three primaries with twenty queues: every member of every class is called on each queue.
 *
 * What was called is recorded and compared with what the classes have, so that a new method cannot be left out here.
 */

import { Cluster as IoRedisCluster } from "ioredis";
import { Cluster as IoValkeyCluster } from "iovalkey";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ConnectionInput } from "../../src/engine-registry.ts";
import { Queue, snooze, UnrecoverableError, Worker, type WorkerJob } from "../../src/index.ts";
import { bytesOf } from "../../src/protocol/bytes.ts";
import { slot } from "../../src/protocol/slot.ts";
import type { AddedJob, Job, StoredJob } from "../../src/queue/job.ts";
import { Jobs } from "../../src/queue/jobs.ts";
import { checkInvariants } from "../../src/testing/invariants.ts";
import { RecordingLogger } from "../../src/testing/test-ports.ts";
import type { LibraryClient } from "../../src/valkey/client.ts";
import { newIds, operate, produce, read, work } from "../integration/connection/whole-api.ts";
import { openEngine, recordingPorts, until } from "../integration/valkey/setup-engine.ts";
import type { TestCluster } from "../server/start-cluster.ts";
import type { TestServer } from "../server/start-server.ts";
import { useCluster } from "../server/use-server.ts";

const NAMES = Array.from({ length: 20 }, (_, at) => `queue-${at}`);

/** Members that no caller sees: the constructor, and what is protected. */
const HIDDEN: ReadonlySet<PropertyKey> = new Set(["constructor", "keepLogs", "keysOf", "occurrence", "tellAdded"]);

/** Which members of which classes were used, and which they have. */
class Usage {
  readonly #used = new Map<string, Set<PropertyKey>>();
  readonly #members = new Map<string, Set<PropertyKey>>();

  /** The same object, seen through: what is looked up on it counts as used. */
  watch<T extends object>(object: T, name: string): T {
    const members = this.#setOf(this.#members, name);
    let level = Object.getPrototypeOf(object) as object;
    while (level !== Object.prototype) {
      for (const key of Reflect.ownKeys(level)) if (!HIDDEN.has(key)) members.add(key);
      level = Object.getPrototypeOf(level) as object;
    }
    const used = this.#setOf(this.#used, name);
    return new Proxy(object, {
      get(target, key) {
        used.add(key);
        // Private members are only found on the object itself.
        const value: unknown = Reflect.get(target, key, target);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
      set: (target, key, value) => {
        used.add(key);
        return Reflect.set(target, key, value, target);
      },
    });
  }

  /** `Class.member` of what nobody used. */
  unused(): string[] {
    const names = [...this.#members].flatMap(([name, members]) => {
      const used = this.#setOf(this.#used, name);
      return [...members].filter((key) => !used.has(key)).map((key) => `${name}.${String(key)}`);
    });
    return names.sort();
  }

  #setOf(map: Map<string, Set<PropertyKey>>, name: string): Set<PropertyKey> {
    const found = map.get(name) ?? new Set();
    map.set(name, found);
    return found;
  }
}

const seedsOf = ({ primaries }: TestCluster) =>
  primaries.map(({ port }) => ({ host: "127.0.0.1", port: port as number }));

/** A client that its owner closes when the test ends. */
function borrowed(client: IoValkeyCluster | IoRedisCluster): LibraryClient {
  onTestFinished(() => client.disconnect());
  return client as unknown as LibraryClient;
}

/** How many refusals of a class all nodes gave so far. */
async function refusalCount(cluster: TestCluster, word: string): Promise<number> {
  const pattern = new RegExp(`errorstat_${word}:count=(\\d+)`);
  const infos = await Promise.all(cluster.primaries.map((node) => node.command("INFO", "errorstats")));
  return infos.reduce<number>((sum, info) => sum + Number(pattern.exec(String(info))?.[1] ?? 0), 0);
}

/** A queue whose use is recorded, and its log. */
function openQueue(connection: ConnectionInput, name: string, usage: Usage) {
  const logger = new RecordingLogger();
  const queue = usage.watch(new Queue(name, { connection, logger }), "Queue");
  onTestFinished(() => queue.close());
  const added = (job: object) => usage.watch(job as AddedJob, "AddedJob");
  return { queue, logger, added };
}

/** The producer's and the operator's methods, on jobs that no worker takes meanwhile. */
async function useQueue(connection: ConnectionInput, name: string, usage: Usage): Promise<void> {
  const { queue, logger, added } = openQueue(connection, name, usage);
  const heard: string[] = [];
  const onError = (error: unknown) => void heard.push(String(error));
  queue.on("error", onError);
  queue.off("error", onError);
  queue.on("error", onError);
  queue.once("closed", () => void heard.push("closed"));
  await queue.waitUntilReady();
  await queue.pause();
  expect(await queue.isPaused()).toBe(true);

  const first = added(await queue.add("first", { n: 1 }, { priority: 2 }));
  expect((await queue.explain(first.id)).reasons[0]).toEqual({ kind: "paused" });
  expect(await queue.workers()).toEqual([]);
  const named = await queue.add("named", { n: 0 }, { jobId: "the one", deduplication: { id: "x" } });
  expect((await queue.add("named", { n: 0 }, { jobId: "the one" })).outcome).toBe("duplicate");
  expect(await queue.getDeduplicationJobId("x")).toBe(named.id);
  expect(await queue.removeDeduplicationKey("x")).toBe(true);
  expect(await queue.remove("the one")).toBe("ok");
  const bulk = await queue.addBulk([
    { name: "second", data: { n: 2 } },
    { name: "third", data: { n: 3 }, opts: { delay: "1h" } },
    { name: "fourth", data: { n: 4 }, opts: { delay: "1h" } },
  ]);
  const [second, third, fourth] = bulk.map(added) as [AddedJob, AddedJob, AddedJob];
  expect(await queue.getJobCounts("pending", "schedule")).toEqual({ pending: 2, schedule: 2 });
  expect(await queue.count()).toBe(4);
  // Two pages over two states are one list.
  const pages = [await queue.getJobs(["pending", "scheduled"], 0, 2), await queue.getJobs(["pending", "scheduled"], 3)];
  expect(pages.map((page) => page.length)).toEqual([3, 1]);
  expect(new Set(pages.flat().map((job) => job.id))).toEqual(
    new Set([first, second, third, fourth].map((job) => job.id)),
  );
  expect((await queue.getJobs("pending", 0, 9, true)).map((job) => job.id)).toEqual([second.id, first.id]);

  expect(await queue.promote(third.id)).toBe("ok");
  expect(await fourth.promote()).toBe("ok");
  expect(await queue.getState(third.id)).toBe("pending");
  expect(await queue.retry(third.id)).toBe("not_dead");
  expect(await queue.updateData(third.id, { n: 33 })).toBe("ok");
  expect(await queue.updateProgress(third.id, 50)).toBe("ok");
  expect(await queue.log(third.id, "one")).toBe(1);
  expect(await queue.getLogs(third.id)).toEqual(["one"]);
  expect(await queue.jobs.cancel(name, second.id, "no longer wanted")).toBe("removed");
  expect(await queue.remove(third.id)).toBe("ok");

  const stored = usage.watch((await queue.getJob(first.id)) as object, "StoredJob") as StoredJob;
  for (const job of [first, stored]) {
    expect(await job.updateData({ n: 11 })).toBe("ok");
    expect(await job.updateProgress({ part: 1 })).toBe("ok");
    expect(await job.log("line")).toBeGreaterThan(0);
    expect(await job.getLogs()).toContain("line");
    expect(await job.getState()).toBe("pending");
    expect(await job.retry()).toBe("not_dead");
    expect(await job.promote()).toBe("not_scheduled");
    await expect(job.result({ timeout: 0 })).rejects.toMatchObject({ code: "result_timeout" });
    expect(job.createdAt).toBeInstanceOf(Date);
    expect(occurrenceOf(job)).toEqual(NO_OCCURRENCE);
  }
  const again = usage.watch((await queue.getJob(first.id)) as object, "StoredJob") as StoredJob;
  expect([again.failures, again.crashes, again.interruptions]).toEqual([0, 0, 0]);
  expect([again.data, again.progress, again.payload.length]).toEqual([{ n: 11 }, { part: 1 }, 8]);
  expect([again.finishedAt, again.returnValue]).toEqual([undefined, undefined]);
  expect(occurrenceOf(again)).toEqual(NO_OCCURRENCE);
  expect(await again.remove()).toBe("ok");
  expect(await first.remove()).toBe("gone");
  expect(await fourth.remove()).toBe("ok");
  await operateQueue(queue, name, usage);
  await queue.resume();
  expect(await queue.getJobCounts()).toMatchObject({ pending: 0, active: 0, schedule: 0, dead: 0 });
  await queue.close();
  await queue[Symbol.asyncDispose]();
  expect(heard).toEqual(["closed"]);
  expect(logger.lines).toEqual([]);
}

/** What an operator does to a whole queue that is paused, and what is seen of it from above. */
async function operateQueue(queue: Queue, name: string, usage: Usage): Promise<void> {
  const later = usage.watch(await queue.add("later", {}, { delay: "1h" }), "AddedJob");
  const now = await queue.add("now", {}, { lane: "l" });
  expect([await later.changeDelay("2h"), await later.changePriority(3)]).toEqual(["ok", "ok"]);
  expect([await queue.changeDelay(now.id, 5), await queue.changePriority(now.id, 3)]).toEqual(["not_scheduled", "ok"]);
  const stored = usage.watch((await queue.getJob(now.id)) as object, "StoredJob") as StoredJob;
  expect([await stored.changeDelay(5), await stored.changePriority(0)]).toEqual(["not_scheduled", "ok"]);
  expect((await queue.listIds("pending", { lane: "l" })).ids).toEqual([now.id]);
  expect((await queue.listJobs("scheduled")).jobs.map(({ id }) => id)).toEqual([later.id]);
  await useLane(queue, now.id, usage);
  expect(await queue.oldestPendingAge()).toBeGreaterThanOrEqual(0);
  expect(await queue.throughput()).toHaveLength(60);
  await queue.setLimits({ concurrency: 5 });
  expect((await queue.limits()).concurrency).toBe(5);
  await queue.setLimits({ concurrency: null });
  await queue.setRetention({ removeOnComplete: 10 });
  expect(await queue.retention()).toEqual({ removeOnComplete: 10 });
  await queue.setRetention({ removeOnComplete: null });
  await queue.keepEvents({ maxBytes: 1_000_000 });
  expect(await queue.keptEvents()).toMatchObject({ maxBytes: 1_000_000 });
  await queue.keepEvents(null);
  await useScheduler(queue);
  expect([await queue.pauseWorker("nobody"), await queue.resumeWorker("nobody")]).toEqual(["gone", "gone"]);
  expect(await queue.cancel(later.id)).toBe("removed");
  expect(await queue.clean({ state: "scheduled" })).toBe(0);
  for (const scan of [false, true]) expect(await queue.queues({ scan })).toEqual(expect.arrayContaining([name]));
  expect([await queue.retryDead(), await queue.clean({ state: "dead" })]).toEqual([0, 0]);
  expect(await queue.drain({ lanes: true })).toBe(1);
  expect((await queue.doctor()).findings).toEqual([]);
  await queue.obliterate({ force: true });
  expect(await queue.getJobCounts("schedule")).toEqual({ schedule: 0 });
}

/** What tells the occurrence of a scheduler from other jobs. */
function occurrenceOf({ schedulerId, slotAt }: Job): unknown[] {
  return [schedulerId, slotAt];
}

const NO_OCCURRENCE = [undefined, undefined];

/** A scheduler of a queue that is paused; the job that it makes goes as well. */
async function useScheduler(queue: Queue): Promise<void> {
  expect((await queue.upsertJobScheduler("report", { every: "1h" })).outcome).toBe("added");
  expect((await queue.getJobScheduler("report"))?.facts.every).toBe(3_600_000);
  expect((await queue.getJobSchedulers()).schedulers.map(({ id }) => id)).toEqual(["report"]);
  const [next] = await queue.previewJobScheduler("report", 2);
  expect(await queue.skipJobScheduler("report")).toEqual(next);
  const made = await queue.runJobScheduler("report");
  expect(made.outcome).toBe("added");
  expect(await queue.remove(made.id ?? "")).toBe("ok");
  expect([await queue.removeJobScheduler("report"), await queue.removeJobScheduler("report")]).toEqual([true, false]);
}

/** What an operator does to the lane of one job that waits in it; the job is left as it was. */
async function useLane(queue: Queue, id: string, usage: Usage): Promise<void> {
  const lane = usage.watch(queue.lane("l"), "Lane");
  await lane.pause();
  expect(await lane.counts()).toMatchObject({ depth: 1, isPaused: true });
  await lane.resume();
  await lane.limit(2);
  await lane.weight(3);
  await lane.rate({ max: 100, duration: "1s" });
  expect((await queue.lanes()).lanes).toEqual([expect.objectContaining({ lane: "l", limit: 2, weight: 3 })]);
  await lane.limit(null);
  await lane.weight(null);
  await lane.rate(null);
  await lane.ordered(true);
  await lane.ordered(false);
  expect([lane.name, await lane.depth(), await lane.reassign(id)]).toEqual(["l", 1, "noop"]);
  const other = usage.watch(queue.lane("other"), "Lane");
  expect(await other.reassign(id)).toBe("reassigned");
  expect([await lane.drain(), await lane.reassign(id)]).toEqual([0, "reassigned"]);
}

/** The worker's methods and those of the job in its hand: done, put off, failed, dead and mended, cancelled. */
async function useWorker(connection: ConnectionInput, name: string, usage: Usage): Promise<void> {
  const { queue, logger } = openQueue(connection, name, usage);
  const runs: string[] = [];
  const handler = async (claimed: WorkerJob, { signal }: { readonly signal: AbortSignal }): Promise<unknown> => {
    const job = usage.watch(claimed, "WorkerJob");
    runs.push(job.name);
    if (job.name === "put-off" && job.deferred === 0) throw snooze(1);
    if (job.name === "fails" && job.attempt === 1) throw new Error("the first time");
    if (job.name === "dies" && job.token === 1) throw new UnrecoverableError("for good");
    if (job.name === "cancelled") {
      return await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    }
    if (job.name !== "looks") return "done";
    expect([await job.getState(), await job.updateData({ n: 2 })]).toEqual(["active", "ok"]);
    expect([await job.updateProgress(100), await job.log("line")]).toEqual(["ok", 1]);
    expect([await job.getLogs(), job.createdAt.getTime() > 0]).toEqual([["line"], true]);
    expect([job.failures, job.crashes, job.interruptions]).toEqual([0, 0, 0]);
    expect(occurrenceOf(job)).toEqual(NO_OCCURRENCE);
    expect([await job.retry(), await job.promote()]).toEqual(["not_dead", "not_scheduled"]);
    await expect(job.result()).rejects.toMatchObject({ code: "unsupported" });
    expect([await job.changeDelay(5), await job.changePriority(1)]).toEqual(["not_scheduled", "not_waiting"]);
    // The row goes with its lease: what is settled afterwards is gone already.
    expect(await job.remove()).toBe("ok");
    return "done";
  };
  const made = new Worker(name, handler, {
    connection,
    autorun: false,
    lease: "5s",
    beat: "1s",
    backoff: 1,
    logger,
  });
  const worker = usage.watch(made, "Worker");
  onTestFinished(() => worker.close());
  const events: string[] = [];
  const onFailed = (job: { name: string }, _error: unknown, outcome: string) => events.push(`${job.name} ${outcome}`);
  worker.on("failed", onFailed);
  worker.off("failed", onFailed);
  worker.on("failed", onFailed);
  worker.once("closed", () => void events.push("closed"));
  worker.concurrency = 4;
  expect(worker.isRunning()).toBe(false);
  const running = worker.run();
  await worker.waitUntilReady();
  await worker.pause();
  expect([worker.isPaused(), worker.isRunning(), worker.concurrency]).toEqual([true, true, 4]);
  expect(worker.isPausedRemotely()).toBe(false);
  const names = ["plain", "put-off", "fails", "dies", "looks", "cancelled"];
  const jobs = await queue.addBulk(names.map((each) => ({ name: each, data: { n: 1 } })));
  worker.resume();
  await until(() => runs.length >= 8 || runs.join(" "));
  const [dies, cancelled] = [jobs[3] as AddedJob, jobs[5] as AddedJob];
  await until(async () => (await queue.getState(dies.id)) === "dead");
  expect((await queue.getJob(dies.id))?.lastError).toContain("for good");
  expect(await usage.watch(dies, "AddedJob").retry()).toBe("ok");
  expect(await queue.jobs.cancel(name, cancelled.id, "no longer wanted")).toBe("marked");
  await until(async () => {
    const { pending, active, schedule } = await queue.getJobCounts("pending", "active", "schedule");
    return pending + active + schedule === 0 || `${pending} ${active} ${schedule} ${runs.join(" ")}`;
  });
  expect([...runs].sort()).toEqual([
    "cancelled",
    "dies",
    "dies",
    "fails",
    "fails",
    "looks",
    "plain",
    "put-off",
    "put-off",
  ]);
  await expect
    .poll(() => worker.health(), { timeout: 10_000, interval: 5 })
    .toMatchObject({ state: "running", engine: "ready", isConsuming: true });
  expect(await queue.addAndWait("plain", { n: 2 }, { opts: { removeOnComplete: false } })).toBe("done");
  const [kept] = (await queue.listIds("completed")).ids;
  expect(await queue.result(kept ?? "", { timeout: 0 })).toBe("done");
  await queue.jobs.removeJob(name, kept ?? "");
  await worker.close();
  await worker[Symbol.asyncDispose]();
  await running;
  expect(events).toEqual(expect.arrayContaining(["fails scheduled", "dies dead", "closed"]));
  await queue.jobs.removeJob(name, cancelled.id);
}

/** What the sorted lists of verbs leave out of the low-level methods. */
async function useRest(jobs: Jobs, name: string): Promise<void> {
  const id = newIds()();
  expect(await jobs.admitBytes(name, [{ id, payload: bytesOf("x"), shape: "", values: [] }])).toHaveLength(1);
  expect(await jobs.getIds(name, "pending", { start: 0, end: 99, ascending: true })).toContain(id);
}

describe("the whole API on twenty queues of a cluster of three primaries", () => {
  const cluster = useCluster({ hasReplicas: false });

  it("lies on all three primaries, whose counts would show a CROSSSLOT", async () => {
    const owners = await Promise.all(NAMES.map((name) => cluster().ownerOf(slot(`emq:{${name}}:`))));
    expect(new Set(owners).size).toBe(3);
    const before = await refusalCount(cluster(), "CROSSSLOT");
    const [node] = cluster().primaries as [TestServer];
    await expect(node.command("MGET", "a", "b")).rejects.toThrow("CROSSSLOT");
    expect(await refusalCount(cluster(), "CROSSSLOT")).toBe(before + 1);
  });

  it.each([
    ["a URL", ({ url }: TestCluster) => url],
    ["a client of iovalkey", (each: TestCluster) => borrowed(new IoValkeyCluster(seedsOf(each)))],
    ["a client of ioredis", (each: TestCluster) => borrowed(new IoRedisCluster(seedsOf(each)))],
  ])(
    "is served by every method of Queue, Worker and their jobs over %s without one CROSSSLOT (PB-181)",
    async (_, give) => {
      const connection = give(cluster());
      const usage = new Usage();
      const before = await refusalCount(cluster(), "CROSSSLOT");
      await Promise.all(NAMES.map((name) => useQueue(connection, name, usage)));
      await Promise.all(NAMES.map((name) => useWorker(connection, name, usage)));
      expect(usage.unused()).toEqual([]);
      expect(await refusalCount(cluster(), "CROSSSLOT")).toBe(before);
      const engine = openEngine({ connection: cluster().url });
      for (const name of NAMES) expect(await checkInvariants(engine, name)).toEqual([]);
    },
    60_000,
  );

  it("is served by every method of Jobs without one CROSSSLOT (PB-181)", async () => {
    const usage = new Usage();
    const before = await refusalCount(cluster(), "CROSSSLOT");
    const ports = recordingPorts();
    const engine = openEngine({ connection: cluster().url, ports });
    const watched = usage.watch(new Jobs(engine), "Jobs");
    for (const name of NAMES) {
      for (const part of [produce, work, read, operate]) await part(watched, name);
      await useRest(watched, name);
      expect(await checkInvariants(engine, name)).toEqual([]);
    }
    expect(usage.unused()).toEqual([]);
    expect(await refusalCount(cluster(), "CROSSSLOT")).toBe(before);
    expect(ports.logger.lines).toEqual([]);
  }, 200_000);
});
