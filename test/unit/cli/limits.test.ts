/** `echomq limits`: shows and sets the limits of a queue, its lanes and its job names. */

import { describe, expect, it } from "vitest";
import { setupStore } from "./store.ts";

describe("limits", () => {
  it("shows what is set, and that nothing is", async () => {
    const { run, queue } = setupStore();
    expect((await run(["limits", "mail"])).out).toBe("at once  no limit\nrate     no limit\n");
    await queue.setLimits({ concurrency: 10, rate: { max: 100, duration: "1s" }, names: { sms: null } });
    expect((await run(["limits", "mail"])).out).toBe("at once  10\nrate     100 in 1000 ms, window\n");
  });

  it("sets ceiling and rate, also of a job name and a lane, and takes them away", async () => {
    const { run, queue } = setupStore();
    await run(["limits", "mail", "--concurrency", "3", "--rate", "5/2s", "--way", "bucket", "--burst", "2"]);
    await run(["limits", "mail", "--job-name", "sms", "--rate", "1/1m", "--way", "sliding"]);
    await run(["limits", "mail", "--lane", "acme", "--rate", "7/1h"]);
    expect(await queue.limits()).toEqual({
      concurrency: 3,
      rate: { max: 5, duration: 2000, way: "bucket", burst: 2 },
      names: { sms: { max: 1, duration: 60_000, way: "sliding" } },
      restsUntil: 0,
    });
    const { out } = await run(["limits", "mail", "--json"]);
    expect(JSON.parse(out)).toMatchObject({ queue: "mail", concurrency: 3, names: { sms: { max: 1 } } });
    await run(["limits", "mail", "--concurrency", "none", "--rate", "none"]);
    await run(["limits", "mail", "--job-name", "sms", "--rate", "none"]);
    expect(await queue.limits()).toEqual({ concurrency: undefined, rate: undefined, names: {}, restsUntil: 0 });
  });

  it.each([
    [["--rate", "100"], "100/1s"],
    [["--rate", "0/1s"], "100/1s"],
    [["--concurrency", "0"], "2147483648"],
    [["--way", "bucket"], "need --rate"],
    [["--lane", "a", "--job-name", "b", "--rate", "1/1s"], "not both"],
  ])("refuses %j and says what it takes", async (args, words) => {
    const { run } = setupStore();
    const { code, err } = await run(["limits", "mail", ...args]);
    expect(code).toBe(2);
    expect(err).toContain(words);
  });

  it("refuses a duration that is none, and a burst without a bucket, by their codes", async () => {
    const { run } = setupStore();
    for (const [args, word] of [
      [["--rate", "1/1y"], "duration"],
      [["--rate", "1/1s", "--burst", "3"], "bucket"],
    ] as const) {
      const { code, err } = await run(["limits", "mail", ...args]);
      expect(code).toBe(2);
      expect(err).toContain(word);
    }
  });
});
