/** The types of random-files.mjs, for the tests. */

export function randomFiles(root: string): string[];
