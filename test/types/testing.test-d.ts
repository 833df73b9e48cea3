/**
 * What the compiler knows of a test world: data by the names of jobs, in patterns and in what is found.
 */

import { expectTypeOf, it } from "vitest";
import { createTestWorld, type FailedRun } from "../../src/testing/index.ts";

interface Mail {
  welcome: { to: string; tags: string[] };
  digest: { day: number };
}

it("takes the parts of a job's data that belong to its name", () => {
  const world = createTestWorld();
  const mail = world.queue<Mail>("mail");
  void world.assertAdded(mail, { name: "welcome", data: { to: "ada" } });
  void world.assertAdded(mail, { name: "digest", data: { day: 1 }, delay: "1h" }, { times: 2 });
  void world.assertAdded("mail", { name: "anything", data: { whatever: true } });
  // @ts-expect-error the data are those of another name
  void world.assertAdded(mail, { name: "welcome", data: { day: 1 } });
  // @ts-expect-error there is no such name
  void world.assertNotAdded(mail, { name: "welcom" });
  // @ts-expect-error a duration has a unit
  void world.assertAdded(mail, { name: "digest", delay: "1" });
});

it("gives what was added by its name, and what failed", async () => {
  const world = createTestWorld();
  const mail = world.queue<Mail>("mail");
  const [first] = await world.added(mail);
  if (first?.name === "digest") expectTypeOf(first.data).toEqualTypeOf<{ day: number }>();
  expectTypeOf((await world.drain()).failed).toEqualTypeOf<readonly FailedRun[]>();
  // @ts-expect-error a job is never in this state
  await world.waitForState("JOB", "complete");
  world.worker<Mail>("mail", { digest: (job) => expectTypeOf(job.data).toEqualTypeOf<{ day: number }>() });
});
