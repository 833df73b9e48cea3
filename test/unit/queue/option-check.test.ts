import { describe, expect, it } from "vitest";
import {
  assertKnownOptions,
  assertName,
  assertWhole,
  checkedLogger,
  nearestName,
} from "../../../src/queue/option-check.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { errorOf } from "./scripted-engine.ts";

const TABLE = { owner: "add", known: ["attempts", "delay", "priority"], foreign: { lifo: "order is by minting" } };

describe("assertKnownOptions", () => {
  it("passes known options and none", () => {
    expect(() => assertKnownOptions({ delay: 1, priority: undefined }, TABLE)).not.toThrow();
    expect(() => assertKnownOptions(undefined, TABLE)).not.toThrow();
  });

  it("answers a misspelt option with the nearest known one", async () => {
    const error = await errorOf(() => assertKnownOptions({ atempts: 1 }, TABLE));
    expect(error.code).toBe("unknown_option");
    expect(error.message).toContain("did you mean attempts?");
    expect(error.details).toEqual({ option: "atempts", nearest: "attempts" });
  });

  it("lists the known ones when none is near", async () => {
    expect((await errorOf(() => assertKnownOptions({ colour: 1 }, TABLE))).message).toContain(
      "attempts, delay, priority",
    );
  });

  it("gives the reason for an option of other queues", async () => {
    expect((await errorOf(() => assertKnownOptions({ lifo: true }, TABLE))).message).toContain("order is by minting");
  });

  it("shows a call as it should be to whoever gives something else than an object", async () => {
    const table = { ...TABLE, example: "add(name, data, { delay })" };
    const error = await errorOf(() => assertKnownOptions(true, table));
    expect(error.message).toBe("The options of add must be an object, not true: write add(name, data, { delay })");
    expect((await errorOf(() => assertKnownOptions(true, TABLE))).message).toMatch(/not true$/);
  });

  it("takes no name from the prototype of the table for a reason", async () => {
    expect((await errorOf(() => assertKnownOptions({ constructor: 1 }, TABLE))).message).toContain("it takes");
  });

  it.each([null, 5, "delay", [1]])("refuses %o as options", async (options) => {
    expect((await errorOf(() => assertKnownOptions(options, TABLE))).code).toBe("invalid_option");
  });
});

describe("options without members", () => {
  it.each([
    ["a Date", new Date(0)],
    ["a Map", new Map([["delay", 1]])],
    ["a byte array", new Uint8Array(0)],
    ["an error", new Error("no")],
  ])("are refused when they are no plain object: %s", async (_name, options) => {
    expect((await errorOf(() => assertKnownOptions(options, TABLE))).code).toBe("invalid_option");
  });

  it("pass as an empty object, also without a prototype", () => {
    expect(() => assertKnownOptions({}, TABLE)).not.toThrow();
    expect(() => assertKnownOptions(Object.create(null), TABLE)).not.toThrow();
  });
});

describe("checkedLogger", () => {
  it("gives the other one for undefined, and refuses what lacks a level", async () => {
    const { logger } = createTestPorts();
    expect(checkedLogger(undefined, logger)).toBe(logger);
    for (const bad of [null, 5, "console", () => {}, { log() {} }, { debug() {}, info() {}, warn() {} }]) {
      expect(await errorOf(() => checkedLogger(bad as never, logger))).toMatchObject({ code: "invalid_option" });
    }
  });

  it("passes lines on, and loses the line on which a logger throws", () => {
    const { logger } = createTestPorts();
    const fragile = {
      ...consoleLike(),
      warn: () => {
        throw new Error("disk full");
      },
    };
    const checked = checkedLogger(fragile, logger);
    expect(() => checked.warn("lost")).not.toThrow();
    checked.error("kept", { code: "x" });
    expect(fragile.lines).toEqual([["kept", { code: "x" }]]);
  });
});

/** A logger that is an object with state, as most are. */
function consoleLike() {
  const lines: unknown[][] = [];
  const keep = (...line: unknown[]) => void lines.push(line);
  return { lines, debug: keep, info: keep, warn: keep, error: keep };
}

describe("nearestName", () => {
  it("prefers the fewest edits and ignores capitals", () => {
    expect(nearestName("removeoncomplete", ["removeOnFail", "removeOnComplete"])).toBe("removeOnComplete");
    expect(nearestName("dely", ["delay", "relay"])).toBe("delay");
  });

  it("finds nothing for a short or far name", () => {
    expect(nearestName("x", ["delay"])).toBeUndefined();
    expect(nearestName("something", ["delay"])).toBeUndefined();
  });
});

describe("assertWhole", () => {
  it.each([-1, 11, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "5", null, 5n])("refuses %s", async (value) => {
    expect((await errorOf(() => assertWhole(value, "priority", { min: 0, max: 10 }))).code).toBe("invalid_option");
  });

  it.each([0, 10])("passes the bound %d", (value) => {
    expect(() => assertWhole(value, "priority", { min: 0, max: 10 })).not.toThrow();
  });
});

describe("assertName", () => {
  it.each(["a", "ü".repeat(128), "a:b", "* ? [ ]", "__proto__"])("passes %s", (name) => {
    expect(() => assertName(name, "lane", { mayBeEmpty: false })).not.toThrow();
  });

  it.each(["", "a{b", "a}b", "nul\u0000", "a".repeat(257), "ü".repeat(129), 5, undefined])(
    "refuses %s",
    async (name) => {
      expect((await errorOf(() => assertName(name, "lane", { mayBeEmpty: false }))).code).toBe("invalid_name");
    },
  );
});
