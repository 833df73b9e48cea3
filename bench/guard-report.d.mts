/**
 * Types of `guard-report.mjs`, which is plain JavaScript so that Node.js 20 runs it without a build.
 */

export interface GuardLine {
  readonly name: string;
  readonly before?: number;
  readonly value: number;
  /** Share by which the value is above the baseline. */
  readonly change?: number;
  readonly verdict: "new" | "grown" | "less" | "as before";
}

export function compare(
  baseline: Readonly<Record<string, number>>,
  measured: Readonly<Record<string, number>>,
): GuardLine[];
export function guardTable(lines: readonly GuardLine[], lacks: readonly string[]): string;
