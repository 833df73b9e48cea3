/** `echomq id`: minting and taking apart. */

import { describe, expect, it } from "vitest";
import { idParts, isValidId } from "../../../src/protocol/id.ts";
import { run, runJson } from "./run.ts";

describe("taking an id apart", () => {
  it("shows every part", async () => {
    const { code, out } = await run(["id", "JOB0KHTOWnGLuC"]);
    expect(code).toBe(0);
    expect(out.split("\n")).toEqual([
      "JOB0KHTOWnGLuC",
      "  namespace  JOB",
      "  value      274557032793636864",
      expect.stringMatching(/^ {2}time {7}20\d\d-.*Z \(\d{13}\)$/),
      expect.stringMatching(/^ {2}node {7}\d+$/),
      expect.stringMatching(/^ {2}sequence {3}\d+$/),
      expect.stringMatching(/^ {2}hash32 {5}\d+$/),
      "",
    ]);
  });

  it("gives the number as text, since JSON would lose digits", async () => {
    const { json } = await runJson(["id", "JOBAzL8n0Y58m7"]);
    expect(json).toMatchObject({ isValid: true, namespace: "JOB", value: "9223372036854775807" });
  });

  it.each([
    ["JOB0KHTOWnGLu", "length"],
    ["JOB0KHTOWnGLuCC", "length"],
    ["", "length"],
    ["job0KHTOWnGLuC", "namespace"],
    ["J0B0KHTOWnGLuC", "namespace"],
    ["JOB0KHTOW-GLuC", "charset"],
    ["JOBAzL8n0Y58m8", "range"],
    ["JOBzzzzzzzzzzz", "range"],
    ["mint ", "length"],
  ])("says what is wrong with %j", async (id, fault) => {
    const { code, json } = await runJson(["id", id]);
    expect(code).toBe(1);
    expect(json).toMatchObject({ id, isValid: false, fault, message: expect.stringContaining("is no id") });
    expect((await run(["id", id])).out).toContain("is no id");
  });
});

describe("minting", () => {
  it("prints one id without further words", async () => {
    const { code, out } = await run(["id", "mint"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^JOB[0-9A-Za-z]{11}\n$/);
  });

  it("mints as many as asked, strictly rising, of the node and the namespace asked for", async () => {
    const before = Date.now();
    const { json } = await runJson(["id", "mint", "LNE", "--count", "10000", "--node", "7"]);
    const { ids } = json as { ids: string[] };
    expect(ids).toHaveLength(10_000);
    expect(ids.every(isValidId)).toBe(true);
    expect(ids.every((id) => id.startsWith("LNE") && idParts(id).node === 7)).toBe(true);
    expect(ids.every((id, at) => at === 0 || (ids[at - 1] ?? "") < id)).toBe(true);
    expect(idParts(ids[0]!).ms).toBeGreaterThanOrEqual(before);
  });

  it("prints one id a line", async () => {
    const { out } = await run(["id", "mint", "JOB", "-n", "2500"]);
    const lines = out.split("\n");
    expect(lines.pop()).toBe("");
    expect(new Set(lines).size).toBe(2500);
  });
});
