/** Records that are not safe yet are the same in one buffer as in many, and no buffer of them grows large. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FileLayer } from "../../../../src/embedded/journal/file-layer.ts";
import { type JournalFile, RECORDS_AT } from "../../../../src/embedded/journal/journal-file.ts";
import { RecordBuffer } from "../../../../src/embedded/journal/record-buffer.ts";
import { isWhole, recordLength } from "../../../../src/embedded/journal/record-format.ts";
import type { ShortWrite } from "../../../../src/embedded/journal/write-all.ts";
import { MemoryFiles, systemError } from "./memory-files.ts";

/** A buffer whose records go to one file after the other. */
function setup(asideBytes?: number) {
  const files = new MemoryFiles();
  const base = files.layer();
  const sizes: number[] = [];
  const allocate = (size: number) => {
    sizes.push(size);
    return base.allocate(size);
  };
  const layer: FileLayer = { ...base, allocate };
  const create = (number: number): JournalFile => ({ number, salt: number, file: layer.open(`f/${number}`, "create") });
  const buffer = new RecordBuffer(layer, RECORDS_AT, asideBytes);
  const held = {
    layer,
    files,
    buffer,
    sizes,
    current: create(1),
    /** What had passed at each write. */
    passed: [0],
    bytes: () => files.bytes(String(held.current.number)),
    record: (text: string) => {
      buffer.add("SET", ["key", text], { now: 5, isInAct: true });
      buffer.seal({ salt: held.current.salt, durable: undefined });
    },
    write: () => {
      buffer.writeTo(held.current);
      held.passed.push(buffer.passed);
    },
    goOn: (carried: "all" | "nothing") => {
      held.current = create(held.current.number + 1);
      buffer.carryInto(held.current, carried);
      buffer.switchFile(carried);
    },
  };
  return held;
}

type Held = ReturnType<typeof setup>;

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant("record" as const), size: fc.nat(60) }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant("write" as const) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("tear" as const), bytes: fc.integer({ min: 1, max: 99 }) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("safe" as const), ago: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom("goOnWithAll" as const, "goOnWithNothing" as const) }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("lose" as const) }) },
);

/** Takes a step as a journal does. */
function take(held: Held, each: typeof step extends fc.Arbitrary<infer Step> ? Step : never): void {
  const { buffer, files, passed } = held;
  switch (each.does) {
    case "record":
      return held.record("x".repeat(each.size));
    case "write":
      return held.write();
    case "safe":
      return buffer.dropUntil(passed.at(-1 - each.ago) ?? 0);
    case "goOnWithAll":
      return held.goOn("all");
    case "goOnWithNothing":
      return held.goOn("nothing");
    case "lose":
      buffer.dropAll();
      passed.splice(0, passed.length, buffer.passed);
      return held.goOn("all");
    case "tear":
      return tear(held, each.bytes, files);
  }
}

/** A write that breaks off after some bytes. */
function tear(held: Held, bytes: number, files: MemoryFiles): void {
  let isFirst = true;
  files.plan = (_what, _path, asked) => {
    if (isFirst && asked > bytes) {
      isFirst = false;
      return bytes;
    }
    return isFirst ? undefined : systemError("ENOSPC");
  };
  try {
    held.write();
  } catch (error) {
    held.buffer.keepWhole((error as ShortWrite).written);
    held.buffer.dropUnwritten();
  }
  files.plan = () => undefined;
  held.current.file.truncate(held.buffer.end);
}

function stateOf({ buffer, bytes }: Held) {
  const { unwritten, unsynced, end, passed, switchedAt } = buffer;
  return { unwritten, unsynced, end, passed, switchedAt, file: bytes().toString("hex") };
}

describe("records in many buffers", () => {
  it("are those of one buffer after any steps", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const one = setup(Number.POSITIVE_INFINITY);
        const many = setup(100);
        for (const each of steps) {
          take(one, each);
          take(many, each);
          expect(stateOf(many)).toEqual(stateOf(one));
        }
      }),
    );
  });

  it("never need a large one, and are whole in the file that takes them over", () => {
    const held = setup();
    const text = "x".repeat(1000);
    for (let count = 0; count < 16_000; count++) {
      held.record(text);
      if (count % 10 === 9)
        held.buffer.writeTo({ ...held.current, file: { ...held.current.file, write: writeNothing } });
    }
    expect(held.buffer.unsynced).toBeGreaterThan(15 << 20);
    expect(Math.max(...held.sizes)).toBeLessThanOrEqual(2 << 20);
    held.goOn("all");
    const bytes = held.bytes();
    expect(bytes.length).toBe(held.buffer.end);
    let records = 0;
    for (let at = RECORDS_AT; at < bytes.length; at += recordLength(bytes, at)) {
      expect(isWhole(held.layer, bytes, { salt: held.current.salt, offset: at, at, end: bytes.length })).toBe(true);
      records++;
    }
    expect(records).toBe(16_000);
  });
});

/** The file that is given up afterwards, for which nobody asks. */
function writeNothing(_bytes: Uint8Array, { from, to }: { readonly from: number; readonly to: number }): number {
  return to - from;
}
