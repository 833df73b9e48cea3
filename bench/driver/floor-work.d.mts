/**
 * Types of `floor-work.mjs`, which is plain JavaScript so that Node.js 20 runs it without a build.
 */

export function wantOf(concurrency: number): number;

/** The calls of a driver that a floor has. */
export interface Floor {
  add(): Promise<unknown>;
  addMany(items: readonly { readonly name: string; readonly data: object }[]): Promise<unknown>;
  work(handler: (data: object) => Promise<unknown>, concurrency: number): Promise<unknown>;
  close(): Promise<void>;
}
