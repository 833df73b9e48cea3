/** The list of scenarios itself: nothing of the contract may be missing from it, and its order is part of it. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SCENARIOS } from "../../src/conformance/scenarios.ts";
import { VERBS } from "../../src/protocol/verbs.generated.ts";
import { root } from "../tidy/repository.ts";

/** The rows of the reference's contract, in their order. */
const ROWS = [
  ..."fence mint duplicate kind order claim stale complete retry dead reap rotate pause limit schedule repeat".split(
    " ",
  ),
  ..."backoff resubscribe counts state metrics dedup rate lane_depth queue_pause drain obliterate".split(" "),
  ..."update_data update_progress job_logs remove_job reprocess_job lock_extend stalled events telemetry cancel unknown_state".split(
    " ",
  ),
  ..."rate_consult dedup_release extend_locks_batch stalled_group obliterate_grouped reassign lane_drain".split(" "),
  ..."reap_group flow_add flow_fanin flow_children_values flow_cross_queue flow_fail_parent flow_ignore_dep".split(" "),
  ..."flow_add_bulk flow_grandchild flow_grandchild_fail".split(" "),
  ..."pool_enqueue pool_order native_lock_field native_lock_refuses weighted_proportion".split(" "),
  ..."starvation_drill batch_claim batch_claim_short batch_partial_failure batch_shaping_floor".split(" "),
  ..."batch_shaping_timeout batch_shaping_partial_failure grouped_batch_affinity grouped_batch_ceiling".split(" "),
  ..."grouped_batch_fairness batch_partition batch_delay batch_delay_stale".split(" "),
  ..."stream_verbs stream_append stream_group stream_retention stream_archived stream_time_travel".split(" "),
];

const CORRECTIONS =
  "c01 c02 c03 c04 c05 c06 c07 c08 c09 c10 c11 c12 c13 c14 c15 c16 c17 c18 c19 c20 c21 c22 c23 c24 c25 c26 c27".split(
    " ",
  );

describe("the scenarios", () => {
  it("begin with the rows of the reference's contract, in its order", () => {
    const rows = SCENARIOS.filter(({ row }) => row !== undefined);
    expect(rows.map(({ name }) => name)).toEqual(ROWS);
    expect(SCENARIOS.slice(0, rows.length)).toEqual(rows);
  });

  it("go on with the corrections, in the order of their numbers", () => {
    const numbers = SCENARIOS.map(({ name }) => /^c\d\d(?=_)/.exec(name)?.[0]).filter((number) => number !== undefined);
    expect([...new Set(numbers)]).toEqual(CORRECTIONS);
    expect(numbers.toSorted()).toEqual(numbers);
  });

  it("have names that are unique and fit into a sub-queue, and a contract of one line", () => {
    const names = SCENARIOS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, contract } of SCENARIOS) {
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
      expect(contract).toMatch(/^[A-Z].*\.$/);
    }
  });

  it("have a file for every verb, at the path of its specification", () => {
    const missing = Object.entries(VERBS)
      .map(([verb, { plane }]) => `src/conformance/${plane}/${verb.toLowerCase()}.ts`)
      .filter((path) => !existsSync(join(root, path)));
    expect(missing).toEqual([]);
  });
});
