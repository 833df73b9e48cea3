import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HashValue } from "../../../../src/embedded/store/hash-value.ts";

const field = fc.oneof(fc.nat(40).map(String), fc.constantFrom("", "__proto__", "constructor", "\x00"));
const value = fc.constantFrom("", "1", "\xff");

describe("a hash beside a map", () => {
  it("has the same fields in the same order after any steps, whether it has few or many", () => {
    const steps = fc.array(fc.tuple(field, fc.option(value, { nil: undefined })), { maxLength: 150 });
    fc.assert(
      fc.property(steps, (each) => {
        const hash = new HashValue();
        const model = new Map<string, string>();
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
      }),
    );
  });

  it("takes over the pairs that it is made of", () => {
    const hash = new HashValue(["state", "pending", "attempts", "0"]);
    expect(hash.get("attempts")).toBe("0");
    expect(hash.size).toBe(2);
  });

  it("is found by field also when it is made of many", () => {
    const pairs = Array.from({ length: 100 }, (_, at) => String(at));
    const hash = new HashValue(pairs);
    expect(hash.get("98")).toBe("99");
    expect(hash.entries()).toHaveLength(100);
  });
});
