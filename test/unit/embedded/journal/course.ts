/**
 * A course of calls for stores that are to break: the acts of jobs and commands of every type, some at the same time,
 * and what a store holds after each of them when nothing breaks.
 *
 * Everything is fixed, ids and clock included, so the same calls lead to the same keys on any engine. A store that was
 * broken and opened again is right when it holds what the course held after some call, and not an earlier one than the
 * last that was acknowledged and safe.
 */

import { EmbeddedEngine } from "../../../../src/embedded/embedded-engine.ts";
import type { Engine } from "../../../../src/engine/engine.ts";
import { Jobs } from "../../../../src/queue/jobs.ts";
import { createTestPorts, type TestPorts } from "../../../../src/testing/test-ports.ts";
import { everything } from "./open-store.ts";

/** One call. */
export type Call = (engine: Engine) => Promise<unknown>;

/** Calls that are made at the same time, and how long nothing happens behind them, in ms. */
export interface Step {
  readonly calls: readonly Call[];
  readonly restMs: number;
}

const LEASE_MS = 30_000;

const ids = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `JOB00000000${100 + from + at}`);

const verbs =
  (run: (jobs: Jobs) => Promise<unknown>): Call =>
  (engine) =>
    run(new Jobs(engine));

const command =
  (...parts: string[]): Call =>
  (engine) =>
    engine.command(parts);

const [a = "", b = "", c = "", d = ""] = ids(4);
const failure = { delayMs: 1000, maxAttempts: 2, error: "no" };

/** The calls of the small course. */
export const COURSE: readonly Step[] = [
  { calls: [verbs((jobs) => jobs.enqueue("q", a, "one"))], restMs: 0 },
  { calls: [b, c].map((id) => verbs((jobs) => jobs.enqueue("q", id, id.repeat(9)))), restMs: 5 },
  { calls: [verbs((jobs) => jobs.claim("q", LEASE_MS)), command("SET", "k", "v", "PX", "700000")], restMs: 3 },
  {
    calls: [
      verbs((jobs) => jobs.complete("q", a, 1, "42", { count: 9, ms: 0 })),
      verbs((jobs) => jobs.claim("q", LEASE_MS)),
    ],
    restMs: 0,
  },
  { calls: [verbs((jobs) => jobs.retry("q", b, 1, failure)), command("XADD", "s", "*", "f", "v")], restMs: 1200 },
  { calls: [verbs((jobs) => jobs.turn("q", { worker: "w", leaseMs: LEASE_MS, want: 2 }))], restMs: 0 },
  {
    calls: [
      verbs((jobs) => jobs.complete("q", c, 1)),
      verbs((jobs) => jobs.retry("q", b, 2, failure)),
      verbs((jobs) => jobs.admit("q", [{ id: d, payload: "d", name: "n", priority: 3 }])),
      command("ZADD", "z", "1.5", "m", "-inf", "n"),
      command("HINCRBY", "h", "f", "7"),
    ],
    restMs: 2,
  },
  { calls: [verbs((jobs) => jobs.reprocessJob("q", b)), command("DEL", "z", "k")], restMs: 0 },
  {
    calls: [verbs((jobs) => jobs.removeJob("q", d)), command("RPUSH", "l", "1", "2"), command("LPOP", "l")],
    restMs: 9,
  },
];

/** Makes the calls in order; `onCall` is told when one is answered, before the next step. */
export async function follow(
  engine: Engine,
  ports: TestPorts,
  course: readonly Step[],
  onAnswer: (call: number, error: Error | undefined) => void = () => {},
): Promise<void> {
  let first = 0;
  for (const { calls, restMs } of course) {
    const begun = first;
    const answers = calls.map((call, at) =>
      call(engine).then(
        () => onAnswer(begun + at, undefined),
        (error: Error) => onAnswer(begun + at, error),
      ),
    );
    await Promise.all(answers);
    await ports.clock.advance(restMs);
    first += calls.length;
  }
}

/** What a store holds after each number of calls, from none on. Calls for which `isMade` is false are left out. */
export async function historyOf(
  course: readonly Step[],
  isMade: (call: number) => boolean = () => true,
): Promise<string[]> {
  const ports = createTestPorts();
  const engine = new EmbeddedEngine({ ports });
  const history = [await textOf(engine)];
  let number = 0;
  for (const { calls, restMs } of course) {
    for (const call of calls) {
      if (isMade(number++)) await call(engine);
      history.push(await textOf(engine));
    }
    await ports.clock.advance(restMs);
  }
  return history;
}

/** Everything that an engine holds, as text. */
export async function textOf(engine: Engine): Promise<string> {
  return JSON.stringify(await everything(engine));
}
