/** The types of scripts/cases.mjs, for the tests. */

export interface CaseRow {
  readonly case: string;
  readonly title: string;
  readonly waits?: string;
  readonly part?: string;
}

export interface CaseList {
  readonly sections: readonly { readonly letter: string; readonly name: string; readonly cases: readonly CaseRow[] }[];
}

export function testedCases(base?: string): Map<string, Set<string>>;
export function readCases(base?: string): CaseList;
export function casesPage(list?: CaseList, tested?: ReadonlyMap<string, ReadonlySet<string>>): string;
