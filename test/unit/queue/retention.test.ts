import { describe, expect, it } from "vitest";
import {
  checkedRetention,
  DEAD_KEEP_DEFAULT,
  KEEP_ALL,
  type Retention,
  storedRetention,
  Terms,
} from "../../../src/queue/retention.ts";

describe("checkedRetention", () => {
  it.each([
    [true, { count: 0, ms: 0 }],
    [false, { count: KEEP_ALL, ms: 0 }],
    [0, { count: 0, ms: 0 }],
    [7, { count: 7, ms: 0 }],
    [{ count: 7 }, { count: 7, ms: 0 }],
    [{ age: "2s" }, { count: KEEP_ALL, ms: 2000 }],
    [
      { count: 7, age: 5 },
      { count: 7, ms: 5 },
    ],
  ] as const)("reads %o as %o, and back from what is stored", (retention, keep) => {
    expect(checkedRetention(retention, "removeOnComplete")).toEqual(keep);
    expect(checkedRetention(storedRetention(keep), "removeOnComplete")).toEqual(keep);
  });

  it("lets nothing be nothing", () => {
    expect(checkedRetention(undefined, "removeOnComplete")).toBeUndefined();
  });

  it("names the option and its part in what it refuses", () => {
    const check = (value: unknown) => () => checkedRetention(value as Retention, "removeOnFail");
    expect(check(-1)).toThrow(/removeOnFail/);
    expect(check({ count: 0.5 })).toThrow(/removeOnFail\.count/);
    expect(check({ age: 0 })).toThrow(/removeOnFail\.age/);
    expect(check("1h")).toThrow(/removeOnFail must be true, false, a number of jobs or \{ count, age \}/);
    expect(check({})).toThrow(/removeOnFail names neither count nor age/);
    expect(check({ age: undefined })).toThrow(/false to keep all/);
    expect(check({ limit: 3 })).toThrow(/ten beyond what it adds/);
  });
});

describe("Terms", () => {
  it("are plain where nothing is said of completed jobs, so that a turn need not carry them", () => {
    expect(new Terms({ dead: DEAD_KEEP_DEFAULT })).toMatchObject({
      args: ["", "0", "10000", "0", "0"],
      isPlain: true,
    });
    expect(new Terms({ completed: { count: 0, ms: 0 } }).isPlain).toBe(false);
    expect(new Terms({ resultMs: 1 }).isPlain).toBe(false);
  });

  it("have one key where they say the same", () => {
    const terms = () => new Terms({ completed: { count: 1, ms: 2 }, dead: { count: 3, ms: 4 }, resultMs: 5 });
    expect(terms().key).toBe(terms().key);
    expect(terms().args).toEqual(["1", "2", "3", "4", "5"]);
  });
});
