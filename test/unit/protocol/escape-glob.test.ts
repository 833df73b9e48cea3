/** Names as patterns of a scan. */

import { describe, expect, it } from "vitest";
import { escapeGlob } from "../../../src/protocol/escape-glob.ts";

describe("escapeGlob", () => {
  it.each([
    ["emq:{mail}:", "emq:{mail}:"],
    ["emq:{*}:", "emq:{\\*}:"],
    ["a?b[c]d\\e", "a\\?b\\[c\\]d\\\\e"],
  ])("escapes in %s what a pattern gives a meaning to", (text, pattern) => {
    expect(escapeGlob(text)).toBe(pattern);
  });
});
