import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FLAT_FIELDS_MAX, HashValue } from "../../../../src/embedded/store/hash-value.ts";

const field = fc.oneof(fc.nat(40).map(String), fc.constantFrom("", "__proto__", "constructor", "\x00"));
const value = fc.constantFrom("", "1", "\xff");

const steps = fc.array(fc.tuple(field, fc.option(value, { nil: undefined })), { maxLength: 150 });

/** Takes the steps in a hash and in a map, and compares what both say. */
function compare(hash: HashValue, each: readonly (readonly [string, string | undefined])[]): void {
  const model = new Map(pairsOf(hash));
  for (const [name, text] of each) {
    if (text === undefined) expect(hash.delete(name)).toBe(model.delete(name));
    else {
      expect(hash.set(name, text)).toBe(model.get(name));
      model.set(name, text);
    }
    expect(hash.size).toBe(model.size);
    expect(hash.get(name)).toBe(model.get(name));
  }
  expect(hash.entries()).toEqual([...model].flat());
  expect(hash.copy().entries()).toEqual(hash.entries());
}

function pairsOf(hash: HashValue): [string, string][] {
  const flat = hash.entries();
  return flat.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, flat[at + 1] as string]] : []));
}

describe("a hash beside a map", () => {
  it.each([false, true])("has the same fields in the same order after any steps, few or many (row: %s)", (isRow) => {
    fc.assert(fc.property(steps, (each) => compare(new HashValue(isRow), each)));
  });

  it.each([false, true])("has them after any steps from any birth (row: %s)", (isRow) => {
    const birth = fc.uniqueArray(field, { minLength: 1, maxLength: FLAT_FIELDS_MAX });
    fc.assert(
      fc.property(birth, steps, (names, each) => {
        const hash = HashValue.of(["key", ...names.flatMap((name) => [name, `of ${name}`])], 1, isRow) as HashValue;
        expect(pairsOf(hash)).toEqual(names.map((name) => [name, `of ${name}`]));
        compare(hash, each);
      }),
    );
  });

  it.each([false, true])("is not made of a field that comes twice (row: %s)", (isRow) => {
    expect(HashValue.of(["a", "1", "b", 2, "a", "3"], 0, isRow)).toBeUndefined();
    expect(HashValue.of(["a", "1", "b", 2], 0, isRow)?.entries()).toEqual(["a", "1", "b", "2"]);
    expect(HashValue.of(["a", "1", "a", "3"], 0, isRow)).toBeUndefined();
  });
});
