import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SortedSetValue } from "../../../../src/embedded/store/sorted-set-value.ts";

type Pair = readonly [member: string, score: number];

/** The naive form: an array that is sorted after each change. */
class Model {
  pairs: Pair[] = [];

  scoreOf(member: string): number | undefined {
    return this.pairs.find(([other]) => other === member)?.[1];
  }

  set(member: string, score: number): void {
    this.remove(member);
    this.pairs.push([member, score]);
    this.pairs.sort(order);
  }

  remove(member: string): void {
    this.pairs = this.pairs.filter(([other]) => other !== member);
  }
}

function order([member, score]: Pair, [otherMember, otherScore]: Pair): number {
  return score - otherScore || (member < otherMember ? -1 : Number(member > otherMember));
}

function set(value: SortedSetValue, member: string, score: number): void {
  const old = value.scoreOf(member);
  if (old === undefined) value.add(member, score);
  else if (old !== score) value.move(member, old, score);
}

function remove(value: SortedSetValue, member: string): void {
  const score = value.scoreOf(member);
  if (score !== undefined) value.remove(member, score);
}

function walk(value: SortedSetValue): Pair[] {
  const pairs: Pair[] = [];
  for (const at = value.first(); at.valid; at.forward()) pairs.push([at.member, at.score]);
  return pairs;
}

function walkBack(value: SortedSetValue): Pair[] {
  const pairs: Pair[] = [];
  for (const at = value.last(); at.valid; at.backward()) pairs.push([at.member, at.score]);
  return pairs.reverse();
}

/** Everything that the set can tell about an order, beside what the model says. */
function expectSame(value: SortedSetValue, pairs: readonly Pair[]): void {
  expect(value.size).toBe(pairs.length);
  expect(walk(value)).toEqual(pairs);
  expect(walkBack(value)).toEqual(pairs);
  for (const [rank, [member, score]] of pairs.entries()) {
    if (value.rankOf(member, score) !== rank)
      expect.fail(`rank of ${member} is ${value.rankOf(member, score)}, not ${rank}`);
    const at = value.at(rank);
    if (at.member !== member) expect.fail(`rank ${rank} is ${at.member}, not ${member}`);
    if (value.scoreOf(member) !== score) expect.fail(`score of ${member} is ${value.scoreOf(member)}, not ${score}`);
  }
  expect(value.at(pairs.length).valid).toBe(false);
}

const member = fc.oneof(
  fc.nat(40).map(String),
  fc.constantFrom("", "\x00", "\xff", "a\xff", "constructor", "__proto__"),
);
const score = fc.oneof(
  fc.constant(0),
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(0.5, -Infinity, Infinity, 1e300),
);

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("set" as const), member, score }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("remove" as const), member }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("pop" as const) }) },
);

describe("a sorted set beside a sorted array", () => {
  it("has the same order after any steps", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const value = new SortedSetValue();
        const model = new Model();
        for (const each of steps) {
          if (each.kind === "set") {
            set(value, each.member, each.score);
            model.set(each.member, each.score);
          } else if (each.kind === "remove") {
            remove(value, each.member);
            model.remove(each.member);
          } else if (model.pairs.length > 0) {
            value.removeFirst(value.first().member);
            model.pairs.shift();
          }
        }
        expectSame(value, model.pairs);
      }),
    );
  });

  it("counts what lies below and through any score", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(member, score), { maxLength: 60 }), score, (pairs, bound) => {
        const value = new SortedSetValue();
        for (const [each, its] of pairs) set(value, each, its);
        const all = walk(value);
        expect(value.countBelow(bound, false)).toBe(all.filter(([, its]) => its < bound).length);
        expect(value.countBelow(bound, true)).toBe(all.filter(([, its]) => its <= bound).length);
      }),
    );
  });

  it("never calls a member beyond all that is in the set", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(member, score), { maxLength: 30 }), member, score, (pairs, each, its) => {
        const value = new SortedSetValue();
        for (const [other, otherScore] of pairs) set(value, other, otherScore);
        if (value.isBeyondAll(its, each)) expect(value.scoreOf(each)).toBeUndefined();
      }),
    );
  });

  // Three levels need more than 64 * 64 members; each shape of growth and shrinkage splits and drops nodes elsewhere.
  const shapes: Record<string, (at: number, count: number) => number> = {
    rising: (at) => at,
    falling: (at, count) => count - at,
    scattered: (at, count) => (at * 7919) % count,
    "to and fro": (at, count) => (at % 2 === 0 ? at : count - at),
  };
  for (const [name, place] of Object.entries(shapes)) {
    it(`keeps its order with 10,000 members that come in ${name} order and go in every order`, () => {
      const count = 10_007;
      const pairs: Pair[] = Array.from({ length: count }, (_, at) => [`m${place(at, count) + 100_000}`, 0]);
      for (const leave of Object.values(shapes)) {
        const value = new SortedSetValue();
        for (const [each, its] of pairs) set(value, each, its);
        const sorted = walk(value);
        expectSame(value, [...new Map(pairs)].sort(order));
        for (let at = 0; at < count; at++) {
          if (at % 3 !== 0) remove(value, `m${leave(at, count) + 100_000}`);
        }
        const left = sorted.filter(([each]) => value.scoreOf(each) !== undefined);
        expectSame(value, left);
        for (const [each] of left) value.removeFirst(each);
        expect(value.first().valid).toBe(false);
        set(value, "again", 1);
        expectSame(value, [["again", 1]]);
      }
    });
  }

  it("stays in order as a queue that is filled behind and emptied in front for long", () => {
    const value = new SortedSetValue();
    const model: Pair[] = [];
    let next = 1_000_000;
    for (let round = 0; round < 400; round++) {
      for (let at = 0; at < (round * 37) % 101; at++) {
        const each = `m${next++}`;
        value.add(each, 0);
        model.push([each, 0]);
      }
      for (let at = 0; at < (round * 53) % 97 && model.length > 0; at++) {
        const [each] = model.shift() as Pair;
        expect(value.first().member).toBe(each);
        value.removeFirst(each);
      }
    }
    expectSame(value, model);
  });
});
