/**
 * Every state of several small configurations, and the proof that the exploration would notice a missing rule.
 *
 * The larger configurations are in `wake-model.long.test.ts`.
 */

import { describe, expect, test } from "vitest";
import { explore, type Fault } from "./explore.ts";
import type { Configuration, Rules } from "./wake-model.ts";

const FLAT: Configuration = { workers: [1, 2], producers: [[{ flat: 2 }, { flat: 2 }]] };
const LANE: Configuration = { workers: [2, 2], producers: [[{ flat: 2 }, { lane: 1 }], [{ flat: 1 }]] };
const LATER: Configuration = { workers: [1, 1], producers: [[{ later: 2 }, { later: 1 }]] };
const PAUSE: Configuration = {
  workers: [1, 2],
  producers: [
    [{ flat: 1 }, { flat: 1 }],
    [{ operator: "pause" }, { operator: "resume" }],
  ],
};
const TWO: Configuration = { workers: [1, 1], producers: [[{ flat: 1 }, { flat: 1 }]] };

const SOUND: readonly (readonly [string, Configuration])[] = [
  ["one worker, one batch", { workers: [1], producers: [[{ flat: 2 }]] }],
  ["two workers and flat batches", FLAT],
  ["two workers, flat work and a lane of limit 1", LANE],
  ["the same with the beat", { ...LANE, workers: [1, 2], beat: true }],
  ["the same with sweeps at the beat", { ...LANE, workers: [1, 2], beat: "sweep" }],
  ["work that falls due out of order", LATER],
  ["work that falls due, with the beat", { workers: [1, 1], producers: [[{ later: 1 }]], beat: true }],
  ["a handler that throws and is retried", { workers: [1, 2], producers: [[{ flat: 2 }]], failures: 1 }],
  ["pause and resume", PAUSE],
  ["a worker that dies anywhere", { ...TWO, deaths: 1 }],
  ["a worker that dies anywhere, with the beat", { ...TWO, deaths: 1, beat: true }],
  ["a worker that dies anywhere, with sweeps at the beat", { ...TWO, deaths: 1, beat: "sweep" }],
  ["a keeper of time that dies, with sweeps at the beat", { ...LATER, deaths: 1, beat: "sweep" }],
  ["pause and resume, with sweeps at the beat", { ...PAUSE, workers: [1, 1], beat: "sweep" }],
  ["workers that ask behind adds of their process", { ...LANE, workers: [1, 2], asks: 1 }],
  ["a worker that asks behind adds, and dies anywhere", { ...TWO, deaths: 1, asks: 2 }],
  ["a worker that asks behind adds, and closes anywhere", { ...TWO, closes: 1, turnsInFlight: 2, asks: 2 }],
  ["work that falls due beside adds that are asked behind", { ...LATER, asks: 1 }],
  ["a lost blocking connection", { ...TWO, losses: 1 }],
  ["a worker that closes anywhere", { ...TWO, closes: 1 }],
  ["a lease that lapses under a running handler", { workers: [1, 2], producers: [[{ flat: 2 }]], lapses: 1 }],
  ["two TURNs on their way at once", { workers: [1, 2], producers: [[{ flat: 2 }, { lane: 1 }]], turnsInFlight: 2 }],
];

const ASLEEP: Fault = "asleep over claimable work";
const LATE: Fault = "a due job waits for a beat";
const PILE: Fault = "more than one token in the list";

/** The rule that is left out, where that shows, and as what. */
const NEEDED: readonly (readonly [string, Partial<Rules>, Configuration, Fault])[] = [
  ["ADMIT pushes", { pushOnAdmit: false }, FLAT, ASLEEP],
  ["resume pushes", { pushOnResume: false }, PAUSE, ASLEEP],
  ["sweep pushes", { pushOnSweep: false }, { workers: [1, 2], producers: [[{ flat: 2 }]], lapses: 1 }, ASLEEP],
  ["a TURN that leaves work pushes", { pushWorkLeft: false }, FLAT, ASLEEP],
  ["... also when it claimed nothing", { pushWorkLeftWhenNothingClaimed: false }, LANE, ASLEEP],
  ["a full worker answers its token", { answerWithoutRoom: false }, LANE, ASLEEP],
  ["a worker with a free slot blocks while it runs other jobs", { blockWhileRunning: false }, LANE, ASLEEP],
  ["a worker asks after losing its blocking connection", { askAfterLoss: false }, { ...TWO, losses: 1 }, ASLEEP],
  ["a closing worker answers the token that still came", { askWhenClosing: false }, { ...TWO, closes: 1 }, ASLEEP],
  ["a new head of the schedule pushes", { pushNewHead: false }, LATER, LATE],
  [
    "who moved due jobs keeps time",
    { keepTimeAfterMoving: false },
    { workers: [1, 2], producers: [[{ later: 1 }, { later: 2 }, { flat: 1 }]] },
    LATE,
  ],
  ["who answers a token keeps time", { keepTimeAfterToken: false }, LATER, LATE],
  ["a push is made only into an empty list", { guardPush: false }, FLAT, PILE],
  [
    "a full worker must not keep its token to itself while every TURN pushes",
    { answerWithoutRoom: false, guardPush: false },
    LANE,
    ASLEEP,
  ],
];

/** Left out, these make nobody sleep: they only shorten what follows a lost token. */
const HELPFUL: readonly (readonly [string, Partial<Rules>, Configuration])[] = [
  ["a worker asks at connect", { askAtConnect: false }, FLAT],
  ["making work pushes whenever no token lies there", { pushByLevel: false }, LANE],
];

describe("the wake rule", () => {
  test.each(SOUND)("nobody sleeps over claimable work: %s", (_name, configuration) => {
    const findings = explore(configuration, { statesMax: 400_000 });
    expect(findings.trace).toEqual([]);
    expect([...findings.faults]).toEqual([]);
    expect(findings.states).toBeGreaterThan(20);
  });

  test.each(HELPFUL)("holds without the help of: %s", (_name, rules, configuration) => {
    expect([...explore({ ...configuration, rules }).faults]).toEqual([]);
  });
});

describe("a beat of sweeps alone", () => {
  const UNREACHED: Fault = "the end cannot be reached";
  // Whatever admits work wakes nobody, as a foreign producer; so nothing but the beat finds it.
  const FOREIGN: Configuration = { workers: [1, 1], producers: [[{ flat: 2 }]], deaths: 1, beat: "sweep" };
  const faultsWithout = (rules: Partial<Rules>) =>
    explore({ ...FOREIGN, rules: { pushOnAdmit: false, ...rules } }, { statesMax: 400_000 }).faults;

  test("brings every run to its end, also when nobody is told of work and tokens go down with dead clients", () => {
    expect([...faultsWithout({})]).not.toContain(UNREACHED);
  });

  test("needs the push for that, and would do without the word in the answer", () => {
    expect([...faultsWithout({ askAfterSweep: false })]).not.toContain(UNREACHED);
    expect([...faultsWithout({ pushOnIdleSweep: false })]).toContain(UNREACHED);
  });
});

describe("the exploration notices when a rule is left out", () => {
  test.each(NEEDED)("%s", (_name, rules, configuration, fault) => {
    const findings = explore({ ...configuration, rules }, { statesMax: 500_000, until: fault });
    expect(findings.faults).toContain(fault);
  });
});
