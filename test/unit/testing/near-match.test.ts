/**
 * The comparison behind assertions: what is like a pattern, and where something is not.
 */

import { describe, expect, it } from "vitest";
import { DIFFERENCES_MAX, differences, shown } from "../../../src/testing/near-match.ts";

const paths = (pattern: unknown, actual: unknown) => differences(pattern, actual, "data").map(({ path }) => path);

describe("differences", () => {
  it.each([
    ["equal scalars", 1, 1],
    ["members that are not named", { a: 1 }, { a: 1, b: 2 }],
    ["members within members and arrays", { a: [{ b: 1 }] }, { a: [{ b: 1, c: 2 }] }],
    ["matchers of a test framework", { a: expect.any(Number), b: expect.arrayContaining([1]) }, { a: 3, b: [2, 1] }],
    ["not a number", Number.NaN, Number.NaN],
    ["instants, also as text", { at: new Date(5) }, { at: new Date(5).toJSON() }],
    ["a member that is to be absent", { a: undefined }, {}],
  ])("are none for %s", (_, pattern, actual) => {
    expect(paths(pattern, actual)).toEqual([]);
  });

  it.each([
    ["another scalar", 1, 2, ["data"]],
    ["a scalar of another type", 1, "1", ["data"]],
    ["a missing member", { a: { b: 1 } }, { a: {} }, ["data.a.b"]],
    ["null in place of an object", { a: { b: 1 } }, { a: null }, ["data.a"]],
    ["an array of another length", { a: [1] }, { a: [1, 2] }, ["data.a"]],
    ["an object in place of an array", { a: [1] }, { a: { 0: 1 } }, ["data.a"]],
    ["items", [{ a: 1 }, { a: 2 }], [{ a: 1 }, { a: 3 }], ["data[1].a"]],
    ["a matcher that refuses", { a: expect.any(Number) }, { a: "x" }, ["data.a"]],
    ["another instant", { at: new Date(5) }, { at: new Date(6).toJSON() }, ["data.at"]],
  ])("tell the place of %s", (_, pattern, actual, places) => {
    expect(paths(pattern, actual)).toEqual(places);
  });

  it("are no more than a message shows", () => {
    const many = Array.from({ length: 50 }, (_, at) => at);
    expect(
      paths(
        many,
        many.map((at) => at + 1),
      ),
    ).toHaveLength(DIFFERENCES_MAX);
  });
});

describe("a shown value", () => {
  it("is JSON where there is one, short, and never an error", () => {
    const circle: { self?: unknown } = {};
    circle.self = circle;
    expect(shown({ a: [1, "x"] })).toBe('{"a":[1,"x"]}');
    expect(shown(undefined)).toBe("undefined");
    expect(shown({ n: 1n })).toBe('{"n":"1"}');
    expect(shown({ a: expect.any(Number) })).toContain("Any");
    expect(shown("x".repeat(1000)).length).toBeLessThan(200);
    expect(shown(circle)).toBe("[object Object]");
  });
});
