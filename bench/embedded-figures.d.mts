/** Types of embedded-figures.mjs, for its test. */

export interface EmbeddedResult {
  readonly machine: Readonly<Record<string, unknown>>;
  readonly lacking?: string;
  readonly rows: readonly {
    readonly row: string;
    readonly store: string;
    readonly figures: Readonly<Record<string, { readonly median: number; readonly min: number; readonly max: number }>>;
  }[];
}

export const pagePath: string;
export function readResult(): EmbeddedResult | undefined;
export function textOf(result?: EmbeddedResult): string;
export function placed(page: string, text: string): string;
