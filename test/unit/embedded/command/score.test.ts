import { describe, expect, it } from "vitest";
import { scoreOf, scoreText } from "../../../../src/embedded/command/score.ts";

describe("a score", () => {
  it("is written as the server writes doubles", () => {
    const texts: [number, string][] = [
      [0, "0"],
      [-5, "-5"],
      [1719792000000, "1719792000000"],
      [2 ** 53, "9007199254740992"],
      [4e18, "4000000000000000000"],
      [1e21, "1e+21"],
      [1.5, "1.5"],
      [0.1, "0.1"],
      [-123456789.125, "-123456789.125"],
      [1e-7, "1e-7"],
      [1.5e-10, "1.5e-10"],
      [Infinity, "inf"],
      [-Infinity, "-inf"],
    ];
    for (const [score, text] of texts) expect(scoreText(score)).toBe(text);
  });

  it("is read from decimals, hexadecimals and infinities, and from nothing else", () => {
    const scores: [string, number][] = [
      ["1", 1],
      ["-1.5", -1.5],
      ["+2", 2],
      [".5", 0.5],
      ["1e3", 1000],
      ["0x10", 16],
      ["-inf", -Infinity],
      ["+Infinity", Infinity],
      ["-0", -0],
    ];
    for (const [text, score] of scores) expect(scoreOf(text)).toBe(score);
    for (const text of ["", "x", "nan", "1e999", " 1", "1 ", "1_0", "0b1", "--1"])
      expect(scoreOf(text)).toBeUndefined();
  });
});
