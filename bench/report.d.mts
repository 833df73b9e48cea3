/**
 * Types of `report.mjs`, which is plain JavaScript so that Node.js 20 runs it without a build.
 */

import type { Target } from "./targets.mjs";

export interface Spread {
  readonly runs: number;
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export interface Figure extends Spread {
  readonly column: string;
  readonly figure: string;
  /** Median over that of BullMQ. */
  readonly ratio?: number;
}

export interface RowHead {
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly isMoreBetter: boolean;
}

export interface RowResult extends RowHead {
  /** With how much it was run. */
  readonly counts?: Readonly<Record<string, unknown>>;
  readonly figures: readonly Figure[];
}

export interface Versions {
  readonly echomq: string;
  readonly bullmq: string;
  readonly beeQueue: string;
  readonly valkey: string;
  readonly rounds: number;
  readonly isQuick: boolean;
  readonly isBusy: boolean;
  readonly load: number;
}

export interface Machine extends Versions {
  readonly node: string;
  readonly system: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryGiB: number;
}

export function spread(values: readonly number[]): Spread;
export function rowResult(
  row: RowHead,
  runs: Readonly<Record<string, readonly Readonly<Record<string, number>>[]>>,
  counts?: Readonly<Record<string, unknown>>,
): RowResult;
export function machineOf(versions: Versions): Machine;
export function loadNow(): { readonly load: number; readonly isBusy: boolean };
export function versionsOf(machine: Versions & { readonly node: string }): string;
export function placeOf(machine: Pick<Machine, "cores" | "processor" | "memoryGiB" | "system">): string;
export function headOf(machine: Machine): string[];
export function tableOf(
  machine: Machine,
  results: readonly RowResult[],
  lacks?: readonly string[],
  targets?: readonly Target[],
): string;
export function askedOf(target: Target, unit: string, nameOf?: (column: string) => string): string;
export function labelOf(result: RowHead, figure: string): string;
export function shown(value: number): string;
