/** The wake rule on configurations of hundreds of thousands of states. */

import { expect, test } from "vitest";
import { explore } from "./explore.ts";
import type { Configuration } from "./wake-model.ts";

const LARGE: readonly (readonly [string, Configuration])[] = [
  [
    "work that falls due out of order, with the beat",
    { workers: [1, 1], producers: [[{ later: 2 }, { later: 1 }]], beat: true },
  ],
  ["jobs that fall due beside flat work", { workers: [1, 2], producers: [[{ later: 1 }, { later: 2 }, { flat: 1 }]] }],
  ["retries beside jobs that fall due", { workers: [1, 2], producers: [[{ later: 1 }, { flat: 1 }]], failures: 1 }],
  ["three workers and a lane", { workers: [1, 1, 2], producers: [[{ flat: 2 }, { lane: 2 }], [{ flat: 1 }]] }],
  [
    "three workers, one of which dies, with the beat",
    { workers: [1, 1, 1], producers: [[{ flat: 2 }, { lane: 1 }]], deaths: 1, beat: true },
  ],
  [
    "death, loss, close and pause together",
    {
      workers: [1, 1, 1],
      producers: [[{ flat: 1 }], [{ operator: "pause" }, { operator: "resume" }]],
      deaths: 1,
      losses: 1,
      closes: 1,
      beat: true,
    },
  ],
  [
    "two TURNs on their way, due jobs and a lost connection",
    { workers: [1, 2], producers: [[{ flat: 2 }, { later: 1 }]], turnsInFlight: 2, losses: 1 },
  ],
  ["a keeper of time that dies", { workers: [1, 1], producers: [[{ later: 1 }, { later: 2 }]], deaths: 1, beat: true }],
];

test.each(LARGE)("nobody sleeps over claimable work: %s", { timeout: 300_000 }, (_name, configuration) => {
  const findings = explore(configuration, { statesMax: 4_000_000 });
  expect(findings.trace).toEqual([]);
  expect([...findings.faults]).toEqual([]);
});
