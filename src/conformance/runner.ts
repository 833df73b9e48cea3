/**
 * Runs scenarios against one server and prints a verdict a line.
 *
 * Each scenario has a queue of its own, which is purged afterwards whatever came of it, so a run leaves no key behind
 * and no scenario sees another's. Besides the scenarios the run itself can fail: when a verb, or a refusal that a verb
 * names, was never exercised, the suite proves nothing about it.
 */

import { inspectQueue } from "../doctor/doctor.ts";
import type { FindingCode } from "../doctor/finding.ts";
import { bytesOf } from "../protocol/bytes.ts";
import { causeText } from "../protocol/cause-text.ts";
import { VERBS, type Verb } from "../protocol/verbs.generated.ts";
import { QUEUES_KEY } from "../queue/queue-names.ts";
import { CheckedEngine, type Exercised, nothingExercised } from "./checked-engine.ts";
import { fail } from "./expectation.ts";
import { purge } from "./key-scan.ts";
import type { ConformancePort } from "./port.ts";
import { REFUSALS } from "./replies.generated.ts";
import type { Scenario } from "./scenario.ts";
import { SCENARIOS } from "./scenarios.ts";
import { Trial } from "./trial.ts";

/** What came of one scenario. */
export type Verdict =
  | { readonly kind: "ok" }
  | { readonly kind: "fail"; readonly why: string }
  | { readonly kind: "skip"; readonly lacks: string };

export interface ConformanceOptions {
  /** Receives one line a scenario, and the closing line. */
  readonly print: (line: string) => void;
  /** The queue whose sub-queues are used; default `conf` and a fresh id. */
  readonly queue?: string;
  /** Names of the scenarios to run; default all. Then nothing is said about what was not exercised. */
  readonly only?: readonly string[];
}

/** What came of a run. */
export interface ConformanceReport {
  readonly passed: number;
  /** Scenarios that were run; the skipped ones are not among them. */
  readonly run: number;
  readonly skipped: number;
  /** Names of what failed; `exercise` stands for what no scenario exercised. */
  readonly failed: readonly string[];
}

/** Runs all scenarios one after another, in their order. Never throws for what an engine does wrong. */
export async function runConformance(port: ConformancePort, options: ConformanceOptions): Promise<ConformanceReport> {
  const queue = options.queue ?? `conf${port.mint("JOB")}`;
  const exercised = nothingExercised();
  const scenarios = SCENARIOS.filter(({ name }) => options.only?.includes(name) ?? true);
  const failed: string[] = [];
  let skipped = 0;
  for (const scenario of scenarios) {
    const verdict = await runScenario(port, scenario, { queue, exercised });
    options.print(`CONF ${scenario.name} ${verdictText(verdict)} -- ${scenario.contract}`);
    if (verdict.kind === "fail") failed.push(scenario.name);
    if (verdict.kind === "skip") skipped += 1;
  }
  const run = scenarios.length - skipped;
  const passed = run - failed.length;
  const missed = options.only === undefined && skipped === 0 ? neverExercised(exercised) : [];
  if (missed.length > 0) {
    options.print(`CONF exercise FAIL never exercised: ${missed.join("; ")}`);
    failed.push("exercise");
  }
  options.print(`CONFORMANCE ${passed}/${run}`);
  return { passed, run, skipped, failed };
}

/** Runs one scenario in the sub-queue of its name and purges that. */
export async function runScenario(
  port: ConformancePort,
  scenario: Scenario,
  options: { readonly queue: string; readonly exercised: Exercised },
): Promise<Verdict> {
  for (const command of scenario.needs ?? []) {
    const lacks = await port.lacks(command);
    if (lacks !== undefined) return { kind: "skip", lacks };
  }
  const queue = `${options.queue}.${scenario.name}`;
  const engine = new CheckedEngine(port.engine, options.exercised);
  const trial = new Trial(port, engine, queue);
  const fault = await faultOf(async () => {
    await purge(port.engine, trial.base);
    await scenario.run(trial);
  });
  const findings = fault === undefined ? await faultOf(() => judgeQueues(port, scenario, trial)) : undefined;
  const end = await faultOf(async () => {
    await trial.end();
    for (const base of [trial.base, ...trial.otherBases]) await purge(port.engine, base);
    // A scenario that adds as hosts do has put its queue on the list of queues.
    await port.engine.command(["SREM", QUEUES_KEY, ...[trial.queue, ...trial.otherQueues].map(bytesOf)]);
  });
  const why = engine.fault ?? fault ?? findings ?? end;
  return why === undefined ? { kind: "ok" } : { kind: "fail", why };
}

/** Fails unless the doctor finds in the scenario's queues just what the scenario says that it leaves. */
async function judgeQueues(port: ConformancePort, scenario: Scenario, trial: Trial): Promise<void> {
  const expected = new Set<FindingCode>(scenario.expectFindings);
  const found = new Map<FindingCode, string>();
  for (const queue of [trial.queue, ...trial.otherQueues]) {
    const { findings } = await inspectQueue(port.engine, queue, { overdueMs: Number.MAX_SAFE_INTEGER });
    for (const { code, key, member, detail } of findings) found.set(code, `${code} ${key} ${member} ${detail}`);
  }
  const surplus = [...found].filter(([code]) => !expected.has(code)).map(([, text]) => text);
  const missing = [...expected].filter((code) => !found.has(code));
  if (surplus.length > 0) fail(`the doctor finds what the scenario does not expect: ${surplus.join("; ")}`);
  if (missing.length > 0) fail(`the doctor does not find what the scenario breaks: ${missing.join(", ")}`);
}

/** Verbs and refusals that no act of a whole run has shown. */
export function neverExercised({ verbs, refusals }: Exercised): string[] {
  return (Object.keys(VERBS) as Verb[]).flatMap((verb) => {
    const missed = REFUSALS[verb].filter((text) => !refusals.has(`${verb} ${text}`)).map((text) => `${verb} ${text}`);
    return verbs.has(verb) ? missed : [verb, ...missed];
  });
}

function verdictText(verdict: Verdict): string {
  switch (verdict.kind) {
    case "ok":
      return "ok";
    case "fail":
      return `FAIL ${verdict.why.replaceAll("\n", " ")}`;
    case "skip":
      return `SKIP ${verdict.lacks}`;
  }
}

async function faultOf(run: () => Promise<void>): Promise<string | undefined> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return causeText(error);
  }
}
