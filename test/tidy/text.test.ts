/**
 * What no file of the repository may hold, and how every source begins.
 */

import { describe, expect, it } from "vitest";
import { hits, isText, readJson, readText, trackedFiles } from "./repository.ts";

/** Columns of a line of code. */
const COLUMNS_MAX = 120;

/** This file names what it bans; the license and the lock files are not ours to word. */
const EXEMPT = /^test\/tidy\/text\.test\.ts$|^LICENSE$|package-lock\.json$|Cargo\.lock$/;

const texts = trackedFiles().filter((path) => !EXEMPT.test(path) && isText(path));
const sources = texts.filter((path) => /^(?:src|test|scripts|tools|bench)\/.+\.(?:ts|mts|mjs)$/.test(path));

/** Pattern, and what to do. Hosts are put together, so that not even this file names one. */
const BANS: readonly (readonly [string, RegExp])[] = [
  ["open ends belong into an issue", /\b(?:TODO|FIXME)\b/],
  [
    "say what the code does, not who wrote it",
    /\b(?:[Cc]laude|[Aa]nthropic|[Cc]hatGPT|[Oo]pen[Aa][Ii]|[Cc]opilot|LLMs?|AI|language models?)\b/,
  ],
  [
    "say what the code does, not how it came to be",
    /\b(?:coding|developer|previous|earlier) session\b|\bprompt(?:s|ed)?\b/i,
  ],
  ["paths of one machine mean nothing on another", /(?<![\w.-])\/(?:work|root|home\/\w+)\/|\/tmp\/helpers/],
  [
    "a mirror is the reader's own choice",
    new RegExp(
      [
        ["registry", "npmjs", "org"],
        ["registry", "yarnpkg", "com"],
        ["deb", "debian", "org"],
        ["security", "debian", "org"],
        ["archive", "ubuntu", "com"],
        ["crates", "io"],
        ["pypi", "org"],
        ["proxy", "golang", "org"],
      ]
        .map((parts) => parts.join("\\."))
        .join("|"),
    ),
  ],
];

/** The formatter breaks code and leaves literals whole, so a line of code that is too long has one that must be. */
function isTooLong(line: string): boolean {
  const isComment = /^\s*(?:\/\*|\*|\/\/)/.test(line);
  return line.length > COLUMNS_MAX && (isComment || !/["'`/]/.test(line));
}

describe("no tracked file", () => {
  it.each(BANS)("%s", (_, pattern) => {
    expect(texts.flatMap((path) => hits(path, readText(path), pattern))).toEqual([]);
  });

  it("names an address in a lock file", () => {
    const locks = trackedFiles().filter((path) => path.endsWith("package-lock.json"));
    const resolved = locks.flatMap((path) => {
      const { packages } = readJson(path) as { packages: Record<string, { resolved?: string }> };
      return Object.values(packages).flatMap((entry) => (entry.resolved?.includes("//") ? [entry.resolved] : []));
    });
    expect(resolved).toEqual([]);
  });
});

describe("every source", () => {
  it("opens with a block comment that says what it is for", () => {
    const opening = /^(?:#!.*\n|\/\/\/ <reference .*\n)*\/\*\*(?: \S|\n \* \S)/;
    const named = sources.filter((path) => !path.startsWith("test/") || path.startsWith("test/server/"));
    expect(named.filter((path) => !opening.test(readText(path)))).toEqual([]);
  });

  it(`has lines of at most ${COLUMNS_MAX} columns`, () => {
    const written = sources.filter((path) => !path.endsWith(".generated.ts"));
    const long = written.flatMap((path) =>
      readText(path)
        .split("\n")
        .flatMap((line, at) => (isTooLong(line) ? [`${path}:${at + 1}: ${line.length} columns`] : [])),
    );
    expect(long).toEqual([]);
  });

  it("ends with one line feed and has no carriage return", () => {
    const wrong = sources.filter((path) => !readText(path).endsWith("\n") || /\r|\n\n$/.test(readText(path)));
    expect(wrong).toEqual([]);
  });
});
