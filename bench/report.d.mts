/**
 * Types of `report.mjs`, which is plain JavaScript so that Node.js 20 runs it without a build.
 */

export interface Spread {
  readonly runs: number;
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export interface RowResult {
  readonly name: string;
  readonly target: number;
  readonly echomq: Spread;
  readonly bullmq: Spread;
  readonly embedded: Spread;
  /** Median of EchoMQ over median of BullMQ. */
  readonly ratio: number;
}

export interface Machine {
  readonly echomq: string;
  readonly bullmq: string;
  readonly valkey: string;
  readonly rounds: number;
  readonly node: string;
  readonly system: string;
  readonly processor: string;
  readonly cores: number;
  readonly memoryGiB: number;
}

export function spread(values: readonly number[]): Spread;
export function rowResult(
  row: { readonly name: string; readonly target: number },
  runs: { readonly echomq: number[]; readonly bullmq: number[]; readonly embedded: number[] },
): RowResult;
export function machineOf(versions: Pick<Machine, "echomq" | "bullmq" | "valkey" | "rounds">): Machine;
export function tableOf(machine: Machine, results: readonly RowResult[]): string;
