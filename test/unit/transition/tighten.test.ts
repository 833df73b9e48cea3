/** What the compiler's Lua becomes before it is linked: fewer steps, and the same meaning. */

import { describe, expect, it } from "vitest";
import { tightened } from "../../../tools/lua/tighten.mjs";

describe("texts that are put together", () => {
  it("are put together in one step", () => {
    expect(tightened('local key = ((base .. "metrics:") .. which) .. ":minutes"')).toBe(
      'local key = base .. "metrics:" .. which .. ":minutes"',
    );
    expect(tightened('call("HGET", (base .. "job:") .. id, "alias")')).toBe(
      'call("HGET", base .. "job:" .. id, "alias")',
    );
    expect(tightened('local row = dedup == "" and "" or (base .. "de:") .. dedup')).toBe(
      'local row = dedup == "" and "" or base .. "de:" .. dedup',
    );
  });

  it.each([
    ['(alias == false and "" or alias) .. "x"', "a choice"],
    ['name(base .. "job:") .. id', "a call"],
    ['rows[(at + 1)] .. "x"', "a position"],
    ['#(base .. "x") .. id', "a sign before it"],
    ['local text = "(a .. b) .. c"', "a text that looks so"],
    ["-- (a .. b) .. c", "a comment"],
    ['(base .. "x")', "nothing behind it"],
  ])("keep the brackets of %s: %s", (text) => {
    expect(tightened(text)).toBe(text);
  });
});

describe("positions", () => {
  it("are added up at the end of one", () => {
    expect(tightened("args[at + 1 + 1] = args[row + 3 + 1]")).toBe("args[at + 2] = args[row + 4]");
    expect(tightened("ids[#ids - 1 + 1]")).toBe("ids[#ids - 1 + 1]");
  });
});

/** A counting loop as the compiler writes it, around some lines. */
function loop(lines: readonly string[], step = "1", first = "0"): string {
  const body = lines.map((line) => `        ${line}\n`).join("");
  return `do\n    local i = ${first}\n    while i < stop do\n${body}        i = i + ${step}\n    end\nend`;
}

describe("counting loops", () => {
  it("count in one instruction", () => {
    expect(tightened(loop(["call(ids[i + 1])"]))).toBe("for i = 0, stop - 1 do\n    call(ids[i + 1])\nend");
    expect(tightened(loop(["call(i)"], "width", "at + 2"))).toBe(
      "for i = at + 2, stop - 1, width do\n    call(i)\nend",
    );
  });

  it("do so within one another", () => {
    const inner = loop(["call(i, k)"]).replaceAll(/\bi\b/g, "k").replace("call(k, k)", "call(i, k)").split("\n");
    expect(tightened(loop(inner))).toBe(
      "for i = 0, stop - 1 do\n    for k = 0, stop - 1 do\n        call(i, k)\n    end\nend",
    );
  });

  it.each([
    ["i = stop", "the counter"],
    ["stop = stop - 1", "its end"],
    ["local a, stop = next()", "its end by another of that name"],
    ["later(function() return i end)", "what a function keeps"],
  ])("stay where %s writes to %s", (line) => {
    const text = loop([line]);
    expect(tightened(text)).toBe(text);
  });
});
