import { describe, expect, it } from "vitest";
import { RECORDS_AT } from "../../../../src/embedded/journal/journal-file.ts";
import { FORMAT_VERSION, HEADER_BYTES } from "../../../../src/embedded/journal/record-format.ts";
import { createTestPorts } from "../../../../src/testing/test-ports.ts";
import { errorOf } from "../../queue/scripted-engine.ts";
import { MemoryFiles, systemError } from "./memory-files.ts";
import { everything, FOLDER, openStore } from "./open-store.ts";

const JOURNAL = "journal-000001.emq";

/** A store of five keys whose process was killed, with where the record of each key ends. */
async function setup() {
  const { engine, files } = await openStore(undefined, { fsync: "always" });
  const ends: number[] = [];
  for (let at = 0; at < 5; at++) {
    await engine.command(["SET", `k${at}`, "x".repeat(20)]);
    ends.push(files.bytes(JOURNAL).length);
  }
  const bytes = Buffer.from(files.bytes(JOURNAL));
  /** The same disk with other bytes in the journal. */
  const diskWith = (changed: Uint8Array): MemoryFiles => {
    const disk = new MemoryFiles();
    disk.put(`${FOLDER}/${JOURNAL}`, changed);
    return disk;
  };
  return { bytes, ends, diskWith };
}

async function keysOf(disk: MemoryFiles): Promise<{ keys: string[]; warnings: string[] }> {
  const { engine, ports } = await openStore(disk);
  const keys = Object.keys(await everything(engine)).filter((key) => key !== "{emq}:version");
  await engine.close();
  return { keys, warnings: ports.logger.messages("warn") };
}

describe("opening after a crash", () => {
  it("cuts a torn end at the last whole record, wherever it was torn, and warns once with the place", async () => {
    const { bytes, ends, diskWith } = await setup();
    const before = ends[3] as number;
    for (let size = before; size < bytes.length; size++) {
      const { keys, warnings } = await keysOf(diskWith(bytes.subarray(0, size)));
      expect([size, keys]).toEqual([size, ["k0", "k1", "k2", "k3"]]);
      const cut = `${JOURNAL} was cut at byte ${before}: the last ${size - before} bytes`;
      expect(warnings).toEqual(size === before ? [] : [expect.stringContaining(cut)]);
    }
  });

  it("cuts the last record when any byte of it changed", async () => {
    const { bytes, ends, diskWith } = await setup();
    for (let at = ends[3] as number; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ 0x41;
      expect([at, (await keysOf(diskWith(changed))).keys]).toEqual([at, ["k0", "k1", "k2", "k3"]]);
    }
  });

  it("cuts what was not safe although whole records follow: the device keeps its own order", async () => {
    const { engine, files } = await openStore();
    await engine.command(["SET", "a", "1"]);
    const start = files.bytes(JOURNAL).length;
    await engine.command(["SET", "b", "2"]);
    await engine.command(["SET", "c", "3"]);
    files.bytes(JOURNAL).fill(0, start, start + 8);
    const { keys, warnings } = await keysOf(files.afterKill());
    expect([keys, warnings]).toEqual([["a"], [expect.stringContaining("was cut at byte")]]);
  });

  it("goes on behind the cut, and opens again with both", async () => {
    const { bytes, diskWith } = await setup();
    const { engine, files } = await openStore(diskWith(bytes.subarray(0, bytes.length - 3)));
    await engine.command(["SET", "new", "1"]);
    expect((await keysOf(files.afterKill())).keys).toEqual(["k0", "k1", "k2", "k3", "new"]);
  });

  it("passes over a journal in which nothing was begun", async () => {
    const { bytes, diskWith } = await setup();
    for (const content of [Buffer.alloc(0), Buffer.alloc(HEADER_BYTES), bytes.subarray(0, 20)]) {
      const disk = diskWith(bytes);
      disk.put(`${FOLDER}/journal-000002.emq`, content);
      expect(await keysOf(disk)).toEqual({ keys: ["k0", "k1", "k2", "k3", "k4"], warnings: [] });
    }
  });
});

describe("damage", () => {
  it("to any byte of a record that had been safe stops the opening, names the place and changes nothing", async () => {
    const { bytes, ends, diskWith } = await setup();
    const start = ends[1] as number;
    for (let at = start; at < (ends[2] as number); at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ 0x10;
      const disk = diskWith(changed);
      const error = await errorOf(() => openStore(disk));
      expect([at, error.code, error.details]).toEqual([
        at,
        "folder_damaged",
        { folder: FOLDER, file: JOURNAL, offset: start },
      ]);
      expect(error.message).toContain(`echomq file repair ${FOLDER}`);
      expect(disk.bytes(JOURNAL).equals(changed)).toBe(true);
    }
  });

  it("to any byte of the header and of the link of the only journal does not look like one that was never begun", async () => {
    const { bytes, diskWith } = await setup();
    for (let at = 0; at < RECORDS_AT; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ 0x10;
      const disk = diskWith(changed);
      const error = await errorOf(() => openStore(disk));
      const offset = at < HEADER_BYTES ? 0 : HEADER_BYTES;
      expect([at, error.code, error.details]).toEqual([
        at,
        "folder_damaged",
        { folder: FOLDER, file: JOURNAL, offset },
      ]);
      expect(disk.bytes(JOURNAL).equals(changed)).toBe(true);
    }
  });

  it("to the link of one of several journals is told of that one, and does not let the others pass for the whole", async () => {
    const { engine, files, ports } = await openStore();
    await engine.command(["SET", "old", "1"]);
    files.plan = (operation) => (operation === "truncate" || operation === "write" ? systemError("EIO") : undefined);
    await errorOf(() => engine.command(["SET", "a", "1"]));
    files.plan = () => undefined;
    await ports.clock.advance(2000);
    await engine.command(["SET", "a", "1"]);
    await engine.close();
    const second = "journal-000002.emq";
    const bytes = files.bytes(second);
    bytes[HEADER_BYTES + 8] = (bytes[HEADER_BYTES + 8] as number) ^ 1;
    const error = await errorOf(() => openStore(files.afterKill()));
    expect(error).toMatchObject({ code: "folder_damaged", details: { file: second, offset: HEADER_BYTES } });

    bytes[HEADER_BYTES + 8] = (bytes[HEADER_BYTES + 8] as number) ^ 1;
    const first = files.bytes(JOURNAL);
    first[HEADER_BYTES + 8] = (first[HEADER_BYTES + 8] as number) ^ 1;
    const unread = await errorOf(() => openStore(files.afterKill()));
    expect(unread).toMatchObject({ code: "folder_damaged", details: { file: JOURNAL, offset: HEADER_BYTES } });
  });

  it("to the last record of a store that was closed is seen, too", async () => {
    const { engine, files } = await openStore();
    await engine.command(["SET", "a", "1"]);
    const start = files.bytes(JOURNAL).length;
    await engine.command(["SET", "b", "2"]);
    await engine.close();
    const bytes = files.bytes(JOURNAL);
    bytes[start + 20] = (bytes[start + 20] as number) ^ 1;
    expect((await errorOf(() => openStore(files.afterKill()))).details).toMatchObject({ offset: start });
  });

  it("is not what bytes in a payload are that look like a record", async () => {
    const { bytes, ends } = await setup();
    const record = bytes.subarray(ends[2], ends[3]).toString("latin1");
    const { engine, files } = await openStore();
    await engine.command(["SET", "safe", "1"]);
    await engine.command(["SET", "last", `${record.repeat(20)}tail`]);
    const whole = Buffer.from(files.bytes(JOURNAL));
    const disk = new MemoryFiles();
    disk.put(`${FOLDER}/${JOURNAL}`, whole.subarray(0, whole.length - 2));
    expect(await keysOf(disk)).toEqual({ keys: ["safe"], warnings: [expect.stringContaining("was cut")] });
  });

  it("is a missing journal", async () => {
    const { engine, files, ports } = await openStore();
    files.plan = (operation) => (operation === "truncate" || operation === "write" ? systemError("EIO") : undefined);
    await errorOf(() => engine.command(["SET", "a", "1"]));
    files.plan = () => undefined;
    await ports.clock.advance(2000);
    await engine.command(["SET", "a", "1"]);
    const disk = new MemoryFiles();
    disk.put(`${FOLDER}/journal-000002.emq`, files.bytes("journal-000002.emq"));
    expect((await errorOf(() => openStore(disk))).message).toContain("journal-000001.emq is damaged");
  });
});

describe("a folder that cannot be used", () => {
  it("holds other files", async () => {
    const disk = new MemoryFiles();
    disk.put(`${FOLDER}/notes.txt`, Buffer.from("mine"));
    const error = await errorOf(() => openStore(disk));
    expect([error.code, error.message]).toEqual(["invalid_folder", expect.stringContaining("notes.txt")]);
    expect(disk.names()).toEqual(["notes.txt"]);
  });

  it("is used beside what systems leave in folders", async () => {
    const disk = new MemoryFiles();
    for (const name of [".gitignore", "lost+found"]) disk.put(`${FOLDER}/${name}`, Buffer.from(""));
    expect((await keysOf(disk)).keys).toEqual([]);
  });

  it("was written in another format", async () => {
    const { bytes, diskWith } = await setup();
    const changed = Buffer.from(bytes);
    changed.writeUInt32LE(FORMAT_VERSION + 1, 8);
    const { crc32 } = await import("node:zlib");
    changed.writeUInt32LE(crc32(changed.subarray(0, HEADER_BYTES - 4)), HEADER_BYTES - 4);
    const error = await errorOf(() => openStore(diskWith(changed)));
    expect([error.code, error.details["version"]]).toEqual(["folder_format", FORMAT_VERSION + 1]);
  });

  it("lies on a device that takes nothing", async () => {
    const disk = new MemoryFiles();
    disk.plan = () => systemError("EROFS");
    const error = await errorOf(() => openStore(disk, {}, createTestPorts()));
    expect([error.code, error.message]).toEqual(["invalid_folder", expect.stringContaining("EROFS")]);
  });
});
