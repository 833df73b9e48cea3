/** Events on a real server: by several connections, all of them, in order, and again after a connection was lost. */

import { describe, expect, it, onTestFinished } from "vitest";
import { Jobs } from "../../../src/queue/jobs.ts";
import { QueueCore } from "../../../src/queue/queue.ts";
import { QueueEventsCore, type QueueEventsOptions } from "../../../src/queue/queue-events.ts";
import { WorkerCore } from "../../../src/worker/worker.ts";
import { useServer } from "../../server/use-server.ts";
import { openEngine, until, WAYS } from "./setup-engine.ts";

const release = async () => {};

describe.each(WAYS)("events by %s", (_name, way) => {
  const server = useServer();

  const open = () => openEngine({ connection: { ...way, url: server().url } });

  /** A queue, a worker and a reader, each with a connection of its own. */
  const setup = async (options: QueueEventsOptions = {}) => {
    await server().command("FLUSHALL");
    const queue = new QueueCore<Record<string, unknown>>("q", { engine: open(), release });
    const events = new QueueEventsCore("q", { engine: open(), release }, options);
    onTestFinished(() => queue.close());
    onTestFinished(() => events.close());
    const lives = new Map<string, string[]>();
    events.on("any", (event) => {
      if ("id" in event) lives.set(event.id, [...(lives.get(event.id) ?? []), event.event]);
    });
    await events.waitUntilReady();
    return { queue, events, lives };
  };
  const work = (concurrency: number) => {
    const worker = new WorkerCore("q", () => "done", { engine: open(), release }, { concurrency });
    onTestFinished(() => worker.close({ timeout: 0 }));
  };
  const ended = (lives: ReadonlyMap<string, readonly string[]>) =>
    [...lives.values()].filter((life) => life.includes("completed")).length;

  it("come 100 of each for 100 jobs that are added at once (PB-178)", async () => {
    const { queue, lives } = await setup();
    work(10);
    await Promise.all(Array.from({ length: 100 }, (_, n) => queue.add("a", n)));
    await until(() => ended(lives) === 100);
    for (const life of lives.values()) expect(life).toEqual(["added", "active", "completed"]);
  });

  it("tell each of 1,000 jobs as added, active and completed, in this order (PB-179)", async () => {
    const { queue, lives } = await setup();
    work(50);
    await queue.addBulk(Array.from({ length: 1000 }, (_, n) => ({ name: "a", data: n })));
    await until(() => ended(lives) === 1000);
    expect(lives.size).toBe(1000);
    for (const life of lives.values()) expect(life).toEqual(["added", "active", "completed"]);
  });

  it("are heard again after the connection of the reader was killed", async () => {
    const { queue, lives } = await setup();
    await server().command("CLIENT", "KILL", "TYPE", "pubsub");
    await until(async () => ((await server().command("PUBSUB", "NUMSUB", "emq:{q}:events")) as unknown[])[1] === 1);
    const job = await queue.add("a", 1);
    await until(() => lives.has(job.id));
    expect(lives.get(job.id)).toEqual(["added"]);
  });

  it("end the act of a user who has no right to the channel before anything is written", async () => {
    const { queue } = await setup();
    await queue.add("a", 1);
    await server().command("ACL", "SETUSER", "mute", "on", ">pw", "+@all", "~*", "resetchannels");
    const connection = { ...way, url: server().url, username: "mute", password: "pw" };
    const jobs = new Jobs(openEngine({ connection }));
    await expect(jobs.claim("q", 1000)).rejects.toThrow(expect.objectContaining({ code: "permission" }));
    expect(await server().command("ZCARD", "emq:{q}:pending")).toBe(1);
  });
});
