/**
 * Payloads inferred from validators: of a library, and written by hand.
 */

import * as v from "valibot";
import { assertType, describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import {
  type AddedJob,
  Queue,
  type StandardSchema,
  Worker,
  type WorkerJob,
  type WorkerOptions,
} from "../../src/index.ts";

interface Mails {
  welcome: { to: string };
  digest: { to: string[]; day: number };
}

declare const byHand: StandardSchema<{ to: string }, { to: string; domain: string }>;

describe("the schemas of a queue", () => {
  const queue = new Queue("mail", {
    schemas: {
      welcome: byHand,
      digest: z.object({ day: z.string().transform(Number) }),
      ping: v.object({ at: v.number() }),
    },
  });

  it("say what add takes: the input of each", () => {
    expectTypeOf(queue.add("welcome", { to: "ada" })).resolves.toEqualTypeOf<AddedJob<{ to: string }, "welcome">>();
    expectTypeOf(queue.add("digest", { day: "3" })).resolves.toEqualTypeOf<AddedJob<{ day: string }, "digest">>();
    void queue.add("ping", { at: 1 });
    // @ts-expect-error the output of the schema, not its input
    void queue.add("digest", { day: 3 });
    // @ts-expect-error there is no schema of that name
    void queue.add("goodbye", { to: "ada" });
  });

  it("may take more than the map says, and only for jobs of the map", () => {
    void new Queue<Mails>("mail", {
      schemas: { digest: z.object({ to: z.array(z.string()), day: z.coerce.number() }) },
    });
    // @ts-expect-error there is no such job
    void new Queue<Mails>("mail", { schemas: { goodbye: z.object({ to: z.string() }) } });
  });
});

describe("the schemas of a worker", () => {
  it("say what the handler gets: the output of each", () => {
    void new Worker(
      "mail",
      (job) => {
        expectTypeOf(job).toEqualTypeOf<
          WorkerJob<{ to: string; domain: string }, "welcome"> | WorkerJob<{ day: number }, "digest">
        >();
      },
      { schemas: { welcome: byHand, digest: z.object({ day: z.string().transform(Number) }) } },
    );
  });

  it("must give what the map says", () => {
    assertType<WorkerOptions<Mails>>({ schemas: { welcome: z.object({ to: z.string() }) } });
    // @ts-expect-error the handler would get a number
    assertType<WorkerOptions<Mails>>({ schemas: { welcome: z.object({ to: z.number() }) } });
    // @ts-expect-error there is no such job
    assertType<WorkerOptions<Mails>>({ schemas: { goodbye: z.object({ to: z.string() }) } });
  });
});
