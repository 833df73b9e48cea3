import { describe, expect, it } from "vitest";
import { CommandTable } from "../../../../src/embedded/command/command-table.ts";
import { ByteReader } from "../../../../src/embedded/journal/byte-reader.ts";
import { ByteWriter } from "../../../../src/embedded/journal/byte-writer.ts";
import { ImageReader, PART_ELEMENTS_MAX } from "../../../../src/embedded/journal/value-image.ts";
import { SLICE_ELEMENTS, type ValueWalk, walkOf } from "../../../../src/embedded/journal/value-walk.ts";
import { Keyspace } from "../../../../src/embedded/store/keyspace.ts";
import type { Value } from "../../../../src/embedded/store/value.ts";
import { MemoryFiles } from "./memory-files.ts";

const NOW = 1_700_000_000_000;

/** Elements of the values under test: some slices, and not a whole number of them. */
const SIZE = 2 * SLICE_ELEMENTS + 1234;

/** Changes between two slices. */
const CHANGES = 900;

function store() {
  const keyspace = new Keyspace({
    onPush: () => {},
    onAppend: () => {},
    onForeignWrite: () => {},
    onExpiryChange: () => {},
  });
  keyspace.now = NOW;
  const table = new CommandTable(keyspace, () => 0);
  return { keyspace, run: (...parts: string[]) => table.run(parts[0] as string, parts.slice(1)) };
}

/** Whole numbers below a bound, the same for the same seed. */
function numbersFrom(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

interface Kind {
  readonly fill: (at: number) => string[];
  readonly sizeOf: string;
  /** One random change; elements below SIZE were there from the start. */
  readonly change: (pick: (bound: number) => number) => string[];
  /** All that it holds, whatever the order where there is none. */
  readonly content: (run: (...parts: string[]) => unknown) => unknown;
}

const pairs = (flat: string[]) => flat.flatMap((field, at) => (at % 2 === 0 ? [[field, flat[at + 1]]] : []));
const member = (pick: (bound: number) => number) => `m${pick(SIZE + 3000)}`;
const oneOf = (pick: (bound: number) => number, changes: string[][]) => changes[pick(changes.length)] as string[];

const KINDS: Record<string, Kind> = {
  "sorted set": {
    fill: (at) => ["ZADD", "k", String(at % 7), `m${at}`],
    sizeOf: "ZCARD",
    change: (pick) =>
      oneOf(pick, [
        ["ZADD", "k", String(pick(9)), member(pick)],
        ["ZADD", "k", String(pick(90) / 10), `new${pick(1e6)}`],
        ["ZINCRBY", "k", String(pick(5) - 2), member(pick)],
        ["ZREM", "k", member(pick), member(pick)],
        ["ZPOPMIN", "k"],
      ]),
    content: (run) => run("ZRANGE", "k", "0", "-1", "WITHSCORES"),
  },
  hash: {
    fill: (at) => ["HSET", "k", `m${at}`, `text ${at}`],
    sizeOf: "HLEN",
    change: (pick) =>
      oneOf(pick, [
        ["HSET", "k", member(pick), String(pick(1000))],
        ["HSET", "k", `new${pick(1e6)}`, "n"],
        ["HDEL", "k", member(pick)],
        ["HPEXPIREAT", "k", String(NOW + 1 + pick(1e6)), "FIELDS", "1", member(pick)],
        ["HPERSIST", "k", "FIELDS", "1", member(pick)],
      ]),
    content: (run) => {
      const all = pairs(run("HGETALL", "k") as string[]).sort();
      const fields = all.map(([field]) => String(field));
      return [all, run("HPTTL", "k", "FIELDS", String(fields.length), ...fields)];
    },
  },
  set: {
    fill: (at) => ["SADD", "k", `m${at}`],
    sizeOf: "SCARD",
    change: (pick) =>
      oneOf(pick, [
        ["SADD", "k", member(pick)],
        ["SADD", "k", `new${pick(1e6)}`],
        ["SREM", "k", member(pick), member(pick)],
      ]),
    content: (run) => (run("SMEMBERS", "k") as string[]).sort(),
  },
  list: {
    fill: (at) => ["RPUSH", "k", `m${at}`],
    sizeOf: "LLEN",
    change: (pick) =>
      oneOf(pick, [
        ["LPUSH", "k", "h"],
        ["RPUSH", "k", "t"],
        ["LPOP", "k"],
        ["RPOP", "k"],
        ["LSET", "k", "77", "new"],
      ]),
    content: (run) => run("LRANGE", "k", "0", "-1"),
  },
  stream: {
    fill: (at) => ["XADD", "k", `${at + 1}-0`, "f", `v${at}`],
    sizeOf: "XLEN",
    change: (pick) =>
      oneOf(pick, [
        ["XADD", "k", "*", "f", "new"],
        ["XDEL", "k", `${pick(SIZE)}-0`],
        ["XTRIM", "k", "MAXLEN", String(SIZE - pick(500))],
        ["XREADGROUP", "GROUP", "g", "c", "COUNT", "3", "STREAMS", "k", ">"],
        ["XACK", "k", "g", `${pick(400)}-0`],
      ]),
    content: (run) => [run("XRANGE", "k", "-", "+"), run("XINFO", "STREAM", "k", "FULL", "COUNT", "0")],
  },
};

/** A value that is being walked, and what has been written of it, put together in another store. */
function walked(kind: Kind) {
  const source = store();
  for (let at = 0; at < SIZE; at++) source.run(...kind.fill(at));
  if (kind.sizeOf === "HLEN") source.run("HPEXPIREAT", "k", String(NOW + 5000), "FIELDS", "3", "m1", "m5000", "m9000");
  if (kind.sizeOf === "XLEN") {
    source.run("XGROUP", "CREATE", "k", "g", "0");
    source.run("XREADGROUP", "GROUP", "g", "c", "COUNT", "40", "STREAMS", "k", ">");
  }
  const before = kind.content(source.run);
  const layer = new MemoryFiles().layer();
  const writer = new ByteWriter(layer);
  const target = store();
  const images = new ImageReader(target.keyspace);
  const reader = new ByteReader(layer);
  const value = source.keyspace.find("k") as Value;
  const walk = walkOf({ key: "k", value, expiresAt: NOW + 9999 }, { writer, onPart: () => {} }) as ValueWalk;
  source.keyspace.undo.keeper = { keep: (changed, ...rest) => changed === value && walk.keep(...rest) };
  /** Takes what was written into the other store; answers how many elements that were. */
  const take = () => {
    const size = () => Number(target.run(kind.sizeOf, "k"));
    const had = size();
    reader.open(writer.bytes, 0, writer.length);
    while (reader.hasMore) images.read(reader);
    writer.length = 0;
    return size() - had;
  };
  return { ...source, walk, target, take, before };
}

/** Acts that change the value; one of three is taken back. */
function change(kind: Kind, { keyspace, run }: ReturnType<typeof store>, pick: (bound: number) => number): void {
  for (let left = CHANGES; left > 0; ) {
    keyspace.begin();
    for (let count = 1 + pick(9); count > 0 && left > 0; count--, left--) run(...kind.change(pick));
    if (pick(3) === 0) keyspace.rollBack();
    else keyspace.commit();
  }
}

describe.each(Object.entries(KINDS))("a large %s that is written in slices", (_, kind) => {
  it.each([1, 2])("is written as it was when that began, whatever acts do between the slices (seed %i)", (seed) => {
    const value = walked(kind);
    const pick = numbersFrom(seed);
    let slices = 0;
    for (let isLeft = true; isLeft; slices++) {
      change(kind, value, pick);
      isLeft = value.walk.next();
      // A change is of two elements at the most.
      expect(value.take()).toBeLessThanOrEqual(SLICE_ELEMENTS + 2 * CHANGES);
    }
    expect(kind.content(value.target.run)).toEqual(value.before);
    expect(value.target.keyspace.expiryOf("k")).toBe(NOW + 9999);
    expect(kind.content(value.run)).not.toEqual(value.before);
    expect(slices).toBeLessThanOrEqual(Math.ceil(SIZE / SLICE_ELEMENTS) + 1);
  });

  it("holds an act up for no element when it is met, and for at most a slice afterwards", () => {
    const value = walked(kind);
    const counts = [value.take()];
    for (let isLeft = true; isLeft; ) {
      isLeft = value.walk.next();
      counts.push(value.take());
    }
    const rest = SIZE % SLICE_ELEMENTS;
    expect(counts).toEqual([0, SLICE_ELEMENTS, SLICE_ELEMENTS, rest]);
  });
});

describe("a sorted set that grows before the walk", () => {
  it("comes to its end, and no slice is larger for it", () => {
    const kind = KINDS["sorted set"] as Kind;
    const value = walked(kind);
    let slices = 0;
    let added = 0;
    for (let isLeft = true; isLeft; slices++) {
      // More than a slice, and all of it where the walk comes by next.
      for (let count = 0; count < 2 * SLICE_ELEMENTS; count++) value.run("ZADD", "k", "6", `l${added++}`);
      isLeft = value.walk.next();
      expect(value.take()).toBeLessThanOrEqual(SLICE_ELEMENTS);
    }
    expect(slices).toBeLessThanOrEqual(4 * Math.ceil(SIZE / SLICE_ELEMENTS));
    expect(kind.content(value.target.run)).toEqual(value.before);
  });
});

describe("a stream whose groups have much that is pending", () => {
  /** A group of which one of two consumers holds nearly all, and one that holds little; entries as `left` says. */
  function pendingStream(left: number) {
    const source = store();
    for (let at = 1; at <= SIZE; at++) source.run("XADD", "k", `${at}-0`, "f", "v");
    for (const group of ["few", "many"]) source.run("XGROUP", "CREATE", "k", group, "0");
    const read = (group: string, consumer: string, count: number) =>
      source.run("XREADGROUP", "GROUP", group, consumer, "COUNT", String(count), "STREAMS", "k", ">");
    read("few", "a", 30);
    read("many", "b", SIZE - 10);
    read("many", "c", 10);
    source.run("XTRIM", "k", "MAXLEN", String(left));
    return source;
  }

  const pendingOf = (run: (...parts: string[]) => unknown) => [
    ...["few", "many"].map((group) => run("XPENDING", "k", group, "-", "+", String(SIZE))),
    run("XINFO", "STREAM", "k", "FULL", "COUNT", "0"),
  ];

  it.each([0, SIZE])("is written in slices as it was when that began, with %i entries left", (left) => {
    const source = pendingStream(left);
    const before = pendingOf(source.run);
    const layer = new MemoryFiles().layer();
    const writer = new ByteWriter(layer);
    const value = source.keyspace.find("k") as Value;
    let parts = 0;
    const walk = walkOf({ key: "k", value, expiresAt: undefined }, { writer, onPart: () => parts++ }) as ValueWalk;
    const partsOfSlices = [parts];
    for (let isLeft = true, at = 1; isLeft; at += 50) {
      for (let id = at; id < at + 50; id++) source.run("XACK", "k", "many", `${id}-0`);
      source.run("XCLAIM", "k", "many", "c", "0", `${SIZE - 200 - at}-0`);
      const had = parts;
      isLeft = walk.next();
      partsOfSlices.push(parts - had);
    }
    expect(pendingOf(source.run)).not.toEqual(before);
    expect(Math.max(...partsOfSlices)).toBe(SLICE_ELEMENTS / PART_ELEMENTS_MAX);
    const target = store();
    const images = new ImageReader(target.keyspace);
    const reader = new ByteReader(layer);
    reader.open(writer.bytes, 0, writer.length);
    while (reader.hasMore) images.read(reader);
    expect(pendingOf(target.run)).toEqual(before);
  });
});

describe("a value of one slice", () => {
  it.each(Object.entries(KINDS))("is written in one piece (%s)", (_, kind) => {
    const { keyspace, run } = store();
    for (let at = 0; at < SLICE_ELEMENTS; at++) run(...kind.fill(at));
    const target = { writer: new ByteWriter(new MemoryFiles().layer()), onPart: () => {} };
    const source = { key: "k", value: keyspace.find("k") as Value, expiresAt: undefined };
    expect(walkOf(source, target)).toBeUndefined();
  });
});
