/**
 * Tests with Node's own runner: `node --test examples/testing/signup.node.test.mjs`.
 */

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { createTestWorld } from "echomq/testing";
import { createSignup } from "./signup.mjs";

const ada = { email: "ada@example.com" };
let world;
let sent;
let signup;

beforeEach(() => {
  world = createTestWorld();
  sent = [];
  signup = createSignup({ connection: world.connection, send: async (...mail) => void sent.push(mail) });
});

afterEach(async () => {
  await signup.close();
  await world.close();
});

test("a sign-up adds a welcome now and tips in three days", async () => {
  await signup.signUp(ada);
  await world.assertAdded("mail", { name: "welcome", data: { to: ada.email } });
  await world.assertAdded("mail", { name: "tips", delay: "3d" });
});

test("signing up twice welcomes once", async () => {
  await signup.signUp(ada);
  await signup.signUp(ada);
  await world.assertAdded("mail", { name: "welcome" }, { times: 1 });
});

test("the tips go out when three days are over", async () => {
  await signup.signUp(ada);
  await world.clock.advance("3d");
  assert.deepEqual(sent, [
    ["welcome", ada.email],
    ["tips", ada.email],
  ]);
});

test("a sign-up whose answer is lost may be repeated", async () => {
  world.faults.loseNextAnswer({ verb: "ADMIT" });
  await assert.rejects(signup.signUp(ada), { code: "disconnected" });
  await signup.signUp(ada);
  await world.drain();
  assert.deepEqual(sent, [["welcome", ada.email]]);
});
