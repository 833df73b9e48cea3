/** The floors of processing are given as much in hand as a worker, or they would be no floors. */

import { expect, it } from "vitest";
import { wantOf } from "../../../bench/driver/floor-work.mjs";
import { LOOK_AHEAD_MAX } from "../../../src/queue/defaults.ts";
import { LookAhead } from "../../../src/worker/look-ahead.ts";
import { CLAIMS_PER_TURN_MAX, TURNS_IN_FLIGHT_MAX } from "../../../src/worker/turn-loop.ts";

it.each([1, 5, 10, 100, 1000])("at concurrency %i a turn of a floor asks for its share of that", (concurrency) => {
  const ahead = new LookAhead(LOOK_AHEAD_MAX);
  ahead.note(0);
  const share = Math.ceil((concurrency + ahead.size(concurrency)) / TURNS_IN_FLIGHT_MAX);
  expect(wantOf(concurrency)).toBe(Math.min(share, CLAIMS_PER_TURN_MAX));
});
