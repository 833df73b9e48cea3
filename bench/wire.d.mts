/**
 * Types of `wire.mjs`, which is plain JavaScript so that Node.js 20 runs it without a build.
 */

export type Reply = string | number | null | Error | readonly Reply[];

export function readReply(cursor: { readonly text: string; at: number }): Reply | undefined;
