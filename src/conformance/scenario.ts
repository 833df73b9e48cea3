/**
 * A scenario: one sentence of the contract, made to fail by an engine that breaks it.
 *
 * Names and their order are part of the contract: a report of one engine can be laid beside that of another. A scenario
 * speaks to the wire and looks at keys, never at an engine's inside, so any speaker can be held to it.
 */

import type { FindingCode } from "../doctor/finding.ts";
import type { Trial } from "./trial.ts";

/** What a file of scenarios writes; {@link Scenario} adds the plane. */
export interface ScenarioDraft {
  /** Unique, in lower case with underscores; the sub-queue and the printed line carry it. */
  readonly name: string;
  /** The row of the reference's contract that it restates, which is its place in the run; absent for our own. */
  readonly row?: number;
  /** What must hold, in one line. */
  readonly contract: string;
  /** Commands that not every supported server has. A server without one of them skips the scenario. */
  readonly needs?: readonly string[];
  /**
   * What the doctor must find in the scenario's queues afterwards, because the scenario breaks an invariant on purpose:
   * each of these codes and no other. Absent: the queues must be clean.
   */
  readonly expectFindings?: readonly FindingCode[];
  /** Resolves when everything held; throws what did not. */
  run(trial: Trial): Promise<void>;
}

/** The folders of scenarios: the planes of verbs, what a connection promises, and rules that many verbs share. */
export type ScenarioPlane = "job" | "lane" | "flow" | "repeat" | "operator" | "read" | "connection" | "rule";

export interface Scenario extends ScenarioDraft {
  readonly plane: ScenarioPlane;
}
