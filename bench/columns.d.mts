/**
 * Types of `columns.mjs`, which is plain JavaScript so that Node.js 20 runs it without a build.
 */

export const COLUMNS: readonly { readonly name: string; readonly title: string }[];
