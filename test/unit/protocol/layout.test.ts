/** The layout check: the seed's call, and one refusal for each rule. */

import { describe, expect, it } from "vitest";
import { baseKey, jobKey, queueKey } from "../../../src/protocol/key.ts";
import { checkLayout } from "../../../src/protocol/layout.ts";

const ID = "JOB0Nb1VTbfnu4";
const OTHER = "JOB0Nb1VTbfnu5";
const PENDING = "emq:{orders}:pending";
const ROW = `emq:{orders}:job:${ID}`;

const layout = (verb: string) => `ERR EMQ.${verb} keys do not match the wire-4 layout`;

describe("checkLayout", () => {
  it("accepts the row and the pending key of one queue", () => {
    expect(checkLayout("ENQUEUE", [ROW, PENDING], [ID, "cargo"])).toBeUndefined();
    expect(checkLayout("ENQUEUE", [jobKey("a:b", ID), queueKey("a:b", "pending")], [ID, ""])).toBeUndefined();
    expect(checkLayout("ENQUEUE", [jobKey("ü", ID), queueKey("ü", "pending")], [ID, "cargo"])).toBeUndefined();
  });

  it.each([
    ["an empty name", `emq:{}:job:${ID}`, "emq:{}:pending"],
    ["a name with a closing brace", `emq:{a}b}:job:${ID}`, "emq:{a}b}:pending"],
    ["a name with an opening brace", `emq:{a{b}:job:${ID}`, "emq:{a{b}:pending"],
    ["a name with NUL", `emq:{a\u0000b}:job:${ID}`, "emq:{a\u0000b}:pending"],
    ["a key of another family", `bull:{orders}:job:${ID}`, "bull:{orders}:pending"],
    ["no braces", `emq:orders:job:${ID}`, "emq:orders:pending"],
    ["no colon after the name", `emq:{orders}job:${ID}`, "emq:{orders}pending"],
    ["another type", ROW, "emq:{orders}:active"],
    ["a type with more behind it", ROW, "emq:{orders}:pending2"],
    ["a row of another queue", `emq:{fills}:job:${ID}`, PENDING],
    ["a row of another id", `emq:{orders}:job:${OTHER}`, PENDING],
    ["a row with more behind it", `${ROW}:logs`, PENDING],
    ["the keys in another order", PENDING, ROW],
    ["empty keys", "", ""],
  ])("refuses %s", (_, row, pending) => {
    expect(checkLayout("ENQUEUE", [row, pending], [ID, "cargo"])).toBe(layout("ENQUEUE"));
  });

  it("judges the number of keys first, then the number of arguments, then the layout", () => {
    expect(checkLayout("ENQUEUE", [ROW], [])).toBe("ERR EMQ.ENQUEUE takes 2 keys");
    expect(checkLayout("ENQUEUE", [ROW, PENDING, PENDING], [ID, ""])).toBe("ERR EMQ.ENQUEUE takes 2 keys");
    const wrong = "ERR wrong number of arguments for 'EMQ.ENQUEUE' command";
    expect(checkLayout("ENQUEUE", ["", ""], [ID])).toBe(wrong);
    expect(checkLayout("ENQUEUE", ["", ""], [ID, "", ""])).toBe(wrong);
  });

  it("allows optional arguments and any number of repeated ones", () => {
    const complete = ["emq:{q}:active", `emq:{q}:job:${ID}`, "emq:{q}:"];
    expect(checkLayout("COMPLETE", complete, [ID, "1"])).toBeUndefined();
    expect(checkLayout("COMPLETE", complete, [ID, "1", ""])).toBeUndefined();
    expect(checkLayout("COMPLETE", complete, [ID, "1", "", "0", "0", "0"])).toBeUndefined();
    expect(checkLayout("COMPLETE", complete, [ID, "1", "", "0", "0", "0", ""])).toContain("wrong number of arguments");
    const extend = ["emq:{q}:active", "emq:{q}:"];
    expect(checkLayout("EXTENDM", extend, ["1000"])).toBeUndefined();
    expect(checkLayout("EXTENDM", extend, ["1000", ID, "1", OTHER, "2"])).toBeUndefined();
    expect(checkLayout("EXTENDM", extend, [])).toContain("wrong number of arguments");
  });

  it("wants exactly a branded id at the end of a row whose id stands in no argument", () => {
    const call = (row: string, logs: string) => checkLayout("LOG", [row, logs], ["line", "0"]);
    expect(call(ROW, `${ROW}:logs`)).toBeUndefined();
    expect(call("emq:{orders}:job:USR0KHTOWnGLuC", "emq:{orders}:job:USR0KHTOWnGLuC:logs")).toBeUndefined();
    expect(call(ROW, `emq:{orders}:job:${OTHER}:logs`)).toBe(layout("LOG"));
    expect(call(ROW, `emq:{fills}:job:${ID}:logs`)).toBe(layout("LOG"));
    for (const tail of ["JOB", "", "job0Nb1VTbfnu4", "USRzzzzzzzzzzz", `${ID}:lock`, `x${ID}`]) {
      expect(call(`emq:{orders}:job:${tail}`, `emq:{orders}:job:${tail}:logs`)).toBe(layout("LOG"));
      expect(checkLayout("UPDATE", [`emq:{orders}:job:${tail}`], [""])).toBe(layout("UPDATE"));
    }
  });

  it("compares the row with the argument alone where one holds the id", () => {
    // Kind and form of that id are judged by the act, after the layout.
    expect(checkLayout("ENQUEUE", ["emq:{q}:job:x", "emq:{q}:pending"], ["x", ""])).toBeUndefined();
    expect(checkLayout("ENQUEUE", ["emq:{q}:job:$&", "emq:{q}:pending"], ["$&", ""])).toBeUndefined();
    expect(checkLayout("PROGRESS", [`emq:{q}:job:${ID}`, "emq:{q}:"], [OTHER, ID])).toBeUndefined();
    expect(checkLayout("PROGRESS", [`emq:{q}:job:${ID}`, "emq:{q}:"], [ID, OTHER])).toBe(layout("PROGRESS"));
  });

  it("takes further keys of the same queue where the verb allows them", () => {
    const keys = [baseKey("q"), queueKey("q", "pending")];
    expect(checkLayout("COUNTS", keys, [])).toBeUndefined();
    expect(checkLayout("COUNTS", [...keys, queueKey("q", "dead"), queueKey("q", "active")], [])).toBeUndefined();
    expect(checkLayout("COUNTS", [...keys, queueKey("p", "dead")], [])).toBe(layout("COUNTS"));
    expect(checkLayout("COUNTS", [...keys, queueKey("q", "meta")], [])).toBe(layout("COUNTS"));
    expect(checkLayout("COUNTS", [baseKey("q")], [])).toBe("ERR EMQ.COUNTS takes 2 keys");
  });

  it("leaves the values of arguments to the server", () => {
    expect(checkLayout("CLAIM", ["emq:{q}:pending", "emq:{q}:active", "emq:{q}:"], ["never"])).toBeUndefined();
  });
});
