/**
 * The limits of a queue as its user sees them: a ceiling, a rate, and limits of job names.
 *
 * The claiming acts keep them on the server, so they hold for every worker, whoever set them and whenever. A limit of a
 * job name is the rate of a lane: the wire lets jobs of that name wait in the lane `@` and the name, so that they block
 * no others, and nothing has to be searched.
 */

import type { Engine } from "../engine/engine.ts";
import { assertOwnWire } from "../engine/shared-mode.ts";
import { bytesOf, textOf } from "../protocol/bytes.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { NAME_DEFAULT } from "./defaults.ts";
import type { Jobs } from "./jobs.ts";
import { ratedLanePages } from "./lane-names.ts";
import type { Lanes } from "./lanes.ts";
import { assertKnownOptions, isName } from "./option-check.ts";
import { type Rate, rateArguments, rateOf } from "./rate.ts";
import { bytesReply, listOf, QueueKeys } from "./verb-call.ts";

/** What the lane of a job name begins with. */
const NAME_LANE = "@";

/** Names that one call may limit, and that are told. */
const NAMES_MAX = 1000;

/** What {@link setQueueLimits} changes. What is not named stays as it is; `null` takes a limit away. */
export interface LimitsChange {
  /** Jobs of the queue that may be active at once, over all workers: 1 to 2^31. */
  readonly concurrency?: number | null;
  /** Jobs of the queue that may start in a time, over all workers. */
  readonly rate?: Rate | null;
  /**
   * Jobs of these names that may start in a time, 1000 names at most. Jobs with a lane of their own are not counted.
   */
  readonly names?: Readonly<Record<string, Rate | null>>;
}

/** The limits of a queue. */
export interface QueueLimits {
  /** Jobs that may be active at once; `undefined` for no limit. */
  readonly concurrency: number | undefined;
  /** `undefined` for no limit. */
  readonly rate: Rate | undefined;
  /** Rates of job names, 1000 at most. */
  readonly names: Readonly<Record<string, Rate>>;
  /** Until when nothing of the queue starts, in server ms; 0 when its rate lets jobs through. */
  readonly restsUntil: number;
}

/** Where limits are set. */
export interface LimitsPlace {
  readonly engine: Engine;
  readonly jobs: Jobs;
  readonly lanes: Lanes;
  readonly queue: string;
}

/**
 * Changes limits. Everything is checked before the first is set; they are set one after the other.
 *
 * @throws EchoMQError `invalid_limit`, `invalid_rate`, `invalid_lane` for a name that no lane can have,
 *   `unknown_option`, `invalid_option`, `shared_mode`, `full`.
 */
export async function setQueueLimits({ engine, jobs, lanes, queue }: LimitsPlace, change: LimitsChange): Promise<void> {
  assertKnownOptions(change, {
    owner: "setLimits",
    known: ["concurrency", "rate", "names"],
    foreign: {
      limiter: "it is called rate",
      max: "give rate: { max, duration }",
      duration: "give rate: { max, duration }",
      lanes: "set queue.lane(name).rate({ max, duration })",
    },
  });
  const { concurrency, rate, names = {} } = change;
  const rates = Object.entries(checkedNames(names));
  if (rate !== undefined) rateArguments(rate);
  for (const [, named] of rates) rateArguments(named);
  assertOwnWire(engine, "Limits");
  const queueWide = { ...(concurrency === undefined ? {} : { concurrency }), ...(rate === undefined ? {} : { rate }) };
  await jobs.setLimits(queue, queueWide);
  for (const [name, named] of rates) await lanes.rate(queue, NAME_LANE + name, named);
}

/** Reads the limits that hold now. */
export async function readQueueLimits({ engine, queue }: LimitsPlace): Promise<QueueLimits> {
  const keys = new QueueKeys(queue);
  const [settings, rest] = await Promise.all([
    engine.command(["HMGET", keys.meta, "concurrency", "max", "duration", "burst"]),
    engine.command(["ZSCORE", `${keys.base}rest`, ""]),
  ]);
  const [concurrency, max, duration, burst] = listOf(settings).map((part) => (part === null ? null : bytesReply(part)));
  const ceiling = Number(concurrency ?? 0);
  return {
    concurrency: Number.isSafeInteger(ceiling) && ceiling > 0 ? ceiling : undefined,
    rate: rateOf(max ?? null, duration ?? null, burst ?? null),
    names: await readNameRates(engine, keys),
    restsUntil: rest === null ? 0 : Number(bytesReply(rest)),
  };
}

/** The rate of a lane; `undefined` for none. */
export async function readLaneRate(engine: Engine, queue: string, lane: string): Promise<Rate | undefined> {
  const name = bytesOf(lane);
  const fields = ["m", "d", "b"].map((letter) => letter + name);
  const reply = listOf(await engine.command(["HMGET", `${new QueueKeys(queue).base}rate`, ...fields]));
  const [max, duration, burst] = reply.map((part) => (part === null ? null : bytesReply(part)));
  return rateOf(max ?? null, duration ?? null, burst ?? null);
}

async function readNameRates(engine: Engine, keys: QueueKeys): Promise<Record<string, Rate>> {
  const rates: [string, Rate][] = [];
  if ((await engine.command(["HEXISTS", `${keys.base}rate`, "n"])) !== 1) return {};
  for await (const lanes of ratedLanePages(engine, keys)) {
    for (const lane of lanes) {
      if (!lane.startsWith(NAME_LANE) || rates.length >= NAMES_MAX) continue;
      const rate = await readLaneRate(engine, keys.queue, textOf(lane));
      if (rate !== undefined) rates.push([textOf(lane.slice(NAME_LANE.length)), rate]);
    }
  }
  return Object.fromEntries(rates.sort(([left], [right]) => (left < right ? -1 : 1)));
}

function checkedNames(names: unknown): Readonly<Record<string, Rate | null>> {
  if (typeof names !== "object" || names === null || Array.isArray(names)) {
    throw new EchoMQError("invalid_option", `names must be an object of job names and rates, not ${quote(names)}`, {
      details: { option: "names", value: names },
    });
  }
  const known = Object.keys(names);
  if (known.length > NAMES_MAX) {
    throw new EchoMQError("invalid_option", `names may limit ${NAMES_MAX} names at once, not ${known.length}`, {
      details: { option: "names" },
    });
  }
  for (const name of known) {
    if (name !== "" && isName(NAME_LANE + name)) continue;
    const rule = `A job name that is limited must suit a lane of "${NAME_LANE}" and the name`;
    throw new EchoMQError("invalid_lane", `${rule}; ${quote(name)} does not (the default name is "${NAME_DEFAULT}")`);
  }
  return names as Readonly<Record<string, Rate | null>>;
}
