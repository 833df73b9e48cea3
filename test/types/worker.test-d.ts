/**
 * What the types of a worker promise: the name of a job tells its data, in the handler and in events.
 */

import { describe, expectTypeOf, it } from "vitest";
import { type Codec, type Context, type JobOf, Worker, type WorkerJob } from "../../src/index.ts";

interface Mails {
  welcome: { to: string };
  digest: { to: string[]; day: number };
}

declare const worker: Worker<Mails, { sent: number }>;

describe("a handler", () => {
  it("is told the data by the name", () => {
    void new Worker<Mails>("mail", (job) => {
      if (job.name === "digest") expectTypeOf(job.data).toEqualTypeOf<{ to: string[]; day: number }>();
      else expectTypeOf(job.data).toEqualTypeOf<{ to: string }>();
      switch (job.name) {
        case "welcome":
          return job.data.to;
        case "digest":
          return job.data.day;
      }
    });
  });

  it("cannot read the data of another job", () => {
    void new Worker<Mails>("mail", (job) => {
      // @ts-expect-error only a digest has a day
      return job.data.day;
    });
    void new Worker<Mails>("mail", (job) => {
      // @ts-expect-error there is no such job
      return job.name === "goodbye";
    });
  });

  it("takes anything without a map, and checks its result when it is named", () => {
    void new Worker("mail", (job, context) => {
      expectTypeOf(job).toEqualTypeOf<WorkerJob<unknown, string>>();
      expectTypeOf(context).toEqualTypeOf<Context>();
    });
    // @ts-expect-error the result is said to be a number
    void new Worker<Mails, number>("mail", () => "sent");
  });

  it("may be one for each name, and is told the data by it", () => {
    void new Worker<Mails, number>("mail", {
      welcome: (job) => {
        expectTypeOf(job.data).toEqualTypeOf<{ to: string }>();
        return 1;
      },
      digest: async (job, { signal }) => {
        signal.throwIfAborted();
        return job.data.day;
      },
    });
    void new Worker<Mails>("mail", { welcome: (job) => job.data.to });
    // @ts-expect-error there is no such job
    void new Worker<Mails>("mail", { goodbye: () => {} });
    void new Worker("mail", { anything: (job) => expectTypeOf(job.data).toEqualTypeOf<unknown>() });
  });

  it("replaces data by data of its own job", () => {
    void new Worker<Mails>("mail", async (job) => {
      if (job.name === "welcome") await job.updateData({ to: "bob" });
      // @ts-expect-error the data of another job
      if (job.name === "digest") await job.updateData({ to: "bob" });
    });
  });
});

describe("events of a worker", () => {
  it("carry the job by its name, and the result", () => {
    worker.on("completed", (job, result) => {
      expectTypeOf(job).toEqualTypeOf<JobOf<Mails>>();
      if (job.name === "digest") expectTypeOf(job.data.day).toEqualTypeOf<number>();
      expectTypeOf(result).toEqualTypeOf<{ sent: number }>();
    });
    worker.once("failed", (job, error, outcome) => {
      if (job.name === "welcome") expectTypeOf(job.data.to).toEqualTypeOf<string>();
      expectTypeOf(error).toEqualTypeOf<unknown>();
      expectTypeOf(outcome).toEqualTypeOf<"scheduled" | "dead">();
    });
    worker.off("active", (job) => expectTypeOf(job.name).toEqualTypeOf<"welcome" | "digest">());
    worker.on("lease-lost", (job, { id }) => {
      expectTypeOf(job).toEqualTypeOf<JobOf<Mails> | undefined>();
      expectTypeOf(id).toEqualTypeOf<string>();
    });
    // @ts-expect-error there is no such event
    worker.on("stalled", () => undefined);
  });

  it("carry a result that was promised", () => {
    const later = new Worker<Mails, Promise<number>>("mail", async () => 1);
    later.on("completed", (_job, result) => expectTypeOf(result).toEqualTypeOf<number>());
  });
});

describe("a codec", () => {
  it("of one type of data fits where any is wanted", () => {
    expectTypeOf<Codec<Uint8Array>>().toExtend<Codec>();
    void new Worker("mail", () => undefined, { codec: {} as Codec<Uint8Array> });
    void new Worker("mail", () => undefined, { codec: [{} as Codec<Date>, {} as Codec] });
    // @ts-expect-error a codec needs a name
    void new Worker("mail", () => undefined, { codec: { encode: () => "", decode: () => "" } });
  });
});
