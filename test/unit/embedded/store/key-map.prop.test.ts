import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KeyMap, PARTS } from "../../../../src/embedded/store/key-map.ts";
import { KeyScanner } from "../../../../src/embedded/store/key-scanner.ts";
import { StringValue } from "../../../../src/embedded/store/string-value.ts";
import type { Value } from "../../../../src/embedded/store/value.ts";
import { base62 } from "../../../../src/protocol/base62.ts";

const RUN_ROWS = 2;

/** The key of the row that was minted as the `order`-th; several orders share one instant. */
function rowKey(order: number): string {
  return `emq:{q}:job:JOB${base62(Math.floor(order / 2), 7)}${base62(order, 4)}`;
}

const key = fc.oneof(
  { weight: 6, arbitrary: fc.nat(24).map(rowKey) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "",
      "emq:{q}:active",
      "x:job:JOB0Nb1VTbfn-4",
      "x:job:JOB\xff\xff\xff\xff\xff\xff\xff0000",
    ),
  },
);

/** A step on one key, or the removal of the oldest and the coming of the next, which is what a queue does. */
const step = fc.oneof(
  fc.record({ key, isSet: fc.boolean() }),
  fc.constantFrom<{ flow: "add" | "take" }>({ flow: "add" }, { flow: "add" }, { flow: "take" }),
);

class Pair {
  readonly map = new KeyMap<number>(RUN_ROWS);
  readonly model = new Map<string, number>();
  #serial = 0;
  #next = 0;

  set(name: string): void {
    const serial = this.model.get(name) ?? ++this.#serial;
    this.model.set(name, serial);
    this.map.set(name, serial);
  }

  delete(name: string): void {
    expect(this.map.delete(name)).toBe(this.model.delete(name));
  }

  add(): void {
    this.set(rowKey(this.#next++));
  }

  take(): void {
    for (const name of this.model.keys()) if (name.includes(":job:JOB")) return this.delete(name);
  }
}

describe("the map of the keyspace beside a plain one", () => {
  it("holds the same, each part in the order in which its keys came", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), fc.array(key), (steps, asked) => {
        const pair = new Pair();
        for (const each of steps) {
          if ("flow" in each) pair[each.flow]();
          else if (each.isSet) pair.set(each.key);
          else pair.delete(each.key);
          expect(pair.map.size).toBe(pair.model.size);
        }
        for (const name of [...asked, ...pair.model.keys()]) expect(pair.map.get(name)).toBe(pair.model.get(name));
        const found: [string, number][] = [];
        for (let part = 0; part < PARTS; part++) {
          const entries = [...pair.map.entriesOf(part)];
          const serials = entries.map(([, serial]) => serial);
          expect(serials).toEqual(serials.toSorted((one, other) => one - other));
          found.push(...entries);
        }
        expect(found.toSorted(([, one], [, other]) => one - other)).toEqual([...pair.model]);
      }),
      { numRuns: 500 },
    );
  });

  it("has a row once that came late, also when its run has become the last", () => {
    const pair = new Pair();
    for (const order of [0, 2, 4, 1]) pair.set(rowKey(order));
    pair.delete(rowKey(4));
    pair.set(rowKey(1));
    expect(pair.map.size).toBe(3);
    pair.delete(rowKey(1));
    expect(pair.map.get(rowKey(1))).toBeUndefined();
  });

  it("has rows of a clock that was ahead, and those of the right time, whichever go first", () => {
    for (const aheadGoesFirst of [true, false]) {
      const pair = new Pair();
      for (let at = 0; at < 10; at++) pair.add();
      pair.set(rowKey(1000));
      for (let at = 0; at < 10; at++) pair.add();
      if (aheadGoesFirst) pair.delete(rowKey(1000));
      for (let at = 0; at < 15; at++) pair.add();
      for (const [name, serial] of pair.model) expect(pair.map.get(name)).toBe(serial);
      while (pair.model.size > 0) pair.delete(pair.model.keys().next().value as string);
      expect(pair.map.size).toBe(0);
      expect(pair.map.get(rowKey(3))).toBeUndefined();
    }
  });
});

describe("a scan of the map", () => {
  it.each([1, 3, 10])("finds what is there throughout while runs come and go, %i keys a step", (count) => {
    const values = new KeyMap<Value>(RUN_ROWS);
    let serial = 0;
    const add = (order: number) => {
      const value = new StringValue("");
      value.serial = ++serial;
      values.set(rowKey(order), value);
    };
    for (let order = 0; order < 60; order++) if (order % 10 !== 7) add(order);
    // These come late, so they lie among the other keys.
    for (let order = 7; order < 60; order += 10) add(order);
    const newest = serial;
    const found = new Set<string>();
    // The walks are kept by one scanner; the other has to find each place by its cursor.
    const scanners = [new KeyScanner(values), new KeyScanner(values)];
    let cursor = 0;
    let steps = 0;
    do {
      cursor = (scanners[steps % 2] as KeyScanner).scan({ cursor, count, newest }, (name) => found.add(name));
      // Whole runs go before, at and behind the place of the scan, and new ones come.
      for (let order = 4 * steps; order < 4 * steps + 4; order++) if (order % 5 !== 0) values.delete(rowKey(order));
      add(100 + steps);
      steps++;
    } while (cursor !== 0);
    for (let order = 0; order < 60; order += 5) expect(found).toContain(rowKey(order));
    expect(steps).toBeLessThanOrEqual(Math.ceil((2 * newest) / count) + 1);
  });
});
