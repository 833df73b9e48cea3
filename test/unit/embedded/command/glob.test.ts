import { describe, expect, it } from "vitest";
import { matchesGlob } from "../../../../src/embedded/command/glob.ts";

describe("a pattern", () => {
  const cases: [pattern: string, fits: string[], not: string[]][] = [
    ["", [""], ["a"]],
    ["*", ["", "a", "\x00\xff"], []],
    ["a*c", ["ac", "abc", "abcc"], ["a", "ab", "xac"]],
    ["*a*b*", ["ab", "xaxbx"], ["ba"]],
    ["h?llo", ["hello", "h?llo"], ["hllo", "heello"]],
    ["h[ae]llo", ["hello", "hallo"], ["hillo", "hllo"]],
    ["h[^e]llo", ["hallo"], ["hello", "hllo"]],
    ["h[a-c]llo", ["hbllo"], ["hdllo"]],
    ["h[c-a]llo", ["hbllo"], ["hdllo"]],
    ["[\\]]", ["]"], ["\\"]],
    ["a\\*", ["a*"], ["ab"]],
    ["a\\", ["a\\"], ["a"]],
    ["[abc", ["a", "c"], ["d", "[abc"]],
    ["emq:{q\\[1\\]}:*", ["emq:{q[1]}:job"], ["emq:{q1}:job"]],
  ];
  for (const [pattern, fits, not] of cases) {
    it(`${JSON.stringify(pattern)} fits what the server says it fits`, () => {
      for (const text of fits) expect(matchesGlob(pattern, text), text).toBe(true);
      for (const text of not) expect(matchesGlob(pattern, text), text).toBe(false);
    });
  }

  it("with many stars takes no longer than pattern times text", () => {
    expect(matchesGlob("*a".repeat(200), `${"a".repeat(5000)}b`)).toBe(false);
  });
});
