/**
 * Types of `targets.mjs`, which is plain JavaScript so that Node.js 20 runs it without a build.
 */

import type { Figure, RowResult } from "./report.mjs";

export interface Target {
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  readonly figures?: readonly string[];
  readonly least?: number;
  readonly most?: number;
  readonly of?: string;
  readonly over?: string;
  readonly what?: string;
  readonly reason?: string;
}

export interface Check {
  readonly row: string;
  readonly column: string;
  readonly figure: string;
  readonly unit: string;
  readonly value: number;
  readonly isMet: boolean;
}

export interface Ahead {
  readonly row: RowResult;
  readonly figure: string;
  readonly peer: Figure;
  readonly ours: readonly (Figure | undefined)[];
}

export const TARGETS: readonly Target[];
export const AHEAD: Readonly<Record<string, string>>;
export function aheadOf(results: readonly RowResult[]): Ahead[];
export function speaksOf(target: Target, row: string, figure: Pick<Figure, "column" | "figure">): boolean;
export function valueOf(target: Target, figures: readonly Figure[], figure: Figure): number | undefined;
export function isReached(target: Target, value: number): boolean;
export function checksOf(target: Target, results: readonly RowResult[]): Check[];
