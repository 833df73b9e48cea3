/**
 * Types of `rows.mjs`, which is plain JavaScript so that Node.js 20 runs it without a build.
 */

import type { RowHead } from "./report.mjs";

/** What the reports and the tests need to know of a row. */
export interface Row extends RowHead {
  readonly columns: readonly string[];
}

export const ROWS: readonly Row[];
