/**
 * A lease that is lost while its process lives: frozen, or slow. The second holder must not notice anything.
 */

import { describe, expect, it } from "vitest";
import { checkInvariants } from "../../src/testing/invariants.ts";
import { useServer } from "../server/use-server.ts";
import { CrashSetup, until } from "./setup-crash.ts";

const server = useServer();

function setup(name: string) {
  return new CrashSetup(server().url, name, { lease: 1500, concurrency: 1 });
}

/** One job of which a frozen process holds the first claim and a second process the next. */
async function takenOver(test: CrashSetup, { ms }: { readonly ms: number }) {
  const [id = ""] = await test.add(1, { ms });
  const first = test.start();
  await test.heard("start");
  first.signal("SIGSTOP");
  const second = test.start();
  await test.heard("start", 2);
  return { id, first, second };
}

describe("a process that was frozen for longer than its lease", () => {
  it("changes nothing by its late completion while the second holder runs (PB-025)", async () => {
    const test = setup("late");
    // Long enough for all that follows; the first is due to complete at once when it thaws.
    const [id = ""] = await test.add(1, { ms: 3000 });
    const first = test.start();
    await test.heard("start");
    const frozenAt = performance.now();
    first.signal("SIGSTOP");
    const second = test.start();
    await test.heard("start", 2);
    // Its handler's time must be over when it thaws.
    await until(
      () => performance.now() - frozenAt > 3000,
      () => "time stands still",
    );
    first.signal("SIGCONT");
    await test.heard("lost");
    expect(test.lines.filter(({ event, from }) => event === "settled" && from === first)).toEqual([]);
    await test.heard("settled");
    expect(test.lines.filter(({ event }) => event === "settled")).toMatchObject([{ id, token: 2, from: second }]);
    await test.emptied();
    expect(await test.queue.getJobCounts("completed", "failed")).toEqual({ completed: 1, failed: 0 });
    expect(await checkInvariants(test.engine, test.queue.name)).toEqual([]);
  }, 200_000);

  it("gets a higher token with each claim, and the old one is refused (PB-028)", async () => {
    const test = setup("tokens");
    const { id, first } = await takenOver(test, { ms: 300 });
    await test.heard("settled");
    first.signal("SIGCONT");
    await test.heard("lost");
    const starts = test.lines.filter(({ event }) => event === "start").map(({ token }) => token);
    expect(starts).toEqual([1, 2]);
    expect(test.lines.filter(({ event }) => event === "settled")).toMatchObject([{ id, token: 2 }]);
    expect(await test.queue.getJobCounts("completed", "failed")).toEqual({ completed: 1, failed: 0 });
  }, 200_000);

  it("is refused its renewal, and its handler is told that the lease is lost (PB-029)", async () => {
    const test = setup("thawed");
    const { id, first, second } = await takenOver(test, { ms: 6000 });
    first.signal("SIGCONT");
    await test.heard("aborted");
    expect(test.lines.find(({ event }) => event === "aborted")).toMatchObject({ id, why: "lease_lost", from: first });
    await test.heard("settled");
    expect(test.lines.filter(({ event }) => event === "settled")).toMatchObject([{ id, token: 2, from: second }]);
    // The second was never told to stop, and nobody ran the job a third time.
    expect(test.lines.filter(({ event }) => event === "aborted")).toHaveLength(1);
    expect(test.idsOf("start")).toHaveLength(2);
  }, 200_000);
});

describe("a handler that outlives its lease in another process", () => {
  it("is told so within one renewal of its return, before it can do more (PB-052)", async () => {
    const test = setup("outlived");
    const { first } = await takenOver(test, { ms: 20_000 });
    first.signal("SIGCONT");
    const thawedAt = performance.now();
    await test.heard("aborted");
    const toldMs = performance.now() - thawedAt;
    console.log(`told after ${Math.round(toldMs)} ms; a renewal comes every 500 ms`);
    expect(test.lines.find(({ event }) => event === "aborted")).toMatchObject({ why: "lease_lost", from: first });
    expect(test.idsOf("settled")).toEqual([]);
  }, 200_000);
});
