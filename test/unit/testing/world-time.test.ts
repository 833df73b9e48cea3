/** When a world rests: what never comes to rest is an error, and no test that hangs. */

import { expect, it } from "vitest";
import type { JobBook } from "../../../src/testing/job-book.ts";
import { VirtualClock } from "../../../src/testing/virtual-clock.ts";
import { WorldTime } from "../../../src/testing/world-time.ts";

it("gives up on what calls the engine without end", async () => {
  const clock = new VirtualClock();
  const book = { heldJobs: () => Promise.resolve([]) } as unknown as JobBook;
  const time = new WorldTime({ clock, book: () => book, patienceMs: 50, callsMax: 100 });
  let isStopped = false;
  const again = (): void => {
    time.onCall();
    if (!isStopped) clock.later(again);
  };
  again();
  await expect(time.rest()).rejects.toThrow("still at work after 100 calls without a step of time");
  isStopped = true;
  await time.rest();
});
