/**
 * The server's pattern language for keys: `*`, `?`, `[a-z]`, `[^x]`, and `\` before a character that means itself.
 *
 * On a mismatch the match goes back to the latest `*` and lets it take one character more. Going back further never
 * helps, so the work is at most pattern times text, whatever the pattern.
 */

import type { Bytes } from "../../protocol/bytes.ts";

/** Whether the whole of `text` fits `pattern`. */
export function matchesGlob(pattern: Bytes, text: Bytes): boolean {
  let at = 0;
  let index = 0;
  let starAt = -1;
  let starIndex = 0;
  while (index < text.length) {
    if (pattern[at] === "*") {
      starAt = at++;
      starIndex = index;
      continue;
    }
    const next = at < pattern.length ? matchOne(pattern, at, text[index] as string) : -1;
    if (next >= 0) {
      at = next;
      index++;
    } else if (starAt >= 0) {
      at = starAt + 1;
      index = ++starIndex;
    } else return false;
  }
  while (pattern[at] === "*") at++;
  return at === pattern.length;
}

/** Where the pattern goes on after it has taken one character; -1 when it does not take it. */
function matchOne(pattern: Bytes, at: number, character: string): number {
  switch (pattern[at]) {
    case "?":
      return at + 1;
    case "[":
      return matchClass(pattern, at + 1, character);
    case "\\":
      if (at + 1 < pattern.length) return pattern[at + 1] === character ? at + 2 : -1;
      return character === "\\" ? at + 1 : -1;
    default:
      return pattern[at] === character ? at + 1 : -1;
  }
}

// A class that is never closed ends with the pattern, as in the server.
function matchClass(pattern: Bytes, start: number, character: string): number {
  const negated = pattern[start] === "^";
  let at = negated ? start + 1 : start;
  let found = false;
  while (at < pattern.length && pattern[at] !== "]") {
    const left = pattern.length - at;
    if (pattern[at] === "\\" && left >= 2) {
      found ||= pattern[at + 1] === character;
      at += 2;
    } else if (pattern[at + 1] === "-" && left >= 3) {
      found ||= isBetween(character, pattern[at] as string, pattern[at + 2] as string);
      at += 3;
    } else {
      found ||= pattern[at] === character;
      at++;
    }
  }
  if (found === negated) return -1;
  return Math.min(at + 1, pattern.length);
}

function isBetween(character: string, one: string, other: string): boolean {
  return one <= other ? character >= one && character <= other : character >= other && character <= one;
}
