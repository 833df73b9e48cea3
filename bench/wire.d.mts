/**
 * Types of `wire.mjs`, which is plain JavaScript so that Node.js 20 runs it without a build.
 */

export type Reply = string | number | null | Error | readonly Reply[];

export type Counters = Readonly<Record<string, { readonly calls: number; readonly us: number }>>;

export function countersOf(fields: Readonly<Record<string, string>>): Counters;
export function readReply(cursor: { readonly text: string; at: number }): Reply | undefined;
