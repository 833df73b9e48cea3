/**
 * Types of `act-cost-report.mjs`, which is plain JavaScript so that Node.js 20 runs it without a build.
 */

import type { Counters } from "./wire.mjs";

export interface ActCost {
  readonly commands: readonly { readonly name: string; readonly callsPerJob: number; readonly usPerCall: number }[];
  readonly commandsUs: number;
  readonly aroundUs: number;
  readonly actUs: number;
  readonly wireUs: number;
  readonly allUs: number;
}

export function costOf(measured: {
  readonly counters: Counters;
  readonly act: string | undefined;
  readonly processorUs: number;
  readonly jobs: number;
}): ActCost;
export function costTable(title: string, costs: Readonly<Record<string, ActCost>>): string;
