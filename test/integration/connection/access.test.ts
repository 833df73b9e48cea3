/** The users of docs/operate/access.md: each can do all that it is for, and nothing of what it is not for. */

import { describe, expect, it, onTestFinished } from "vitest";
import { inspectQueue } from "../../../src/doctor/doctor.ts";
import {
  EventStream,
  FlowProducer,
  type Handler,
  Queue,
  QueueEvents,
  RateLimitError,
  StreamConsumer,
  Streams,
  Worker,
} from "../../../src/index.ts";
import { Jobs } from "../../../src/queue/jobs.ts";
import { dumpQueue } from "../../../src/testing/dump.ts";
import { RecordingLogger } from "../../../src/testing/test-ports.ts";
import { startServer } from "../../server/start-server.ts";
import { DAMAGE, Patient } from "../../unit/doctor/damage.ts";
import { errorOf, openEngine, recordingPorts, until } from "../valkey/setup-engine.ts";
import { accessCommands, PASSWORD } from "./access-lines.ts";
import { lookFromAbove, newIds, operate, produce, read, work } from "./whole-api.ts";

const QUEUE = "mail";

/** A server with the users of the page, and nobody else but the default user, who is the test itself. */
async function setup() {
  const server = await startServer({ tcp: true });
  onTestFinished(() => server.stop());
  for (const parts of accessCommands(QUEUE)) await server.command(...parts);
  const connectionOf = (username: string) => ({ url: server.url, username, password: PASSWORD });
  const engineOf = (username: string) => {
    const ports = recordingPorts();
    const engine = openEngine({ connection: connectionOf(username), ports, isReadonly: username === "reader" });
    return Object.assign(engine, { lines: ports.logger.lines });
  };
  const admin = openEngine({ connection: server.url });
  return { server, connectionOf, engineOf, admin };
}

describe("a user with the rights of the page", () => {
  it("can do all that a producer does, by verbs and by a queue", async () => {
    const { engineOf, connectionOf } = await setup();
    await produce(engineOf("producer"), QUEUE);
    const queue = new Queue(QUEUE, { connection: connectionOf("producer") });
    onTestFinished(() => queue.close());
    await queue.add("one", { n: 1 });
    expect(await queue.addBulk([{ name: "two", data: {} }])).toHaveLength(1);
    expect((await queue.add("later", {}, { delay: "1h" })).existing).toBeUndefined();
    await queue.close();
  });

  it("can wait for a result as a producer that may", async () => {
    const { connectionOf, admin } = await setup();
    const jobs = new Jobs(admin);
    const queue = new Queue(QUEUE, { connection: connectionOf("producer") });
    onTestFinished(() => queue.close());
    const { id } = await queue.add("asked", {});
    const wait = queue.result(id);
    await until(async () => (await jobs.getRow(QUEUE, id))?.has("wait") === true);
    let claimed = await jobs.claim(QUEUE, 30_000);
    while (claimed !== undefined && claimed.id !== id) claimed = await jobs.claim(QUEUE, 30_000);
    expect(await jobs.complete(QUEUE, id, claimed?.attempts ?? 0, "7")).toBe("ok");
    expect(await wait).toBe(7);
    await queue.close();
  });

  it("can listen to events as a reader, of what a producer adds and a worker does", async () => {
    const { connectionOf } = await setup();
    const events = new QueueEvents(QUEUE, { connection: { ...connectionOf("reader"), isReadonly: true } });
    onTestFinished(() => events.close());
    const heard: string[] = [];
    events.on("any", ({ event }) => heard.push(event));
    await events.waitUntilReady();
    const queue = new Queue(QUEUE, { connection: connectionOf("producer") });
    onTestFinished(() => queue.close());
    await queue.add("told", {});
    const worker = new Worker(QUEUE, async () => {}, { connection: connectionOf("worker") });
    onTestFinished(() => worker.close({ timeout: 0 }));
    await until(() => heard.includes("completed"));
    expect(heard).toContain("added");
    expect(heard).toContain("active");
  });

  it("can do all that a worker does, by verbs and by a worker that waits for work", async () => {
    const { engineOf, connectionOf, admin, server } = await setup();
    await work(engineOf("worker"), QUEUE, admin);
    const seen: string[] = [];
    const worker = new Worker(QUEUE, async (job) => void seen.push(job.name), { connection: connectionOf("worker") });
    onTestFinished(() => worker.close());
    await until(async () => String(await server.command("CLIENT", "LIST")).includes("cmd=blpop"));
    const queue = new Queue(QUEUE, { connection: server.url });
    onTestFinished(() => queue.close());
    await queue.add("woken", {});
    await until(() => seen.includes("woken"));
    await worker.close();
    await queue.close();
  });

  it("can append to a stream as a producer, read it as a group as a worker, and follow it as a reader", async () => {
    const { connectionOf, admin } = await setup();
    const stream = new EventStream(QUEUE, "paid", { connection: connectionOf("producer"), maxLength: 1 });
    const looker = new EventStream(QUEUE, "paid", {
      connection: { ...connectionOf("reader"), isReadonly: true },
      node: 0,
    });
    onTestFinished(() => Promise.all([stream.close(), looker.close()]).then(() => undefined));
    const followed: string[] = [];
    const follow = async () => {
      for await (const { fields } of looker.tail({ from: "start" })) followed.push(fields["n"] ?? "");
    };
    const following = follow();
    const handled: string[] = [];
    const consumer = new StreamConsumer(
      QUEUE,
      "paid",
      ({ fields }) => {
        handled.push(fields["n"] ?? "");
        if (fields["n"] === "bad") throw new Error("never");
      },
      { connection: connectionOf("worker"), group: "g", from: "start", maxDeliveries: 2, backoff: 10 },
    );
    onTestFinished(() => consumer.close({ timeout: 0 }));
    const errors: unknown[] = [];
    consumer.on("error", (error) => errors.push(error));
    await consumer.waitUntilReady();
    await stream.append({ n: "good" });
    await stream.appendBatch([{ n: "bad" }]);
    await until(async () => (await new Streams(admin).length(QUEUE, "paid.dead")) === 1);
    await until(() => followed.length === 2);
    expect(handled).toEqual(["good", "bad", "bad"]);
    expect(errors).toEqual([]);
    await until(async () => (await looker.groups())[0]?.pending === 0);
    expect(await looker.groups()).toMatchObject([{ group: "g", lag: 0 }]);
    expect(await stream.readSince(0)).toHaveLength(2);
    await stream.trim({ maxLength: 1 });
    await stream.setArchived((await stream.newest())?.id);
    expect(await looker.archived()).toBe((await looker.newest())?.id);
    await expect(looker.trim({ maxLength: 0 })).rejects.toMatchObject({ code: "permission" });
    await consumer.close();
    await looker.close();
    await following;
  });

  it("can work under limits, costs, times to live and retention, as they are added and set by others", async () => {
    const { connectionOf, server } = await setup();
    const queueOf = (username: string) => {
      const queue = new Queue(QUEUE, { connection: connectionOf(username) });
      onTestFinished(() => queue.close());
      return queue;
    };
    const operator = queueOf("operator");
    await operator.setLimits({ concurrency: 3, rate: { max: 4, duration: 20, way: "bucket" } });
    await operator.setLimits({ names: { named: { max: 1, duration: 5 } } });
    await operator.lane("slow").rate({ max: 1, duration: 5, way: "sliding" });
    await operator.setRetention({ removeOnComplete: { count: 2, age: "1h" } });
    const producer = queueOf("producer");
    const logger = new RecordingLogger();
    const ran: string[] = [];
    await producer.addBulk(Array.from({ length: 4 }, () => ({ name: "named", data: {} })));
    await producer.addBulk(Array.from({ length: 4 }, () => ({ name: "lane", data: {}, opts: { lane: "slow" } })));
    await producer.addBulk(Array.from({ length: 4 }, () => ({ name: "dear", data: {}, opts: { cost: 3 } })));
    const { id } = await producer.add("late", {}, { expireIn: 1, delay: 1 });
    const worker = new Worker(
      QUEUE,
      async ({ name, attempt }) => {
        if (name === "dear" && attempt === 1 && !ran.includes("limited")) {
          ran.push("limited");
          throw new RateLimitError(5);
        }
        ran.push(name);
      },
      { connection: connectionOf("worker"), concurrency: 5, beat: "100ms", logger, attempts: 1 },
    );
    onTestFinished(() => worker.close({ timeout: 0 }));
    await until(() => ["named", "lane", "dear"].every((name) => ran.filter((one) => one === name).length === 4));
    await until(async () => !["pending", "scheduled", "active"].includes(await operator.getState(id)));
    await until(async () => (await operator.getJobCounts("active")).active === 0);
    expect(logger.messages("error")).toEqual([]);
    await operator.setLimits({ concurrency: null, rate: null, names: { named: null } });
    expect(await server.command("ACL", "LOG")).toEqual([]);
  }, 200_000);

  it("is told of a cancel at once as a worker, over the channel control", async () => {
    const { connectionOf, server } = await setup();
    const operator = new Queue(QUEUE, { connection: connectionOf("operator") });
    onTestFinished(() => operator.close());
    const reasons: unknown[] = [];
    const connection = connectionOf("worker");
    // With so long a lease and beat, nothing but the channel can tell in the time of a test.
    const options = { connection, lease: "10m", beat: "1m" } as const;
    const worker = new Worker(
      QUEUE,
      async (_, { signal }) => {
        await new Promise<void>((resolve) => {
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
        reasons.push(signal.reason);
      },
      options,
    );
    onTestFinished(() => worker.close({ timeout: 0 }));
    await until(
      async () => Number(((await server.command("PUBSUB", "NUMSUB", `emq:{${QUEUE}}:control`)) as unknown[])[1]) > 0,
    );
    const producer = new Queue(QUEUE, { connection: connectionOf("producer") });
    onTestFinished(() => producer.close());
    const { id } = await producer.add("long", {});
    await until(async () => (await operator.getState(id)) === "active");
    await operator.cancel(id, "enough");
    await until(() => reasons.length === 1);
    expect(reasons[0]).toMatchObject({ code: "cancelled" });
    expect(await server.command("ACL", "LOG")).toEqual([]);
  });

  it("can keep events in a stream as those who add and settle jobs", async () => {
    const { connectionOf, server } = await setup();
    const operator = new Queue(QUEUE, { connection: server.url });
    await operator.keepEvents({});
    const queue = new Queue(QUEUE, { connection: connectionOf("producer") });
    const worker = new Worker(QUEUE, async () => {}, { connection: connectionOf("worker") });
    const kept = new EventStream(QUEUE, "events", {
      connection: { ...connectionOf("reader"), isReadonly: true },
      node: 0,
    });
    onTestFinished(() =>
      Promise.all([operator, queue, worker, kept].map((each) => each.close())).then(() => undefined),
    );
    await queue.add("told", {});
    const told = async () => (await kept.read()).map(({ fields }) => fields["event"]);
    await until(async () => (await told()).includes("completed"));
    expect((await told()).toSorted()).toEqual(["active", "added", "completed", "drained"]);
  });

  it("can add flows over two queues as a producer, and run and carry them as a worker", async () => {
    const { connectionOf, admin, server } = await setup();
    const flows = new FlowProducer({ connection: connectionOf("producer") });
    onTestFinished(() => flows.close());
    const seen: unknown[] = [];
    const logger = new RecordingLogger();
    const connection = connectionOf("worker");
    const open = (queue: string, handler: Handler) => {
      const worker = new Worker(queue, handler, { connection, attempts: 1, beat: "100ms", logger });
      onTestFinished(() => worker.close({ timeout: 0 }));
    };
    const child = (name: string, opts: object = {}) => ({ name, queueName: "files", opts });
    const { job } = await flows.add({
      name: "top",
      queueName: QUEUE,
      children: [
        child("ok"),
        child("bad", { onFailure: "ignore" }),
        child("named", { jobId: "one", delay: 1 }),
        child("same", { deduplication: { id: "x" } }),
      ],
    });
    await flows.add({ name: "flat", queueName: QUEUE, children: [{ name: "ok", queueName: QUEUE }] });
    const shared = { name: "ok", queueName: "files" };
    await flows.addDAG({
      nodes: { c: shared, a: { name: "flat", queueName: QUEUE }, b: { name: "flat", queueName: QUEUE } },
      deps: { a: ["c"], b: ["c"] },
    });
    const doomed = await flows.add({
      name: "flat",
      queueName: QUEUE,
      children: [{ name: "flat", queueName: QUEUE, children: [child("bad")] }],
    });
    const reader = new FlowProducer({ connection: { ...connectionOf("reader"), isReadonly: true } });
    onTestFinished(() => reader.close());
    expect((await reader.getFlow({ id: job.id, queueName: QUEUE }))?.children).toHaveLength(4);
    const handler: Handler = async ({ name }, { children }) => {
      if (name === "bad") throw new Error("broken");
      if (name === "grows") return await children.run({ late: { name: "ok", queueName: "files" } }, { timeout: "1h" });
      if (name === "top") seen.push((await children.failures()).length, (await children.results()).length);
      seen.push(name);
      return name;
    };
    open("files", handler);
    open(QUEUE, handler);
    const jobs = new Jobs(admin);
    await until(() => seen.filter((name) => name === "flat").length === 3 && seen.includes("top"));
    expect(seen.slice(seen.indexOf("top") - 2)).toEqual(expect.arrayContaining([1, 3, "top"]));
    await until(async () => (await jobs.getState(QUEUE, doomed.job.id)) === "dead");
    const queue = new Queue(QUEUE, { connection: connectionOf("producer") });
    onTestFinished(() => queue.close());
    const grown = await queue.add("grows", {});
    await until(async () => (await jobs.getState(QUEUE, grown.id)) === "absent");
    expect(logger.messages("warn").concat(logger.messages("error"))).toEqual([]);
    expect(await server.command("ACL", "LOG")).toEqual([]);
  });

  it("can make and take away schedulers as a producer, fire them as a worker, and look at them as a reader", async () => {
    const { connectionOf } = await setup();
    const queue = new Queue(QUEUE, { connection: connectionOf("producer") });
    const looker = new Queue(QUEUE, { connection: { ...connectionOf("reader"), isReadonly: true } });
    const fired: string[] = [];
    const connection = connectionOf("worker");
    const worker = new Worker(QUEUE, async (job) => void fired.push(job.schedulerId ?? ""), { connection });
    onTestFinished(async () => {
      await Promise.all([worker.close({ timeout: 0 }), queue.close(), looker.close()]);
    });
    const overlaps = ["allow", "skip", "queue"] as const;
    for (const overlap of overlaps) {
      const repeat = { every: 50, overlap, limit: 3 };
      expect((await queue.upsertJobScheduler(overlap, repeat)).outcome).toBe("added");
      expect((await queue.upsertJobScheduler(overlap, repeat, { data: 1 })).outcome).toBe("replaced");
    }
    await until(async () => (await looker.getJobSchedulers()).schedulers.every(({ nextAt }) => nextAt === undefined));
    await until(() => overlaps.every((id) => fired.includes(id)));
    const later = await queue.upsertJobScheduler("queue", { pattern: "0 6 1 1 *", overlap: "queue" });
    expect(await later.skipNext()).toBeInstanceOf(Date);
    expect((await later.runNow()).outcome).toBe("added");
    expect((await looker.getJobScheduler("queue"))?.nextAt).toBeInstanceOf(Date);
    expect((await looker.getJobSchedulers({ limit: 2 })).cursor).toBeDefined();
    await worker.close();
    for (const id of overlaps) expect(await queue.removeJobScheduler(id)).toBe(true);
  });

  it("ends a wait before its time, and the connection that it lost, with the rights of a worker", async () => {
    const { engineOf, server } = await setup();
    const engine = engineOf("worker");
    const counter = { tokens: 0 };
    const listener = { onToken: () => counter.tokens++, onLost() {} };
    const place = engine.listenForWake("emq:{mail}:wake", listener);
    place.arm();
    await until(async () => String(await server.command("CLIENT", "LIST")).includes("cmd=blpop"));
    await server.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    place.arm();
    await until(async () => String(await server.command("CLIENT", "LIST")).includes("cmd=blpop"));
    await engine.command(["LPUSH", "emq:{mail}:wake", "1"]);
    await until(() => counter.tokens === 1);
    await engine.close();
    const denied = String(await server.command("ACL", "LOG")).includes("worker");
    expect(denied).toBe(false);
  });

  it("can do all that a reader and an operator do", async () => {
    const { engineOf, admin } = await setup();
    await read(engineOf("reader"), QUEUE, admin);
    await lookFromAbove(engineOf("reader"), QUEUE);
    await operate(engineOf("operator"), QUEUE, admin);
    await read(engineOf("operator"), QUEUE, admin);
  });

  it("can let the doctor look as a reader, and mend as an operator", async () => {
    const { engineOf, admin } = await setup();
    const patient = new Patient(admin, QUEUE);
    const firstOfEach = new Map([...DAMAGE].reverse().map((damage) => [damage.code, damage]));
    for (const damage of firstOfEach.values()) {
      await admin.command(["DEL", ...(await dumpQueue(admin, QUEUE)).map(({ key }) => key), "nothing"]);
      await damage.seed(patient);
      const looked = await inspectQueue(engineOf("reader"), QUEUE);
      expect(looked.isClean, damage.what).toBe(false);
      const mended = await inspectQueue(engineOf("operator"), QUEUE, { repair: true, destroy: true });
      expect(mended.isClean, damage.what).toBe(true);
      expect((await inspectQueue(engineOf("reader"), QUEUE)).isClean, damage.what).toBe(true);
    }
  });

  it("is told the version and the eviction policy, so that nothing is left unchecked", async () => {
    const { engineOf, server } = await setup();
    await server.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
    for (const name of ["producer", "worker", "operator", "reader"]) {
      const engine = engineOf(name);
      await engine.ready();
      expect(engine.lines.filter((line) => line.fields["code"] === "EVICTION_POLICY")).toHaveLength(1);
    }
  });
});

describe("what a user is not for", () => {
  /** Acts that the user may not do; each is tried on a queue that has a job in every state. */
  type Try = (
    jobs: Jobs,
    ids: Readonly<Record<"pending" | "active" | "dead" | "scheduled", string>>,
  ) => Promise<unknown>;
  const claim: Try = (jobs) => jobs.claim(QUEUE, 1000);
  const turn: Try = (jobs) => jobs.turn(QUEUE, { worker: "w", leaseMs: 1000, want: 1 });
  const complete: Try = (jobs, { active }) => jobs.complete(QUEUE, active, 1);
  const remove: Try = (jobs, { pending }) => jobs.removeJob(QUEUE, pending);
  const cancel: Try = (jobs, { pending }) => jobs.cancel(QUEUE, pending, "no");
  const reprocess: Try = (jobs, { dead }) => jobs.reprocessJob(QUEUE, dead);
  const release: Try = (jobs, { scheduled }) => jobs.release(QUEUE, scheduled);
  const pause: Try = (jobs) => jobs.pause(QUEUE);
  const elsewhere: Try = (jobs) => jobs.enqueue("other", newIds()(), "x");
  const TRIES: readonly (readonly [string, readonly Try[]])[] = [
    ["producer", [claim, turn, complete, remove, cancel, reprocess, release, pause, elsewhere]],
    ["worker", [pause, elsewhere, (jobs) => jobs.claim("other", 1000)]],
    ["operator", [claim, turn, elsewhere]],
  ];

  it.each(TRIES)("is refused to a %s with the code permission, before anything is written", async (name, tries) => {
    const { engineOf, admin } = await setup();
    const all = new Jobs(admin);
    const newId = newIds();
    const ids = { pending: newId(), active: newId(), dead: newId(), scheduled: newId() };
    for (const id of [ids.active, ids.dead]) await all.enqueue(QUEUE, id, "x");
    await all.claimBatch(QUEUE, 2, 600_000);
    await all.retry(QUEUE, ids.dead, 1, { delayMs: 1, maxAttempts: 1, error: "no" });
    await all.enqueue(QUEUE, ids.pending, "x");
    await all.enqueueIn(QUEUE, ids.scheduled, "x", 600_000);
    const before = await dumpQueue(admin, QUEUE);
    const jobs = new Jobs(engineOf(name));
    for (const attempt of tries) {
      expect(await errorOf(attempt(jobs, ids)), attempt.toString()).toMatchObject({ code: "permission" });
      expect(await dumpQueue(admin, QUEUE), attempt.toString()).toEqual(before);
    }
  });

  it("is refused to a reader by the server too, also when its host does not know that it only reads", async () => {
    const { engineOf, admin, server } = await setup();
    await admin.ready();
    const connection = { url: server.url, username: "reader", password: PASSWORD };
    const careless = new Jobs(openEngine({ connection }));
    expect(await errorOf(careless.enqueue(QUEUE, newIds()(), "x"))).toMatchObject({ code: "permission" });
    const careful = new Jobs(engineOf("reader"));
    expect(await errorOf(careful.pause(QUEUE))).toMatchObject({ code: "unsupported" });
    expect(await dumpQueue(admin, QUEUE)).toEqual([]);
  });

  it("leaves all users without rights on the server itself and on other data", async () => {
    const { engineOf } = await setup();
    for (const name of ["producer", "worker", "operator", "reader"]) {
      const engine = engineOf(name);
      for (const parts of [["FLUSHALL"], ["CONFIG", "GET", "*"], ["KEYS", "*"], ["GET", "other"], ["ACL", "LIST"]]) {
        expect(await errorOf(engine.command(parts)), parts.join(" ")).toMatchObject({ code: "permission" });
      }
    }
  });
});
