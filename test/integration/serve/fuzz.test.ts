/** Random and mutated commands into the project's own server, for seconds; `fuzz.long.test.ts` goes on for longer. */

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SEED } from "../../random/seed.ts";
import { type Served, startServed } from "../../server/start-served.ts";
import { everyCommand, expectSound, fuzzRound } from "./serve-fuzz.ts";

const ROUNDS = 150;

describe("whatever is sent to the server", () => {
  let served: Served | undefined;
  beforeAll(async () => {
    served = await startServed();
  });
  afterAll(async () => await served?.stop());

  it("is answered by whole replies, and by no fault of its own", async () => {
    const commands = await everyCommand(served!);
    let replies = 0;
    for (let round = 0; round < ROUNDS; round++) {
      replies += await fuzzRound(served!, commands, SEED + round);
      if (round % 25 === 24) await expectSound(served!);
    }
    expect(replies).toBeGreaterThan(ROUNDS);
  });
});
