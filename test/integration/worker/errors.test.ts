/** Whatever a handler throws is a readable and bounded text in the row. */

import { describe, expect, it } from "vitest";
import { ERROR_BYTES_MAX } from "../../../src/worker/error-text.ts";
import { useServer } from "../../server/use-server.ts";
import { until, WorkerSetup } from "./setup-worker.ts";

const server = useServer();

/** An object that contains itself. */
function circular(): object {
  const object: Record<string, unknown> = { why: "circle" };
  object["self"] = object;
  return object;
}

describe("a handler that throws", () => {
  it("anything at all leaves a job that is dead with a readable, bounded text (PB-106)", async () => {
    const test = new WorkerSetup(server(), "thrown");
    const thrown: Readonly<Record<string, readonly [value: unknown, text: RegExp]>> = {
      circular: [circular(), /why, self/],
      null: [null, /^null$/],
      text: ["only words", /^only words$/],
      bigint: [{ count: 10n }, /count/],
      number: [7, /^7$/],
      nothing: [undefined, /^undefined$/],
      large: [new Error("x".repeat(5 * 2 ** 20)), /^Error: x{100}.*\(5242887 characters\)/s],
    };
    test.worker(
      (job) => {
        throw thrown[job.name]?.[0];
      },
      { attempts: 1 },
    );
    const names = Object.keys(thrown);
    const added = await test.queue.addBulk(names.map((name) => ({ name, data: {} })));
    await until(async () => (await test.queue.getJobCounts("dead")).dead === names.length, "not all jobs are dead");
    for (const { id, name } of added) {
      const job = await test.queue.getJob(id);
      expect(job?.lastError, name).toMatch(thrown[name]?.[1] ?? /^$/);
      expect(new TextEncoder().encode(job?.lastError).length, name).toBeLessThanOrEqual(ERROR_BYTES_MAX);
    }
  });
});
