/**
 * The lock of a folder between real processes: one has it, whoever races for it, and nobody for ever, in whichever
 * instant its owner dies or is stopped. What takes seconds by the clock takes them on a virtual one.
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../src/embedded/embedded-engine.ts";
import { NAMING_MS, SILENCE_MS } from "../../src/embedded/journal/folder-lock.ts";
import type { Clock } from "../../src/engine/ports.ts";
import { nodeFileLayer } from "../../src/node-file-layer.ts";
import { nodePorts } from "../../src/node-ports.ts";
import { createTestPorts, type TestPorts } from "../../src/testing/test-ports.ts";
import { everything } from "../unit/embedded/journal/open-store.ts";
import { raceForFolder } from "./folder-races.ts";
import { ELSEWHERE, LockProcess, temporaryFolder } from "./lock-process.ts";

/** Where the system tells which process is which, and which of them stands still. */
const isTold = existsSync("/proc/self/stat");

/** What this process opens, and how long it waited by its clock. */
interface Taken {
  readonly engine: EmbeddedEngine;
  readonly waitedMs: number;
  readonly ports: TestPorts;
}

async function take(folder: string): Promise<Taken> {
  const ports = createTestPorts();
  const { later, soon } = nodePorts();
  let waitedMs = 0;
  let isOpening = true;
  // Files are read in the system's own time. The clock moves when the opening waits for it, and at no other time.
  const clock: Clock = {
    now: () => ports.clock.now(),
    after: (ms, action, options) => {
      const timer = ports.clock.after(ms, action, options);
      if (!isOpening || options?.background === true) return timer;
      waitedMs += ms;
      setImmediate(() => void ports.clock.advance(ms));
      return timer;
    },
  };
  const store = { layer: nodeFileLayer(), folder, fsync: "always" } as const;
  const opening = EmbeddedEngine.open({ ports: { ...ports, clock, later, soon }, store });
  try {
    return { engine: await opening, waitedMs, ports };
  } finally {
    isOpening = false;
  }
}

/** Names, sizes and checksums of what lies in a folder. */
function contentOf(folder: string): string[] {
  const content: string[] = [];
  for (const name of readdirSync(folder).sort()) {
    const bytes = readFileSync(join(folder, name));
    content.push(`${name} ${bytes.length} ${crc32(bytes)}`);
  }
  return content;
}

/** Closes a store, opens it again, and expects all that was in it, and no word of a crash. */
async function expectToHoldOn(folder: string, { engine }: Taken): Promise<void> {
  const before = await everything(engine);
  await engine.close();
  const again = await take(folder);
  expect(await everything(again.engine)).toEqual(before);
  expect(again.ports.logger.lines).toEqual([]);
  expect(again.waitedMs).toBe(0);
  await again.engine.close();
}

describe("a folder that several processes want", () => {
  it("goes to exactly one of them each time, by whichever name, with nothing lost between them", async () => {
    const parent = temporaryFolder();
    const folder = join(parent, "store");
    mkdirSync(folder);
    symlinkSync(folder, join(parent, "link"));
    symlinkSync(parent, join(parent, "up"));
    const names = [folder, join(parent, "link"), `${parent}/up/./store/`, `${parent}/store/../link`];
    await raceForFolder(names, { rounds: 40, killEvery: 10 });
  });

  it("is refused with the number of its owner, to another name of it as well", async () => {
    const folder = temporaryFolder();
    const link = join(temporaryFolder(), "link");
    symlinkSync(folder, link);
    const [owner, other] = await Promise.all([LockProcess.start({ folder }), LockProcess.start({ folder: link })]);
    expect(await owner.ask("open")).toBe("opened");
    expect(await other.ask("open")).toBe(`refused folder_in_use ${owner.pid}`);
    await expect(take(link)).rejects.toMatchObject({ code: "folder_in_use", details: { folder, pid: owner.pid } });
    expect(await owner.ask("close")).toBe("closed");
    expect(await other.ask("open")).toBe("opened");
  });
});

describe("an owner that died", () => {
  it.skipIf(!isTold)("holds nobody up, and neither does a process that got its number", async () => {
    const folder = temporaryFolder();
    const owner = await LockProcess.start({ folder });
    await owner.ask("open");
    await owner.ask("write a");
    await owner.kill();
    // The number goes to a process that lives and began at another time: this one.
    const lock = join(folder, readdirSync(folder).find((name) => name.startsWith("lock-")) as string);
    const text = readFileSync(lock, "utf8");
    writeFileSync(lock, text.replace(`"pid":${owner.pid}`, `"pid":${process.pid}`));
    expect(readFileSync(lock, "utf8")).not.toBe(text);
    const taken = await take(folder);
    expect([taken.waitedMs, await taken.engine.command(["GET", "a"])]).toEqual([0, "1"]);
    await expectToHoldOn(folder, taken);
  });

  // On a device that no other machine has, such as the one in memory.
  it.skipIf(!isTold || !existsSync("/dev/shm"))("before the machine was started anew holds nobody up", async () => {
    const folder = temporaryFolder();
    const owner = await LockProcess.start({ folder });
    await owner.ask("open");
    await owner.ask("write a");
    await owner.kill();
    const lock = join(folder, readdirSync(folder).find((name) => name.startsWith("lock-")) as string);
    const [boot] = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim().split("\n");
    const ofEarlierStart = readFileSync(lock, "utf8").replace(String(boot), "0f4ad9e6-0000-4000-8000-000000000000");
    // A container may have a mark of its own: a machine that has run for as long may be the owner's, which may live.
    writeFileSync(lock, ofEarlierStart);
    const waiting = await take(folder);
    expect(waiting.waitedMs).toBe(SILENCE_MS);
    await waiting.engine.close();
    for (const name of readdirSync(folder)) if (name.startsWith("lock-")) rmSync(join(folder, name));
    writeFileSync(lock, ofEarlierStart.replace(/"uptimeMs":"\d+"/, '"uptimeMs":"999999999999"'));
    const taken = await take(folder);
    expect([taken.waitedMs, await taken.engine.command(["GET", "a"])]).toEqual([0, "1"]);
    await expectToHoldOn(folder, taken);
  });

  it("elsewhere is waited for until it was silent for ten seconds", async () => {
    const folder = temporaryFolder();
    const owner = await LockProcess.start({ folder, space: ELSEWHERE });
    await owner.ask("open");
    await owner.ask("write a");
    await owner.kill();
    const taken = await take(folder);
    expect(taken.waitedMs).toBe(SILENCE_MS);
    expect(await taken.engine.command(["GET", "a"])).toBe("1");
    await expectToHoldOn(folder, taken);
  });

  it("before it had written its name is passed over after a second look", async () => {
    const folder = temporaryFolder();
    const at = { operation: "text lock", count: 1, signal: "SIGKILL" } as const;
    const owner = await LockProcess.start({ folder, at });
    owner.tell("open");
    await owner.ended();
    expect([owner.lines.at(-1), contentOf(folder)]).toEqual(["at", ["lock-000001 0 0"]]);
    const taken = await take(folder);
    expect(taken.waitedMs).toBe(NAMING_MS);
    await expectToHoldOn(folder, taken);
  });

  it.each([
    "create journal",
    "create snapshot",
    "append snapshot",
    "sync snapshot",
    "rename snapshot",
    "remove journal",
    "remove snapshot",
  ])("in the middle of a compaction, at %s, has lost nothing and leaves nothing behind", async (operation) => {
    const folder = temporaryFolder();
    const at = { operation, count: 2, signal: "SIGKILL" } as const;
    const owner = await LockProcess.start({ folder, at });
    await owner.ask("open");
    owner.tell("load");
    await owner.ended();
    expect(owner.wrote.length).toBeGreaterThan(10);
    const taken = await take(folder);
    expect(taken.waitedMs).toBe(0);
    for (const key of owner.wrote) expect([key, await taken.engine.command(["GET", key])]).toEqual([key, "1"]);
    expect(readdirSync(folder).filter((name) => name.endsWith(".new"))).toEqual([]);
    await expectToHoldOn(folder, taken);
  });
});

describe.skipIf(!isTold)("an owner elsewhere that stood still until another took the folder", () => {
  it("writes nothing more, says so, and does not end the store of the other when it closes", async () => {
    const folder = temporaryFolder();
    const owner = await LockProcess.start({ folder, space: ELSEWHERE });
    await owner.ask("open");
    await owner.ask("write a");
    owner.tell("stop");
    await owner.stopped();
    const taken = await take(folder);
    expect(taken.waitedMs).toBe(SILENCE_MS);
    expect(await taken.engine.command(["INCR", "a"])).toBe(2);
    const before = contentOf(folder);
    owner.goOn(SILENCE_MS);
    await owner.next("went on");
    expect(await owner.ask("write a")).toBe("failed folder_in_use");
    expect(await owner.ask("write b")).toBe("failed folder_in_use");
    expect(await owner.ask("close")).toBe("closed");
    expect(contentOf(folder)).toEqual(before);
    expect(await owner.ask("open")).toBe(`refused folder_in_use ${process.pid}`);
    await expectToHoldOn(folder, taken);
  });

  it.each([
    ["append journal", 40, "everysec"],
    ["append journal", 40, "always"],
    ["sync journal", 20, "always"],
    ["create journal", 2, "everysec"],
    ["create snapshot", 1, "everysec"],
    ["append snapshot", 2, "everysec"],
    ["sync snapshot", 1, "everysec"],
    ["rename snapshot", 1, "everysec"],
    ["remove journal", 2, "everysec"],
  ] as const)(
    "in the middle of its work, at %s (number %i, %s), does no harm with what it does yet",
    async (operation, count, fsync) => {
      const folder = temporaryFolder();
      const at = { operation, count, signal: "SIGSTOP" } as const;
      const owner = await LockProcess.start({ folder, space: ELSEWHERE, fsync, at });
      await owner.ask("open");
      owner.tell("load");
      await owner.next("at");
      await owner.stopped();
      const told = owner.wrote;
      expect(told.length).toBeGreaterThan(3);
      const taken = await take(folder);
      expect(taken.waitedMs).toBe(SILENCE_MS);
      for (const key of told) expect([key, await taken.engine.command(["GET", key])]).toEqual([key, "1"]);
      await taken.engine.command(["SET", "mine", "x".repeat(5000)]);
      owner.goOn(SILENCE_MS);
      expect(await owner.next("failed")).toBe("failed folder_in_use");
      await taken.engine.command(["SET", "mine", "y".repeat(5000)]);
      expect(await owner.ask("close")).toBe("closed");
      await expectToHoldOn(folder, taken);
    },
  );
});
