import { describe, expect, it } from "vitest";
import { encodeId } from "../../../src/protocol/id.ts";
import { createMinter } from "../../../src/protocol/mint.ts";
import { entryIdOf, firstRecordIdAt, recordIdOf } from "../../../src/protocol/record-id.ts";

describe("the id of a record", () => {
  it.each([
    ["EVT000xY9Wvvcd", "1704117200000-1620567"],
    ["EVT0BODbjai1b6", "1740830400500-0"],
    ["EVT0D1FsjI1lz6", "1746090000000-0"],
    ["EVT0D1FskfBR0S", "1746090000300-0"],
    ["EVT0E5TJo0bIBs", "1749537000000-0"],
    ["EVT0E5TJp9Z0i0", "1749537000250-0"],
    ["EVT0EdsQl5gZ3Q", "1751328000100-0"],
  ])("%s lies in the entry %s, and back", (id, entryId) => {
    expect(entryIdOf(id)).toBe(entryId);
    expect(recordIdOf(entryId)).toBe(id);
  });

  it.each([
    ["2025-03-01T12:00:00.500Z", "EVT0BODbjai1b6"],
    ["2025-05-01T09:00:00.300Z", "EVT0D1FskfBR0S"],
    ["2025-07-01T00:00:00.100Z", "EVT0EdsQl5gZ3Q"],
  ])("is at %s at least %s", (at, id) => {
    expect(firstRecordIdAt(new Date(at))).toBe(id);
    expect(firstRecordIdAt(Date.parse(at) + 0.9)).toBe(id);
  });

  it("keeps the order of minting in the order of entries, by numbers", () => {
    const mint = createMinter({ node: 7, clock: () => 1_750_000_000_000 });
    const entries = Array.from({ length: 5000 }, () => entryIdOf(mint("EVT")).split("-").map(Number));
    const isRising = ([ms = 0, tail = 0]: number[], [laterMs = 0, laterTail = 0]: number[]) =>
      laterMs > ms || (laterMs === ms && laterTail > tail);
    expect(entries.every((entry, at) => at === 0 || isRising(entries[at - 1] ?? [], entry))).toBe(true);
  });

  it.each([
    ["ORD000xY9Wvvcd", "kind"],
    ["not-branded", "invalid_id"],
    ["", "invalid_id"],
    ["EVTzzzzzzzzzzz", "invalid_id"],
  ])("refuses %s as %s", (id, code) => {
    expect(() => entryIdOf(id)).toThrow(expect.objectContaining({ code }));
  });

  it.each(["", "1704117200000", "1704117200000-", "1-1", "1704117200000-4194304", "9999999999999999-0", "x-1"])(
    "is not read out of the entry %j, which no mint made",
    (entryId) => {
      expect(recordIdOf(entryId)).toBeUndefined();
    },
  );

  it.each([Number.NaN, 0, new Date("2023-12-31T23:59:59.999Z"), new Date(Number.NaN), 9e15])(
    "has no instant %s",
    (at) => {
      expect(() => firstRecordIdAt(at)).toThrow(expect.objectContaining({ code: "invalid_option" }));
    },
  );

  it("has its largest at the last millisecond of the mint", () => {
    const largest = encodeId("EVT", 2n ** 63n - 1n);
    expect(recordIdOf(entryIdOf(largest))).toBe(largest);
  });
});
