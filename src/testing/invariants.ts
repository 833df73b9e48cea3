/**
 * What must be true of every key of a queue at rest, whoever wrote it and by which engine.
 *
 * A thin use of the doctor (`src/doctor/`), so that tests and operators hold a queue to the same rules. A test lets the
 * queue rest and moves its clock by hand, so leases that nobody takes back are no finding here.
 */

import { inspectQueue } from "../doctor/doctor.ts";
import type { FindingCode } from "../doctor/finding.ts";
import type { Engine } from "../engine/engine.ts";
import { type Bytes, bytesOf } from "../protocol/bytes.ts";
import { baseKey } from "../protocol/key.ts";

/** What a rule found. */
export interface Violation {
  readonly rule: Rule;
  /** The part of the key after `emq:{q}:`. */
  readonly suffix: Bytes;
  readonly detail: string;
}

/** The rules, by name: the codes of the doctor. */
export type Rule = FindingCode;

export interface InvariantOptions {
  /** No act is under way and no worker holds a token: then claimable work needs one in the list. Off by default. */
  readonly idle?: boolean;
  /** Others than this package push wake tokens, so more than one may lie there. Off by default. */
  readonly foreign?: boolean;
}

/**
 * Reads all keys of a queue and resolves to what is wrong with them, in byte order of the keys; an empty list is good.
 * `queue` is text, as for `Queue`.
 */
export async function checkInvariants(
  engine: Engine,
  queue: string,
  options: InvariantOptions = {},
): Promise<Violation[]> {
  const { findings } = await inspectQueue(engine, queue, {
    overdueMs: Number.MAX_SAFE_INTEGER,
    idle: options.idle === true,
    strict: options.foreign !== true,
  });
  const prefix = baseKey(bytesOf(queue)).length;
  return findings.map(({ code, key, member, detail }) => ({
    rule: code,
    suffix: bytesOf(key).slice(prefix),
    detail: member === "" ? detail : `${member} ${detail}`,
  }));
}

/** One line for each violation, for messages of tests. */
export function violationText(violations: readonly Violation[]): string {
  return violations.map(({ rule, suffix, detail }) => `${rule} ${suffix}: ${detail}`).join("\n");
}
