/**
 * The seed of a run: one for all random tests, fixed unless given, and named by a failure.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { randomFiles } from "../../scripts/test/random-files.mjs";
import { readText, root, trackedFiles } from "../tidy/repository.ts";
import { SEED, seedOf } from "./seed.ts";

/** Files with a reason: this one, and ids and serial numbers that must not be the same in two runs at once. */
const EXCEPTIONS: ReadonlySet<string> = new Set([
  "test/random/seed.test.ts",
  "test/server/certificates.ts",
  "test/integration/connection/whole-api.ts",
]);

const numbers = fc.array(fc.integer(), { minLength: 20, maxLength: 20 });

describe("the seed of random tests", () => {
  it("is the one of the environment, and a fixed one where there is none", () => {
    expect(seedOf("-7")).toBe(-7);
    expect(seedOf("2147483647")).toBe(2 ** 31 - 1);
    expect(seedOf(undefined)).toBe(seedOf(""));
    expect(SEED).toBe(seedOf(process.env["ECHOMQ_SEED"]));
  });

  it.each(["x", "1.5", "2147483648", " 1", "1e3"])("is no %s", (text) => {
    expect(() => seedOf(text)).toThrow("ECHOMQ_SEED");
  });

  it("is what every property draws from", () => {
    const drawn: number[][] = [];
    const note = fc.property(numbers, (list) => void drawn.push(list));
    fc.assert(note, { numRuns: 3 });
    fc.assert(note, { numRuns: 3, seed: SEED });
    fc.assert(note, { numRuns: 3, seed: SEED === 0 ? 1 : 0 });
    expect(drawn.slice(3, 6)).toEqual(drawn.slice(0, 3));
    expect(drawn.slice(6)).not.toEqual(drawn.slice(0, 3));
  });

  it("is named by a property that fails", () => {
    const failing = fc.property(numbers, () => false);
    expect(() => fc.assert(failing)).toThrow(`seed: ${SEED},`);
  });

  it("is the only chance that tests take, so that a run can be repeated", () => {
    const tests = trackedFiles().filter((path) => /^test\/(?!tidy\/).+\.ts$/.test(path) && !EXCEPTIONS.has(path));
    const own = /Math\.random|numRuns[^}]*\bseed\b|\bseed\b[^}]*numRuns/;
    const found = tests.filter((path) => own.test(readText(path)));
    expect(found).toEqual([]);
  });
});

describe("the files of npm run test:explore", () => {
  it("are those that draw at random, by themselves or through another file", () => {
    const files = randomFiles(root);
    expect(files).toContain("test/unit/protocol/id.prop.test.ts");
    expect(files).toContain("test/differential/served.long.test.ts");
    expect(files).toContain("test/integration/serve/fuzz.test.ts");
    expect(files).not.toContain("test/tidy/port.test.ts");
    expect(files).not.toContain("test/unit/worker/lanes.test.ts");
  });
});
