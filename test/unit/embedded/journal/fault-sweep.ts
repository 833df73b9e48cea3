/** Every place at which a disk may refuse, tried out over one course. */

import { expect } from "vitest";
import type { FsyncMode } from "../../../../src/embedded/journal/journal-start.ts";
import { followWithFaults } from "./broken-runs.ts";
import { COURSE } from "./course.ts";
import { type DiskFault, type DiskOperation, diskError } from "./torn-disk.ts";

/** Bytes of journals with which a snapshot is written: all the time. */
const OFTEN = 600;

/** What refuses an operation, the `nth` of a row of them from 0 on. */
export type Refusal = (what: DiskOperation, bytes: number, nth: number) => DiskFault;

/** By what it stands for: a full device, half-way through a write, and an error of the device. */
export const REFUSALS: readonly (readonly [string, Refusal])[] = [
  ["a full device", (what, bytes, nth) => (what === "write" && nth === 0 ? Math.ceil(bytes / 2) : diskError("ENOSPC"))],
  ["an error of the device", () => diskError("EIO")],
];

/** Follows the course again and again, with `length` refused operations in a row that begin at every `step`th. */
export async function sweepFaults(
  fsync: FsyncMode,
  refuse: Refusal,
  rows: readonly { readonly length: number; readonly step: number }[],
): Promise<void> {
  const base = { course: COURSE, fsync, compactBytesMin: OFTEN };
  const { operations, refused } = await followWithFaults({ ...base, fault: () => undefined });
  expect(refused).toBe(0);
  let hits = 0;
  for (const { length, step } of rows) {
    for (let first = 1; first <= operations; first += step) {
      const fault = (at: number, what: DiskOperation, bytes: number) =>
        at >= first && at < first + length ? refuse(what, bytes, at - first) : undefined;
      try {
        hits += (await followWithFaults({ ...base, fault })).refused;
      } catch (error) {
        throw new Error(`operations ${first} to ${first + length - 1} were refused`, { cause: error });
      }
    }
  }
  expect(hits).toBeGreaterThan(0);
}
