import { describe, expect, it } from "vitest";
import { HEADER_BYTES } from "../../../../src/embedded/journal/record-format.ts";
import { checkStore, hasStore, repairStore } from "../../../../src/embedded/journal/store-repair.ts";
import { createTestPorts } from "../../../../src/testing/test-ports.ts";
import { errorOf } from "../../queue/scripted-engine.ts";
import { MemoryFiles } from "./memory-files.ts";
import { everything, FOLDER, openStore } from "./open-store.ts";

const JOURNAL = "journal-000001.emq";

/** A closed store of three keys whose second record is damaged. */
async function setup() {
  const { engine, files } = await openStore();
  const places: number[] = [];
  for (const key of ["a", "b", "c"]) {
    places.push(files.bytes(JOURNAL).length);
    await engine.command(["SET", key, "value"]);
  }
  await engine.close();
  const bytes = files.bytes(JOURNAL);
  const place = places[1] as number;
  bytes[place + 20] = (bytes[place + 20] as number) ^ 1;
  const disk = files.afterKill();
  disk.put(`${FOLDER}/${JOURNAL}`, bytes);
  return {
    disk,
    place,
    bytes: Buffer.from(bytes),
    store: { layer: disk.layer(), ports: createTestPorts(), folder: FOLDER },
  };
}

describe("a damaged store", () => {
  it("is looked at without a change", async () => {
    const { disk, place, bytes, store } = await setup();
    const { break: found, keys } = await checkStore(store);
    const lost = { bytes: bytes.length - place, lostRecords: 2, laterFiles: [], isDamage: true };
    expect([keys, found]).toEqual([2, { file: JOURNAL, offset: place, ...lost }]);
    expect(disk.bytes(JOURNAL).equals(bytes)).toBe(true);
  });

  it("is cut where it can no longer be followed; what is cut is kept beside it, and the rest can be opened", async () => {
    const { disk, place, bytes, store } = await setup();
    expect((await errorOf(() => openStore(disk))).code).toBe("folder_damaged");
    const kept = await repairStore(store);
    expect(kept).toEqual([`${JOURNAL}-${place}.cut`]);
    expect(disk.bytes(kept[0] as string).equals(bytes.subarray(place))).toBe(true);
    const { engine, ports } = await openStore(disk.afterKill());
    expect(Object.keys(await everything(engine))).toEqual(["a", "{emq}:version"]);
    expect(ports.logger.messages("warn")).toEqual([]);
  });

  it("is cut behind the header of a journal that has lost its link", async () => {
    const { disk, store } = await setup();
    const bytes = disk.bytes(JOURNAL);
    bytes[HEADER_BYTES] = (bytes[HEADER_BYTES] as number) ^ 1;
    const whole = Buffer.from(bytes);
    const { break: found, keys } = await checkStore(store);
    // All but the record that was damaged as well: the seal, the mark of the wire and two keys.
    expect([keys, found]).toMatchObject([0, { file: JOURNAL, offset: HEADER_BYTES, lostRecords: 4, isDamage: true }]);
    expect(await repairStore(store)).toEqual([`${JOURNAL}-${HEADER_BYTES}.cut`]);
    expect(disk.bytes(`${JOURNAL}-${HEADER_BYTES}.cut`).equals(whole.subarray(HEADER_BYTES))).toBe(true);
    const { engine } = await openStore(disk.afterKill());
    expect(Object.keys(await everything(engine))).toEqual(["{emq}:version"]);
  });

  it("is not touched while it is open, nor is one that is whole", async () => {
    const { engine, files } = await openStore();
    const store = { layer: files.layer(), ports: createTestPorts(), folder: FOLDER };
    expect((await errorOf(() => checkStore(store))).code).toBe("folder_in_use");
    expect((await errorOf(() => repairStore(store))).code).toBe("folder_in_use");
    await engine.close();
    expect((await checkStore(store)).break).toBeUndefined();
    expect(await repairStore(store)).toEqual([]);
  });
});

it("a folder without journals and snapshots is no store", () => {
  const disk = new MemoryFiles();
  expect(hasStore(disk.layer(), FOLDER)).toBe(false);
  disk.put(`${FOLDER}/${JOURNAL}`, Buffer.from(""));
  expect(hasStore(disk.layer(), FOLDER)).toBe(true);
});
