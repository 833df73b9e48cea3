import { describe, expect, it } from "vitest";
import { BEAT_MS, FolderLock, NAMING_MS, SILENCE_MS } from "../../../../src/embedded/journal/folder-lock.ts";
import { createTestPorts, type TestPorts } from "../../../../src/testing/test-ports.ts";
import { errorOf } from "../../queue/scripted-engine.ts";
import { MemoryFiles, systemError } from "./memory-files.ts";

const folder = "/store";

function take(files: MemoryFiles, facts: Parameters<MemoryFiles["layer"]>[0], ports: TestPorts = createTestPorts()) {
  return FolderLock.take({ layer: files.layer(facts), folder, ports });
}

/** What a promise that may wait for silence comes to. */
async function inTime<Result>(ports: TestPorts, promise: Promise<Result>): Promise<Result | undefined> {
  let result: Result | undefined;
  const done = promise.then((value) => {
    result = value;
  });
  done.catch(() => undefined);
  for (let waitedMs = 0; waitedMs <= SILENCE_MS; waitedMs += 1000) await ports.clock.advance(1000);
  await done;
  return result;
}

describe("the lock of a folder", () => {
  it("is refused to a second process with the name of the owner and the way to share", async () => {
    const files = new MemoryFiles();
    await take(files, { pid: 10, host: "mill" });
    const error = await errorOf(() => take(files, { pid: 11 }));
    expect([error.code, error.details]).toEqual(["folder_in_use", { folder, host: "mill", pid: 10 }]);
    expect(error.message).toMatch(/process 10 on mill.*echomq serve --file \/store/);
  });

  it("is free once it was released, and again and again", async () => {
    const files = new MemoryFiles();
    for (let round = 0; round < 3; round++) (await take(files, { pid: 20 + round })).release();
    expect(files.names()).toEqual(["lock-000003"]);
  });

  it("is free when its owner is dead, at once where the system can tell", async () => {
    const files = new MemoryFiles();
    await take(files, { pid: 30 });
    files.running.delete(30);
    expect((await take(files, { pid: 31 })).isHeld()).toBe(true);
  });

  it("of an owner elsewhere is free once it has been silent, and not while it shows itself", async () => {
    const files = new MemoryFiles();
    const ports = createTestPorts();
    const first = await take(files, { pid: 40, space: "elsewhere" }, ports);
    const refused = errorOf(() => take(files, { pid: 41 }, ports));
    await inTime(ports, refused);
    expect((await refused).code).toBe("folder_in_use");
    expect(first.isHeld()).toBe(true);
    // The other process stands still: its clock does not go on.
    const frozen = new MemoryFiles();
    await take(frozen, { pid: 42, space: "elsewhere" }, createTestPorts());
    const second = await inTime(ports, take(frozen, { pid: 43 }, ports));
    expect(second?.isHeld()).toBe(true);
  });

  it("of an owner before the machine was started anew is free at once, by its last sign of life", async () => {
    const files = new MemoryFiles();
    const ports = createTestPorts();
    await take(files, { pid: 44, space: "first start" }, ports);
    files.uptimeMs = 60_000;
    await ports.clock.advance(BEAT_MS);
    // Started anew, and younger than the owner's machine was.
    files.uptimeMs = 30_000;
    const lock = await take(files, { pid: 45, space: "second start" }, createTestPorts());
    expect([lock.isHeld(), lock.followsSilence]).toEqual([true, false]);
  });

  it("of an owner elsewhere whose machine is not known to have ended is waited for", async () => {
    const files = new MemoryFiles();
    await take(files, { pid: 46, space: "elsewhere" });
    const ports = createTestPorts();
    let isTaken = false;
    const taking = take(files, { pid: 47 }, ports).then(() => {
      isTaken = true;
    });
    await ports.clock.advance(SILENCE_MS - 1);
    expect(isTaken).toBe(false);
    await ports.clock.advance(1);
    await taking;
  });

  it("that was taken while its owner was held up is seen by the owner before it writes again", async () => {
    const files = new MemoryFiles();
    const slow = createTestPorts();
    const ports = createTestPorts();
    const first = await take(files, { pid: 50, space: "elsewhere" }, slow);
    await inTime(ports, take(files, { pid: 51 }, ports));
    const { now } = slow.clock;
    slow.clock.now = () => now.call(slow.clock) + SILENCE_MS;
    expect(first.isHeld()).toBe(false);
    first.release();
    expect((await errorOf(() => take(files, { pid: 52 }))).details["pid"]).toBe(51);
  });

  it("is lost when its folder is removed, and given up without a word then", async () => {
    const files = new MemoryFiles();
    const ports = createTestPorts();
    const layer = files.layer({ pid: 55 });
    const state = { isGone: false };
    const list = (path: string): string[] => {
      if (state.isGone) throw systemError("ENOENT");
      return layer.list(path);
    };
    const lock = await FolderLock.take({ layer: { ...layer, list }, folder, ports });
    state.isGone = true;
    await ports.clock.advance(BEAT_MS);
    expect(lock.isHeld()).toBe(false);
    expect(() => lock.release()).not.toThrow();
  });

  it("goes to one of many who find the same dead owner at the same time", async () => {
    for (let seed = 0; seed < 50; seed++) {
      const files = new MemoryFiles();
      await take(files, { pid: 60 });
      files.running.delete(60);
      const takers = Array.from({ length: 5 }, async (_, at) => await take(files, { pid: 61 + at }));
      const results = await Promise.allSettled(takers);
      const owners = results.filter((result) => result.status === "fulfilled" && result.value.isHeld());
      expect(owners).toHaveLength(1);
    }
  });

  it("that names nobody is passed over at the second look", async () => {
    for (const text of ["", '{"host":"mi', "null"]) {
      const files = new MemoryFiles();
      files.put(`${folder}/lock-000007`, Buffer.from(text));
      const ports = createTestPorts();
      const taking = take(files, { pid: 70 }, ports);
      await ports.clock.advance(NAMING_MS - 1);
      expect(files.names()).toEqual(["lock-000007"]);
      await ports.clock.advance(1);
      expect((await taking).isHeld()).toBe(true);
      expect(files.names()).toEqual(["lock-000008"]);
    }
  });

  it("that is named between two looks is its owner's", async () => {
    const files = new MemoryFiles();
    files.put(`${folder}/lock-000001`, Buffer.from(""));
    const ports = createTestPorts();
    const refused = errorOf(() => take(files, { pid: 81 }, ports));
    const named = new MemoryFiles();
    await take(named, { pid: 80 });
    files.running.add(80);
    files.put(`${folder}/lock-000001`, named.bytes("lock-000001"));
    await ports.clock.advance(NAMING_MS);
    expect((await refused).details["pid"]).toBe(80);
  });

  it("that is named, or shows itself, while another judges it dead is not taken from its owner", async () => {
    const named = new MemoryFiles();
    await take(named, { pid: 85, space: "elsewhere" });
    const text = named.bytes("lock-000001");
    for (const before of ["", text.toString().replace("85", "86")]) {
      const files = new MemoryFiles();
      files.put(`${folder}/lock-000001`, Buffer.from(before));
      files.running.add(85);
      files.plan = (operation, path) => {
        if (operation === "create" && path.endsWith("2")) files.put(`${folder}/lock-000001`, text);
        return undefined;
      };
      const ports = createTestPorts();
      const refused = errorOf(() => take(files, { pid: 87, space: "elsewhere" }, ports));
      await inTime(ports, refused);
      expect((await refused).details["pid"]).toBe(85);
      expect(files.names()).toEqual(["lock-000001"]);
    }
  });

  it("that another has taken while its owner shows itself is seen as lost at once", async () => {
    const files = new MemoryFiles();
    const ports = createTestPorts();
    const lock = await take(files, { pid: 88 }, ports);
    files.plan = (operation) => {
      if (operation === "text") files.put(`${folder}/lock-000002`, Buffer.from(""));
      return undefined;
    };
    await ports.clock.advance(BEAT_MS);
    expect(lock.isHeld()).toBe(false);
  });

  it("keeps its length while its owner shows itself, so that it is whole whenever it is read", async () => {
    const files = new MemoryFiles();
    const ports = createTestPorts();
    await take(files, { pid: 90 }, ports);
    const texts = new Set<string>();
    for (let beat = 0; beat < 120; beat++) {
      texts.add(files.bytes("lock-000001").toString());
      await ports.clock.advance(BEAT_MS);
    }
    expect(texts.size).toBe(120);
    expect(new Set([...texts].map((text) => text.length)).size).toBe(1);
  });

  it("that the device has no room to name is not left behind", async () => {
    const files = new MemoryFiles();
    files.plan = (operation) => (operation === "text" ? systemError("ENOSPC") : undefined);
    await expect(take(files, { pid: 91 })).rejects.toMatchObject({ code: "ENOSPC" });
    expect(files.names()).toEqual([]);
  });

  it("tells whether the owner before is known to be dead, or was silent only", async () => {
    const files = new MemoryFiles();
    await take(files, { pid: 100, space: "elsewhere" });
    const ports = createTestPorts();
    const silent = await inTime(ports, take(files, { pid: 101 }, ports));
    files.running.delete(101);
    const dead = await take(files, { pid: 102 });
    dead.release();
    const released = await take(files, { pid: 103 });
    expect([silent, dead, released].map((lock) => lock?.followsSilence)).toEqual([true, false, false]);
  });
});
