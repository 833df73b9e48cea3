import { describe, expect, it } from "vitest";
import type { EmbeddedEngine } from "../../../../src/embedded/embedded-engine.ts";
import { sortNames, storeFileName } from "../../../../src/embedded/journal/folder-name.ts";
import { HEADER_BYTES } from "../../../../src/embedded/journal/record-format.ts";
import { SLICE_KEYS } from "../../../../src/embedded/journal/snapshot-run.ts";
import { createTestPorts } from "../../../../src/testing/test-ports.ts";
import { errorOf } from "../../queue/scripted-engine.ts";
import { MemoryFiles, systemError } from "./memory-files.ts";
import { everything, FOLDER, openStore } from "./open-store.ts";

const SMALL = { compactBytesMin: 4096 } as const;

/** Lets tasks run in which snapshots are written. */
async function tasks(count: number): Promise<void> {
  for (let at = 0; at < count; at++) await new Promise((resolve) => setImmediate(resolve));
}

/** Some commands of a load whose keyspace stays small; `at` numbers the round. */
function load(at: number): string[][] {
  const key = `row:${at % 40}`;
  return [
    ["HSET", key, "n", String(at), "payload", "x".repeat(100)],
    ["ZADD", "pending", String(at), key],
    ["ZREMRANGEBYRANK", "pending", "0", "-31"],
    ["RPUSH", "list", String(at)],
    ["LTRIM", "list", "-20", "-1"],
    ["INCRBY", "count", String(at)],
    ["XADD", "stream", "MAXLEN", "10", "*", "n", String(at)],
    ["SADD", "set", String(at % 50)],
    ["PEXPIRE", `row:${(at * 7) % 40}`, "500000"],
    ["DEL", `row:${(at * 11) % 40}`],
  ];
}

/** Elements of each large value: some slices of a snapshot. */
const LARGE = 12_000;

/** Changes of large values, ahead of a snapshot's walk and behind it; their keys go as well, and under other names. */
function changesOfLarge(at: number): string[][] {
  const one = `m${(at * 7919) % LARGE}`;
  const changes = [
    ["ZADD", "pending", String((at * 31) % 7), one, "2.5", `new${at}`],
    ["ZPOPMIN", "pending"],
    ["HSET", "hash", one, `changed ${at}`, `new${at}`, "1"],
    ["HDEL", "hash", `m${(at * 104_729) % LARGE}`],
    ["SREM", "set", one],
    ["SADD", "set", `m${(at * 7919 - 7919 * 5) % LARGE}`],
    ["LPOP", "list"],
    ["RPUSH", "list", String(at)],
  ];
  if (at === 60) changes.push(["DEL", "set"], ["RENAME", "pending", "renamed"], ["PEXPIRE", "hash", "900000"]);
  return changes;
}

async function run(engine: EmbeddedEngine, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at++) for (const command of load(at)) await engine.command(command);
}

describe("a snapshot", () => {
  it("is not taken for all there is when its journal cannot be followed, or is not there", async () => {
    const { engine, files } = await openStore(undefined, SMALL);
    for (let at = 0; at < 200; at++) {
      await run(engine, at, at + 1);
      await tasks(1);
    }
    await engine.close();
    const layer = files.layer();
    const { journals, snapshots } = sortNames(layer.list(FOLDER));
    expect([journals.length, snapshots]).toEqual([1, journals]);
    const journal = storeFileName("journal", journals[0] as number);
    const bytes = files.bytes(journal);
    bytes[HEADER_BYTES] = (bytes[HEADER_BYTES] as number) ^ 1;
    const unread = await errorOf(() => openStore(files.afterKill()));
    expect(unread.details).toMatchObject({ file: journal, offset: HEADER_BYTES });
    expect(unread.message).toContain("the first record of the journal that begins at the snapshot is not whole");
    layer.removeNow(`${FOLDER}/${journal}`);
    const missing = await errorOf(() => openStore(files.afterKill()));
    expect(missing.details).toMatchObject({ file: journal, offset: 0 });
    expect(missing.message).toContain("the journal that begins at the snapshot is missing");
  });

  it("replaces the journals before it while acts go on, and the folder stays small", async () => {
    const { engine, files, ports } = await openStore(undefined, SMALL);
    for (let at = 0; at < 400; at++) {
      await run(engine, at, at + 1);
      await tasks(1);
    }
    await tasks(20);
    const before = await everything(engine);
    const names = files.names();
    expect(names.filter((name) => name.startsWith("snapshot"))).toHaveLength(1);
    const bytes = names.reduce((sum, name) => sum + files.bytes(name).length, 0);
    expect(bytes).toBeLessThan(100_000);
    for (const disk of [files.afterKill(), await closed(engine, files)]) {
      const again = await openStore(disk, SMALL, ports);
      expect(await everything(again.engine)).toEqual(before);
    }
    expect(ports.logger.messages("warn")).toEqual([]);
  });

  it("takes away what it replaces in the background", async () => {
    const { engine, files } = await openStore(undefined, SMALL);
    const removals: string[] = [];
    files.plan = (operation) => {
      if (operation === "remove" || operation === "removeNow") removals.push(operation);
      return undefined;
    };
    for (let at = 0; at < 200; at++) {
      await run(engine, at, at + 1);
      await tasks(1);
    }
    expect(new Set(removals)).toEqual(new Set(["remove"]));
    await engine.close();
  });

  it("is written in slices of so many keys, with a turn for others after each", async () => {
    let turns = 0;
    const later = (action: () => void) => {
      turns++;
      setImmediate(action);
    };
    const { engine, files } = await openStore(undefined, SMALL, { ...createTestPorts(), later });
    const slices = 10;
    const rows = Array.from({ length: slices * SLICE_KEYS }, (_, at) => `row${at}`);
    await Promise.all(rows.map(async (key) => await engine.command(["HSET", key, "a", "1"])));
    turns = 0;
    while (!files.names().some((name) => /^snapshot-\d+\.emq$/.test(name))) await tasks(1);
    expect(turns).toBeGreaterThanOrEqual(slices);
    await engine.close();
  });

  it("shows the moment at which it began, whatever is written while it is being written", async () => {
    const ports = { ...createTestPorts(), later: (action: () => void) => void setImmediate(action) };
    const { engine, files } = await openStore(undefined, SMALL, ports);
    await engine.command(["HSET", "large", ...Array.from({ length: 4000 }, (_, at) => [`f${at}`, "v"]).flat()]);
    const rows = Array.from({ length: 6000 }, (_, at) => `row${at}`);
    await Promise.all(rows.map(async (key) => await engine.command(["HSET", key, "a", "1"])));
    await tasks(200);
    const first = files.names().filter((name) => name.startsWith("snapshot"));
    let duringCount = 0;
    for (let at = 0; first.some((name) => files.names().includes(name)); at++) {
      if (files.names().some((name) => name.endsWith(".new"))) duringCount++;
      for (const [key, field] of [
        [`row${(at * 37) % 6000}`, "a"],
        [`new${at}`, "b"],
      ] as const) {
        await engine.command(["HSET", key, field, String(at)]);
      }
      await engine.command(["DEL", `row${(at * 53) % 6000}`]);
      await engine.command(["HDEL", "large", `f${at}`]);
      if (at % 20 === 0) await tasks(1);
    }
    const again = await openStore(files.afterKill(), SMALL, ports);
    expect(await everything(again.engine)).toEqual(await everything(engine));
    expect(duringCount).toBeGreaterThan(20);
  });

  it("shows large values as they were when it began, though it writes them in slices", async () => {
    const ports = { ...createTestPorts(), later: (action: () => void) => void setImmediate(action) };
    const { engine, files } = await openStore(undefined, SMALL, ports);
    for (let at = 0; at < LARGE; at += 1000) {
      const some = Array.from({ length: 1000 }, (_, index) => at + index);
      await engine.command(["ZADD", "pending", ...some.flatMap((each) => [String(each % 5), `m${each}`])]);
      await engine.command(["HSET", "hash", ...some.flatMap((each) => [`m${each}`, String(each)])]);
      await engine.command(["SADD", "set", ...some.map((each) => `m${each}`)]);
      await engine.command(["RPUSH", "list", ...some.map(String)]);
    }
    await tasks(300);
    const last = files.names().filter((name) => name.startsWith("snapshot"));
    await engine.command(["SET", "ballast", "x".repeat(1_500_000)]);
    let duringCount = 0;
    for (let at = 0; last.some((name) => files.names().includes(name)); at++) {
      if (files.names().some((name) => name.endsWith(".new"))) duringCount++;
      for (const command of changesOfLarge(at)) await engine.command(command);
      if (at % 10 === 0) await tasks(1);
    }
    expect(duringCount).toBeGreaterThan(40);
    const again = await openStore(files.afterKill(), SMALL, ports);
    expect(await everything(again.engine)).toEqual(await everything(engine));
    expect(ports.logger.messages("warn")).toEqual([]);
  });

  it("that the device has no room for is given up with a warning, and tried again later", async () => {
    const { engine, files, ports } = await openStore(undefined, SMALL);
    files.plan = (operation, path) =>
      operation === "write" && path.endsWith(".new") ? systemError("ENOSPC") : undefined;
    await run(engine, 0, 40);
    await tasks(30);
    expect(ports.logger.messages("warn")).toHaveLength(1);
    expect(files.names().some((name) => name.endsWith(".new"))).toBe(false);
    files.plan = () => undefined;
    await run(engine, 40, 200);
    await tasks(30);
    expect(files.names().some((name) => name.startsWith("snapshot"))).toBe(true);
    const again = await openStore(files.afterKill(), SMALL, ports);
    expect(await everything(again.engine)).toEqual(await everything(engine));
  });

  it("does not show what was taken back", async () => {
    const { engine, files, ports } = await openStore(undefined, { ...SMALL, fsync: "always" });
    await run(engine, 0, 30);
    files.plan = (operation, path) =>
      operation === "sync" && path.includes("journal") ? systemError("EIO") : undefined;
    const late = engine.command(["SET", "late", "1"]);
    late.catch(() => undefined);
    await tasks(10);
    files.plan = () => undefined;
    await ports.clock.advance(2000);
    await run(engine, 30, 60);
    await tasks(20);
    const again = await openStore(files.afterKill(), SMALL, ports);
    expect(await everything(again.engine)).toEqual(await everything(engine));
    expect(await again.engine.command(["EXISTS", "late"])).toBe(0);
  });
});

async function closed(engine: EmbeddedEngine, files: MemoryFiles): Promise<MemoryFiles> {
  await engine.close();
  return files.afterPowerCut();
}

describe("a crash at any operation on the files", () => {
  /** Runs a load that compacts several times; answers what was acknowledged. Everything fails from an operation on. */
  async function playUntil(operations: number, fsync: "always" | "everysec") {
    const files = new MemoryFiles();
    const acknowledged: string[] = [];
    const { engine, ports } = await openStore(files, { ...SMALL, fsync });
    const limit = files.operations + operations;
    let disk: { killed: MemoryFiles; cut: MemoryFiles } | undefined;
    files.plan = (operation) => {
      if (files.operations <= limit) return undefined;
      disk ??= { killed: files.afterKill(), cut: files.afterPowerCut() };
      return operation === "sync" || operation === "write" ? systemError("EIO") : undefined;
    };
    for (let at = 0; at < 60; at++) {
      if (disk !== undefined) break;
      for (const command of load(at)) await engine.command(command).catch(() => undefined);
      await engine.command(["SET", `done:${at}`, "1"]).then(
        () => (disk === undefined ? acknowledged.push(`done:${at}`) : 0),
        () => undefined,
      );
      await tasks(1);
    }
    return { disk, acknowledged, ports };
  }

  for (const fsync of ["always", "everysec"] as const) {
    it(`loses nothing that was acknowledged (${fsync})`, async () => {
      let isOver = false;
      for (let operations = 1; !isOver; operations += fsync === "always" ? 61 : 23) {
        const { disk, acknowledged, ports } = await playUntil(operations, fsync);
        if (disk === undefined) isOver = true;
        else {
          const killed = await openStore(disk.killed, SMALL, ports);
          const kept = Object.keys(await everything(killed.engine));
          expect([operations, acknowledged.filter((key) => !kept.includes(key))]).toEqual([operations, []]);
          const cut = await openStore(disk.cut, SMALL, ports);
          const safe = Object.keys(await everything(cut.engine));
          if (fsync === "always") {
            expect([operations, acknowledged.filter((key) => !safe.includes(key))]).toEqual([operations, []]);
          }
        }
      }
    });
  }
});
