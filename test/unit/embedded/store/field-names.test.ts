import { beforeEach, describe, expect, it, vi } from "vitest";

/** The tree belongs to the process and only grows, so each test has modules of its own. */
async function fresh() {
  vi.resetModules();
  const { ROW_NAMES } = await import("../../../../src/embedded/store/field-names.ts");
  const { HashValue } = await import("../../../../src/embedded/store/hash-value.ts");
  return { ROW_NAMES, HashValue };
}

describe("the lists of names that rows share", () => {
  let ROW_NAMES: Awaited<ReturnType<typeof fresh>>["ROW_NAMES"];
  let HashValue: Awaited<ReturnType<typeof fresh>>["HashValue"];

  beforeEach(async () => {
    ({ ROW_NAMES, HashValue } = await fresh());
  });

  it("are the same for rows of one kind, however they came about", () => {
    const born = ROW_NAMES.with("state").with("attempts").with("owner");
    expect(ROW_NAMES.with("state").with("attempts").with("owner")).toBe(born);
    expect(born.with("x").with("y").without(3).without(3)).toBe(born);
    expect(born.without(1)).toBe(ROW_NAMES.with("state").with("owner"));
    expect(born.list).toEqual(["state", "attempts", "owner"]);
  });

  it("have no name that is long: it would be kept for good", () => {
    const long = "x".repeat(65);
    expect(ROW_NAMES.with(long)).not.toBe(ROW_NAMES.with(long));
    expect(ROW_NAMES.with(long).with("y").list).toEqual([long, "y"]);
  });

  it("end where somebody writes ever new names: then each row has its own", () => {
    const lists = Array.from({ length: 10_000 }, (_, at) => ROW_NAMES.with(`stray ${at}`));
    expect(lists.filter((list, at) => list === ROW_NAMES.with(`stray ${at}`)).length).toBeLessThan(2048);
    const [one, other] = [new HashValue(true), new HashValue(true)];
    for (const hash of [one, other]) for (const name of ["stray 9999", "b", "c"]) hash.set(name, "1");
    one.delete("b");
    expect([one.entries(), other.entries()]).toEqual([
      ["stray 9999", "1", "c", "1"],
      ["stray 9999", "1", "b", "1", "c", "1"],
    ]);
  });
});
