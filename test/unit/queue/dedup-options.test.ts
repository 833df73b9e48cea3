/** What options that say which jobs are the same become, and which of them cannot be. */

import { describe, expect, it } from "vitest";
import { type JobOptions, JobPlanner } from "../../../src/queue/job-options.ts";
import { errorOf } from "./scripted-engine.ts";

/** The letters and values that options become, but for `o`, which holds what a worker reads. */
function letters(options: JobOptions): string {
  const { shape, values } = new JobPlanner().plan(options);
  const pairs = [...shape].map((letter, at) => `${letter}=${values[at]}`);
  return pairs.filter((pair) => !pair.startsWith("o=")).join(" ");
}

describe("the options of sameness", () => {
  it.each<[JobOptions, string]>([
    [{ deduplication: { id: "x" } }, "d=x"],
    [{ deduplication: { id: "x", ttl: 0 } }, "d=x"],
    [{ deduplication: { id: "x", ttl: "5s" } }, "d=x m=throttle t=5000"],
    [{ deduplication: { id: "x", ttl: 5000, extend: true } }, "d=x m=slide t=5000"],
    [{ deduplication: { id: "x", replace: true } }, "d=x m=replace"],
    [{ deduplication: { id: "x", replace: true, ttl: 9 } }, "d=x m=replace t=9"],
    [{ deduplication: { id: "x", replace: true, maxWait: 9 }, delay: 3 }, "i=3 d=x m=replace w=9"],
    [{ deduplication: { id: "x", ttl: 3, extend: true, replace: true }, delay: 3 }, "i=3 d=x m=debounce t=3"],
    [{ deduplication: { id: "x", keepLastIfActive: true } }, "d=x m=follow"],
    [{ deduplication: { id: "x", keepLastIfActive: true, replace: true } }, "d=x m=latest"],
    [{ deduplication: { id: "x", policy: "exclusive" } }, "d=x"],
    [{ deduplication: { id: "x", policy: "exclusive", ttl: 5, extend: true } }, "d=x m=extend t=5"],
    [{ deduplication: { id: "x", policy: "short", ttl: 5 } }, "d=x m=short t=5"],
    [{ deduplication: { id: "x", policy: "singleton" } }, "g=x l=1"],
    [{ deduplication: { id: "x", policy: "stately" }, jobId: "j" }, "g=x d=x m=short j=%id:j l=1"],
    [{ debounce: { id: "x", wait: "2s" } }, "i=2000 d=x m=debounce"],
    [{ debounce: { id: "x", wait: 2, maxWait: 9 } }, "i=2 d=x m=debounce w=9"],
    [{ idempotencyKey: "x" }, "d=x m=throttle t=2592000000"],
    [{ idempotencyKey: "x", idempotencyKeyTTL: "1h" }, "d=x m=throttle t=3600000"],
    [{ concurrencyKey: "tenant" }, "g=tenant"],
    [{ jobId: "42" }, "j=%id:42"],
    [{ jobId: "{%}", replaceFinished: true }, "k=%id:%7B%25%7D"],
    [{ jobId: "42", replaceFinished: false, deduplication: { id: "%{x}" } }, "d=%de:%25%7Bx%7D j=%id:42"],
  ])("%j become %s", (options, expected) => {
    expect(letters(options)).toBe(expected);
  });

  it.each<[object, string]>([
    [{ deduplication: {} }, "invalid_deduplication"],
    [{ deduplication: { id: 5 } }, "invalid_deduplication"],
    [{ deduplication: { id: "x".repeat(257) } }, "invalid_deduplication"],
    [{ deduplication: { id: "\udc00" } }, "invalid_deduplication"],
    [{ deduplication: { id: "x", extend: true } }, "invalid_deduplication"],
    [{ deduplication: { id: "x", maxWait: 5 } }, "invalid_deduplication"],
    [{ deduplication: { id: "x", ttl: 5, extend: true, keepLastIfActive: true } }, "invalid_deduplication"],
    [{ deduplication: { id: "x", policy: "exclusve" } }, "invalid_deduplication"],
    [{ deduplication: { id: "x", policy: "short", replace: true } }, "invalid_deduplication"],
    [{ deduplication: { id: "x", policy: "short", ttl: 5, extend: true } }, "invalid_deduplication"],
    [{ deduplication: { id: "x", policy: "singleton", ttl: 5 } }, "invalid_deduplication"],
    [{ deduplication: { id: "x", policy: "singleton" }, lane: "y" }, "invalid_deduplication"],
    [{ deduplication: { id: "a{b", policy: "singleton" } }, "invalid_lane"],
    [{ deduplication: { id: "x" }, debounce: { id: "x", wait: 5 } }, "invalid_deduplication"],
    [{ deduplication: { id: "x" }, idempotencyKey: "y" }, "invalid_deduplication"],
    [{ debounce: { id: "x", wait: 5 }, delay: 5 }, "invalid_deduplication"],
    [{ debounce: { id: "x", wait: 5, maxWait: 4 } }, "invalid_deduplication"],
    [{ debounce: { id: "x", wait: 0 } }, "invalid_option"],
    [{ debounce: { id: "x", ttl: 5 } }, "unknown_option"],
    [{ deduplication: "x" }, "invalid_option"],
    [{ deduplication: { id: "x", ttl: -1 } }, "invalid_option"],
    [{ deduplication: { id: "x", replace: 1 } }, "invalid_option"],
    [{ deduplication: { id: "x", window: 1 } }, "unknown_option"],
    [{ idempotencyKeyTTL: 5 }, "invalid_deduplication"],
    [{ idempotencyKey: "" }, "invalid_deduplication"],
    [{ concurrencyKey: "a", lane: "b" }, "invalid_deduplication"],
    [{ concurrencyKey: "a{" }, "invalid_lane"],
    [{ replaceFinished: true }, "invalid_deduplication"],
    [{ jobId: "x", replaceFinished: "yes" }, "invalid_option"],
    [{ jobId: "JOB0Nb1VTbfnu4" }, "invalid_job_id"],
    [{ dedupe: { id: "x" } }, "unknown_option"],
    [{ jobKey: "x" }, "unknown_option"],
  ])("%j are refused as %s", async (options, code) => {
    expect((await errorOf(() => letters(options as JobOptions))).code).toBe(code);
  });

  it("name the nearest policy, and what BullMQ's old debounce is called", async () => {
    const near = await errorOf(() => letters({ deduplication: { id: "x", policy: "exclusve" as "exclusive" } }));
    expect(near.message).toContain("did you mean exclusive?");
    const old = await errorOf(() => letters({ debounce: { id: "x", ttl: 5 } as never }));
    expect(old.message).toContain("deduplication: { id, ttl }");
  });

  it("belong to one job and not to the defaults of a queue", async () => {
    const defaults = { deduplication: { id: "x" } } as never;
    expect((await errorOf(() => new JobPlanner(defaults))).code).toBe("unknown_option");
  });
});
