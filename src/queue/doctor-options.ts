/**
 * What `queue.doctor()` takes, checked before anything is looked at: a slip must not turn a look into a repair.
 */

import { FINDINGS_MAX, type InspectOptions } from "../doctor/doctor.ts";
import { EchoMQError } from "../protocol/errors.ts";
import { type Duration, durationMs } from "./duration.ts";
import { assertBoolean, assertKnownOptions, assertWhole } from "./option-check.ts";

/** Options of {@link import("./queue.ts").QueueCore.doctor}. */
export interface DoctorOptions {
  /** Put right what can be put right without deleting anything of a caller's. Default false: nothing is written. */
  readonly repair?: boolean;
  /**
   * With `repair`, delete as well what nothing can be done with: keys that the wire does not know or that are of a
   * foreign type, rows without a payload, what rows have left behind. Default false.
   */
  readonly destroy?: boolean;
  /** Findings to list, 1 to 10,000; default 1000. Further ones are counted, and repaired all the same. */
  readonly limit?: number;
  /** A lease that lapsed longer ago is a finding; default `"5m"`. */
  readonly overdue?: Duration;
}

/**
 * The options as the doctor takes them.
 *
 * @throws EchoMQError `unknown_option` or `invalid_option`; `destroy` without `repair` is one.
 */
export function inspectOptions(options: DoctorOptions = {}): InspectOptions {
  assertKnownOptions(options, { owner: "doctor", known: ["repair", "destroy", "limit", "overdue"] });
  const { repair = false, destroy = false, limit, overdue } = options;
  assertBoolean(repair, "repair");
  assertBoolean(destroy, "destroy");
  if (destroy && !repair) {
    throw new EchoMQError("invalid_option", "destroy says what a repair may do: give repair: true with it", {
      details: { option: "destroy", value: destroy },
    });
  }
  if (limit !== undefined) assertWhole(limit, "limit", { min: 1, max: FINDINGS_MAX });
  return {
    repair,
    destroy,
    ...(limit === undefined ? {} : { findingsMax: limit }),
    ...(overdue === undefined ? {} : { overdueMs: durationMs(overdue, "overdue") }),
  };
}
