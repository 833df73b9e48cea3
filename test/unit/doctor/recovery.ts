/** What must be so once a queue has been mended: it is clean, and every job that can run runs. */

import { expect } from "vitest";
import { inspectQueue } from "../../../src/doctor/doctor.ts";
import { Jobs } from "../../../src/queue/jobs.ts";
import type { Damage, Patient } from "./damage.ts";

/** Times that everything is claimed, before a job that has not come is taken for lost. */
const ROUNDS_MAX = 20;

/** The states in which a job rests for good. */
const RESTING = ["dead", "completed", "awaiting_children"];

/** Hurts the queue, expects just that finding and no write, mends it, and expects a sound queue. */
export async function expectRecovery(patient: Patient, damage: Damage): Promise<void> {
  const { engine, queue } = patient;
  const ids = await damage.seed(patient);
  const key = patient.key(damage.suffix.replace("ID", ids[0] ?? ""));

  const found = await inspectQueue(engine, queue);
  expect(found.findings.map(({ code, key: at }) => [code, at])).toContainEqual([damage.code, key]);
  expect(new Set(found.findings.map(({ code }) => code))).toEqual(new Set([damage.code]));
  expect(found.isClean).toBe(false);
  expect(found.findings[0]).toMatchObject({ outcome: "left", destroys: damage.destroys === true });

  const kept = await inspectQueue(engine, queue, { repair: true });
  expect(kept.isClean).toBe(damage.destroys !== true);

  const mended = await inspectQueue(engine, queue, { repair: true, destroy: true });
  expect(mended.findings.filter(({ outcome }) => outcome === "left")).toEqual([]);
  expect(mended.isClean).toBe(true);
  expect(await inspectQueue(engine, queue)).toMatchObject({ isClean: true, findings: [], unchecked: [] });
  await expectToRun(patient, ids);
  expect(await inspectQueue(engine, queue)).toMatchObject({ isClean: true, findings: [] });
}

/** Claims and completes until every one of these jobs that does not rest is gone. */
async function expectToRun({ engine, queue }: Patient, ids: readonly string[]): Promise<void> {
  const jobs = new Jobs(engine);
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const left: string[] = [];
    for (const id of ids) {
      const row = await jobs.getRow(queue, id);
      const state = row?.get("state") ?? "";
      if (row === undefined || RESTING.includes(state)) continue;
      if (state === "active") await jobs.complete(queue, id, Number(row.get("attempts")));
      else left.push(id);
    }
    if (left.length === 0) return;
    await jobs.turn(queue, { worker: "w", leaseMs: 60_000, want: 10 });
  }
  expect.fail(`${ids.join(", ")} never ran`);
}
