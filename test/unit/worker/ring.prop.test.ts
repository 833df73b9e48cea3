import fc from "fast-check";
import { expect, test } from "vitest";
import { Ring } from "../../../src/worker/ring.ts";

test("a ring is a queue, however pushes and shifts are mixed", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -3, max: 9 }), { maxLength: 300 }), (steps) => {
      const ring = new Ring<number>();
      const model: number[] = [];
      let next = 0;
      for (const step of steps) {
        // Negative steps take three, others push so many.
        for (let count = 0; count < step; count++) {
          ring.push(next);
          model.push(next);
          next += 1;
        }
        const taken = step < 0 ? 3 : 0;
        for (let count = 0; count < taken; count++) expect(ring.shift()).toBe(model.shift());
        expect(ring.length).toBe(model.length);
        expect(ring.peek()).toBe(model[0]);
      }
      while (model.length > 0) expect(ring.shift()).toBe(model.shift());
      expect(ring.shift()).toBeUndefined();
    }),
  );
});
