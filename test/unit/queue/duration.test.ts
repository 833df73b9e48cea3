import { describe, expect, it } from "vitest";
import { type Duration, durationMs } from "../../../src/queue/duration.ts";
import { errorOf } from "./scripted-engine.ts";

describe("durationMs", () => {
  it.each([
    [0, 0],
    [1500, 1500],
    [2 ** 53 - 1, 2 ** 53 - 1],
    ["250ms", 250],
    ["30s", 30_000],
    ["5m", 300_000],
    ["2h", 7_200_000],
    ["1d", 86_400_000],
    ["1w", 604_800_000],
    ["1.5h", 5_400_000],
    ["1.1s", 1100],
    ["0.001s", 1],
    ["2147483648ms", 2_147_483_648],
  ] as [Duration, number][])("reads %s as %d ms", (duration, ms) => {
    expect(durationMs(duration, "delay")).toBe(ms);
  });

  it.each([
    -1,
    -1e15,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1.5,
    2 ** 53,
    "5",
    "-5m",
    "5 m",
    "m",
    "",
    "1.2345s",
    "5min",
    "1e3ms",
    "99999999999999999w",
    null,
    {},
    true,
    5n,
  ])("refuses %s and names the option", async (duration) => {
    const error = await errorOf(() => durationMs(duration as Duration, "delay"));
    expect(error.code).toBe("invalid_option");
    expect(error.message).toContain("delay");
    expect(error.details["option"]).toBe("delay");
  });
});
