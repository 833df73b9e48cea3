/**
 * What the types of a queue promise: payloads by name of job, inferred from the map to the job that comes back.
 */

import { assertType, describe, expectTypeOf, it } from "vitest";
import type { Backoff, JobBackoff } from "../../src/queue/backoff.ts";
import type { Duration } from "../../src/queue/duration.ts";
import type { AddedJob, StoredJob } from "../../src/queue/job.ts";
import type { JobOptions } from "../../src/queue/job-options.ts";
import type { QueueCore } from "../../src/queue/queue.ts";
import type { QueueOptions } from "../../src/queue/queue-options.ts";
import type { StandardSchema } from "../../src/queue/schema.ts";

interface Mails {
  welcome: { to: string };
  digest: { to: string[]; day: number };
}

declare const mail: QueueCore<Mails>;
declare const anything: QueueCore;

describe("add", () => {
  it("infers the payload from the name", () => {
    expectTypeOf(mail.add("welcome", { to: "ada" })).resolves.toEqualTypeOf<AddedJob<{ to: string }, "welcome">>();
    expectTypeOf<AddedJob<{ to: string }, "welcome">["data"]>().toEqualTypeOf<{ to: string }>();
  });

  it("refuses an unknown name, a wrong payload and a missing one", () => {
    // @ts-expect-error there is no such job
    void mail.add("goodbye", { to: "ada" });
    // @ts-expect-error the payload of another job
    void mail.add("welcome", { to: ["ada"], day: 1 });
    // @ts-expect-error no payload
    void mail.add("welcome");
  });

  it("takes any name and payload on a queue without a map", () => {
    void anything.add("whatever", 5);
    expectTypeOf(anything.add("whatever", 5)).resolves.toExtend<{ data: unknown; name: "whatever" }>();
  });

  it("tells what became of the job", () => {
    expectTypeOf<AddedJob["outcome"]>().toEqualTypeOf<"added" | "duplicate" | "deduplicated" | "replaced">();
    expectTypeOf<AddedJob["existing"]>().toEqualTypeOf<{ readonly id: string; readonly state: string } | undefined>();
  });
});

describe("addBulk", () => {
  it("pairs each name with its own payload", () => {
    void mail.addBulk([
      { name: "welcome", data: { to: "ada" } },
      { name: "digest", data: { to: [], day: 1 }, opts: { delay: "5m" } },
    ]);
    // @ts-expect-error the payload of another job
    void mail.addBulk([{ name: "digest", data: { to: "ada" } }]);
  });

  it("gives jobs whose data the name tells", async () => {
    const [job] = await mail.addBulk([{ name: "welcome", data: { to: "ada" } }]);
    if (job?.name === "digest") expectTypeOf(job.data.to).toEqualTypeOf<string[]>();
    if (job?.name === "welcome") expectTypeOf(job.data.to).toEqualTypeOf<string>();
  });
});

describe("reading", () => {
  it("tells the data by the name", async () => {
    type Stored = StoredJob<{ to: string }, "welcome"> | StoredJob<{ to: string[]; day: number }, "digest">;
    expectTypeOf(mail.getJob("JOB00000000001")).resolves.toEqualTypeOf<Stored | undefined>();
    expectTypeOf(mail.getJobs("dead")).resolves.toEqualTypeOf<Stored[]>();
    const job = await mail.getJob("JOB00000000001");
    if (job?.name === "digest") expectTypeOf(job.data.day).toEqualTypeOf<number>();
    // @ts-expect-error a welcome has no day
    if (job?.name === "welcome") void job.data.day;
    expectTypeOf(anything.getJob("JOB00000000001")).resolves.toEqualTypeOf<StoredJob<unknown, string> | undefined>();
  });

  it("answers the counts that were asked for", () => {
    expectTypeOf(mail.getJobCounts("pending", "dead")).resolves.toEqualTypeOf<Record<"pending" | "dead", number>>();
    // @ts-expect-error a word of another queue
    void mail.getJobCounts("waiting");
    // @ts-expect-error a word of another queue
    void mail.getJobs("delayed");
  });

  it("answers what a verb can answer", () => {
    expectTypeOf(mail.remove("x")).resolves.toEqualTypeOf<"ok" | "gone" | "locked">();
    expectTypeOf(mail.retry("x")).resolves.toEqualTypeOf<"ok" | "gone" | "not_dead">();
    expectTypeOf(mail.promote("x")).resolves.toEqualTypeOf<"ok" | "gone" | "not_scheduled">();
  });
});

describe("options", () => {
  it("take durations as numbers and as text with a unit", () => {
    assertType<Duration[]>([5, "5m", "1.5h", "250ms"]);
    // @ts-expect-error a number without a unit
    assertType<Duration>("5");
    // @ts-expect-error a unit that does not exist
    assertType<Duration>("5min");
  });

  it("keep functions out of a job's backoff and let them into a worker's", () => {
    assertType<Backoff>((attempt: number) => attempt * 1000);
    // @ts-expect-error a function cannot be stored
    assertType<JobBackoff>((attempt: number) => attempt * 1000);
    assertType<JobOptions>({ backoff: { type: "exponential", delay: "1s", cap: "1h", jitter: 0.5 } });
    // @ts-expect-error no such curve
    assertType<JobOptions>({ backoff: { type: "linear" } });
  });

  it("refuse what does not exist", () => {
    // @ts-expect-error an option of another queue
    assertType<JobOptions>({ lifo: true });
    // @ts-expect-error an id belongs to one job
    assertType<QueueOptions>({ defaultJobOptions: { id: "JOB00000000001" } });
  });

  it("take validators for the jobs of the map only", () => {
    const schema = {} as StandardSchema;
    assertType<QueueOptions<Mails>>({ schemas: { welcome: schema } });
    // @ts-expect-error there is no such job
    assertType<QueueOptions<Mails>>({ schemas: { goodbye: schema } });
  });
});

describe("events", () => {
  it("type their listeners", () => {
    mail.on("error", (error) => expectTypeOf(error).toEqualTypeOf<unknown>());
    // @ts-expect-error there is no such event
    mail.on("waiting", () => undefined);
  });
});

describe("results", () => {
  it("are unknown until the caller says what they are", () => {
    expectTypeOf(mail.addAndWait("welcome", { to: "ada" })).resolves.toBeUnknown();
    expectTypeOf(mail.addAndWait<{ sent: number }>("welcome", { to: "ada" })).resolves.toEqualTypeOf<{
      sent: number;
    }>();
    expectTypeOf(mail.result("JOB00000000001")).resolves.toBeUnknown();
    expectTypeOf(mail.result<number>("JOB00000000001")).resolves.toBeNumber();
    expectTypeOf<AddedJob>().toHaveProperty("result");
  });

  it("are waited for with options of the wait, and of the job in opts", () => {
    void mail.addAndWait("digest", { to: ["ada"], day: 1 }, { timeout: "5s", opts: { attempts: 2, keepResult: "1m" } });
    // @ts-expect-error the payload of another job
    void mail.addAndWait("welcome", { to: ["ada"], day: 1 });
    // @ts-expect-error an option of the job
    void mail.addAndWait("welcome", { to: "ada" }, { attempts: 2 });
  });

  it("and what is kept take the forms that are documented, and no other", () => {
    assertType<JobOptions>({ removeOnComplete: { count: 5, age: "1h" }, removeOnFail: false });
    assertType<JobOptions>({ removeOnComplete: true, removeOnFail: 100 });
    // @ts-expect-error no text
    assertType<JobOptions>({ removeOnComplete: "1h" });
    // @ts-expect-error no such part
    assertType<JobOptions>({ removeOnFail: { limit: 5 } });
  });
});
