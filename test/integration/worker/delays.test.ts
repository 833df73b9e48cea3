/** Due times on a real server, whose clock alone counts. */

import { describe, expect, it } from "vitest";
import { useServer } from "../../server/use-server.ts";
import { pause, portsOff, until, WorkerSetup } from "./setup-worker.ts";

const server = useServer();

const FIVE_MINUTES_MS = 300_000;

function setup(name: string, options: { readonly producerOffMs?: number } = {}) {
  return new WorkerSetup(server(), name, portsOff(options.producerOffMs ?? 0));
}

describe("a delay", () => {
  it("longer than a timer of Node.js can wait holds, to the millisecond of the server's clock (PB-067)", async () => {
    const test = setup("long");
    const delay = 2 ** 31;
    let ran = 0;
    test.worker(() => void ran++);
    const before = await test.serverNow();
    const { id } = await test.queue.add("later", {}, { delay });
    const after = await test.serverNow();
    const dueAt = Number(await test.engine.command(["ZSCORE", `emq:{long}:schedule`, id]));
    expect(dueAt).toBeGreaterThanOrEqual(before + delay);
    expect(dueAt).toBeLessThanOrEqual(after + delay);
    await pause(1200);
    expect(ran).toBe(0);
    expect(await test.jobs.getState(test.name, id)).toBe("scheduled");
  });

  const bad: readonly (readonly [string, unknown])[] = [
    ["-1e15", -1e15],
    ["NaN", Number.NaN],
    ["Infinity", Number.POSITIVE_INFINITY],
    ["1.5", 1.5],
    ["a text that is no duration", "5"],
    ["null", null],
  ];

  it("or priority that is no number is refused before anything is written (PB-068)", async () => {
    const test = setup("bad");
    for (const option of ["delay", "priority"]) {
      for (const [name, value] of bad) {
        const adding = test.queue.add("x", {}, { [option]: value });
        await expect(adding, `${option} ${name}`).rejects.toMatchObject({ code: "invalid_option" });
      }
    }
    expect(await test.engine.command(["KEYS", "emq:{bad}:*"])).toEqual([]);
  });

  it("ends by the server's clock, whatever producer and worker take for the time (PB-070)", async () => {
    const test = setup("skewed", { producerOffMs: FIVE_MINUTES_MS });
    const seen: { readonly at: number; readonly attempt: number; readonly crashes: number }[] = [];
    const workerPorts = portsOff(-2 * 60_000);
    const lost: unknown[] = [];
    const handler = async (job: { readonly attempt: number; readonly crashes: number }) => {
      seen.push({ at: await test.serverNow(), attempt: job.attempt, crashes: job.crashes });
      // Longer than the lease: it must be renewed, and nobody may take it for lapsed.
      await pause(5000);
    };
    const worker = test.worker(handler, { lease: 3000 }, workerPorts);
    worker.on("lease-lost", (_job, details) => lost.push(details));
    let completed = 0;
    worker.on("completed", () => {
      completed += 1;
    });
    const other = test.worker(handler, { lease: 3000 }, portsOff(FIVE_MINUTES_MS));
    other.on("completed", () => {
      completed += 1;
    });
    const addedAt = await test.serverNow();
    await test.queue.add("later", {}, { delay: 3000 });
    await until(() => completed === 1, "the job is not done");
    expect(seen).toHaveLength(1);
    const latenessMs = (seen[0]?.at ?? 0) - addedAt - 3000;
    console.log(`started ${latenessMs} ms after it was due by the server's clock`);
    expect(latenessMs).toBeGreaterThanOrEqual(0);
    expect(seen[0]).toMatchObject({ attempt: 1, crashes: 0 });
    expect(lost).toEqual([]);
  });
});

describe("ten jobs that fall due within 10 ms", () => {
  it("start in that order, which is the order of their ids as well", async () => {
    const test = setup("ten");
    const seen: unknown[] = [];
    test.worker((job) => void seen.push(job.data), { beat: 60_000 });
    await test.queue.addBulk(
      Array.from({ length: 10 }, (_, at) => at).map((place) => ({
        name: "due",
        data: place,
        opts: { delay: 800 + place },
      })),
    );
    await until(() => seen.length === 10, "not all jobs ran");
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});
