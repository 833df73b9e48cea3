/**
 * Tests with Vitest: `npx vitest run --root examples/testing`.
 */

import { createTestWorld } from "echomq/testing";
import { expect, test } from "vitest";
import { createSignup } from "./signup.mjs";

const ada = { email: "ada@example.com" };

/** What a test works with. Nothing of two of them meets, so tests may run at once. */
function setup(send, options) {
  const world = createTestWorld(options);
  return { world, signup: createSignup({ connection: world.connection, send }) };
}

test("a mail server that is away for two hours delays the mails and loses none", async () => {
  const sent = [];
  const { world, signup } = setup(async (name) => {
    if (world.clock.now() < begin + 7_200_000) throw new Error("no connection");
    sent.push(name);
  });
  const begin = world.clock.now();
  await signup.signUp(ada);
  await world.drain({ scheduled: true });
  expect(sent).toEqual(["welcome", "tips"]);
  await world.close();
});

test("a mail that fails four times is dead", async () => {
  const { world, signup } = setup(async () => {
    throw new Error("no such user");
  });
  await signup.signUp(ada);
  const { job } = await world.assertAdded("mail", { name: "welcome", data: { to: expect.stringContaining("@") } });
  await world.waitForState(job, "dead");
  const dead = await world.queue("mail").getJob(job.id);
  expect(dead.lastError).toContain("no such user");
  await world.close();
});

test("with an inline world a mail is sent when the sign-up returns", async () => {
  const sent = [];
  const { world, signup } = setup(async (name) => void sent.push(name), { inline: true });
  await signup.signUp(ada);
  expect(sent).toEqual(["welcome"]);
  await world.close();
});
