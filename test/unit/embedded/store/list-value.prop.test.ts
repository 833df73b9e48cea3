import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ListValue } from "../../../../src/embedded/store/list-value.ts";

const item = fc.constantFrom("", "a", "b", "c", "\x00\xff");
const index = fc.nat(80);

const step = fc.oneof(
  fc.record({ kind: fc.constant("pushHead" as const), item }),
  fc.record({ kind: fc.constant("pushTail" as const), item }),
  fc.record({ kind: fc.constant("popHead" as const) }),
  fc.record({ kind: fc.constant("popTail" as const) }),
  fc.record({ kind: fc.constant("insertAt" as const), item, index }),
  fc.record({ kind: fc.constant("removeAt" as const), index }),
  fc.record({ kind: fc.constant("removeAll" as const), holes: fc.array(fc.boolean(), { minLength: 1, maxLength: 9 }) }),
  fc.record({ kind: fc.constant("setAt" as const), item, index }),
  fc.record({ kind: fc.constant("assign" as const), items: fc.array(item, { maxLength: 40 }) }),
);

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Takes a step in both forms; one that needs an item is left out of an empty list. */
function take(list: ListValue, model: string[], each: Step): void {
  const empty = model.length === 0;
  const at = "index" in each ? each.index % (model.length + 1) : 0;
  const inside = empty ? 0 : at % model.length;
  if (each.kind === "pushHead") {
    list.pushHead(each.item);
    model.unshift(each.item);
  } else if (each.kind === "pushTail") {
    list.pushTail(each.item);
    model.push(each.item);
  } else if (each.kind === "insertAt") {
    list.insertAt(at, each.item);
    model.splice(at, 0, each.item);
  } else if (each.kind === "assign") {
    list.assign(each.items);
    model.splice(0, model.length, ...each.items);
  } else if (empty) return;
  else if (each.kind === "popHead") expect(list.popHead()).toBe(model.shift());
  else if (each.kind === "popTail") expect(list.popTail()).toBe(model.pop());
  else if (each.kind === "removeAll") {
    const places = model.flatMap((_, index) => (each.holes[index % each.holes.length] === true ? [index] : []));
    list.removeAll(places);
    for (const place of places.reverse()) model.splice(place, 1);
  } else if (each.kind === "removeAt") {
    list.removeAt(inside);
    model.splice(inside, 1);
  } else {
    list.setAt(inside, each.item);
    model[inside] = each.item;
  }
}

describe("a list beside an array", () => {
  it("holds the same items after any steps", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), item, (steps, wanted) => {
        const list = new ListValue();
        const model: string[] = [];
        for (const each of steps) {
          take(list, model, each);
          expect(list.length).toBe(model.length);
        }
        expect(list.slice(0, list.length - 1)).toEqual(model);
        expect(list.indexOf(wanted)).toBe(model.indexOf(wanted));
        const places = model.flatMap((each, at) => (each === wanted ? [at] : []));
        for (const most of [0, 1, 2, model.length]) {
          expect(list.indexesOf(wanted, most, false)).toEqual(places.slice(0, most));
          expect(list.indexesOf(wanted, most, true)).toEqual(most === 0 ? [] : places.slice(-most));
        }
        expect(list.at(-1)).toBeUndefined();
        expect(list.at(model.length)).toBeUndefined();
      }),
    );
  });

  it("grows and shrinks through many sizes without losing an item", () => {
    const list = new ListValue();
    for (let at = 0; at < 1000; at++) list.pushTail(String(at));
    for (let at = 0; at < 990; at++) expect(list.popHead()).toBe(String(at));
    for (let at = 0; at < 500; at++) list.pushHead(String(at));
    expect(list.length).toBe(510);
    expect(list.popTail()).toBe("999");
    expect(list.popHead()).toBe("499");
  });
});
