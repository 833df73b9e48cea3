/**
 * Types of `figures.mjs`, which is plain JavaScript so that Node.js 20 runs it without a build.
 */

import type { Machine, RowResult } from "./report.mjs";

/** What bench/results/*.json holds. */
export type KeptResult = RowResult & { readonly machine: Machine; readonly lacking: readonly string[] };

export function readResults(): KeptResult[];
export function pages(results?: readonly KeptResult[]): { readonly path: string; readonly text: string }[];
export function placed(page: string, text: string): string;
export function writeFigures(): void;
