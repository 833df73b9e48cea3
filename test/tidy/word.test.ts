/**
 * The wire's word is everybody's word: one thing, one name, in code and on the wire.
 *
 * The rules look at names and at texts that are one word, not at prose: a comment may say that a caller is waiting.
 */

import { describe, expect, it } from "vitest";
import { trackedFiles } from "./repository.ts";
import { readSource } from "./source.ts";

/** Parts of names, split at capitals and underscores, joined by a space: a pattern and the word to use. */
const NAMES: readonly (readonly [RegExp, string])[] = [
  [/\btasks?\b/, "job"],
  [/\bmessage (?:id|queue|count|handler|payload)s?\b|\b(?:queue|queued) messages?\b/, "job"],
  [/\bwaiting (?:jobs?|count|state|set)\b/, "pending"],
  [/\bdelayed (?:jobs?|count|state|set)\b/, "scheduled"],
  [/\bfailed (?:jobs?|count|state|set)\b/, "dead"],
  [/\b(?:dead letters?|dlq)\b/, "dead"],
  [/\b(?:lane|group) (?:queue|list)\b/, "lane"],
];

/** Whole texts, and the word to use. */
const TEXTS: Readonly<Record<string, string>> = {
  waiting: "pending",
  prioritized: "pending",
  task: "job",
  "waiting-children": "awaiting_children",
};

/** Foreign words stand where they are refused with the word to use; calls on a connection have states of their own. */
const TABLES = /(?:foreign|state|count)[a-z]*-?[a-z]*\.ts$|^src\/valkey\//;

const sources = trackedFiles().filter((path) => /^src\/.+\.ts$/.test(path));

function partsOf(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase();
}

describe("words of src", () => {
  it.each(sources)("%s", (path) => {
    const { names, strings } = readSource(path);
    const found: string[] = [];
    for (const { text, line } of names) {
      const parts = partsOf(text);
      for (const [pattern, word] of NAMES)
        if (pattern.test(parts)) found.push(`line ${line}: ${text}; the word is ${word}`);
    }
    for (const { text, line } of TABLES.test(path) ? [] : strings) {
      if (Object.hasOwn(TEXTS, text)) found.push(`line ${line}: "${text}"; the word is ${TEXTS[text]}`);
    }
    expect(found).toEqual([]);
  });
});
