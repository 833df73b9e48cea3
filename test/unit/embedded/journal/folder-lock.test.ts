import { describe, expect, it } from "vitest";
import { FolderLock, SILENCE_MS } from "../../../../src/embedded/journal/folder-lock.ts";
import { createTestPorts, type TestPorts } from "../../../../src/testing/test-ports.ts";
import { errorOf } from "../../queue/scripted-engine.ts";
import { MemoryFiles } from "./memory-files.ts";

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

  it("that is half written counts for as long as its owner shows itself", async () => {
    const files = new MemoryFiles();
    files.put(`${folder}/lock-000007`, Buffer.from('{"host":"mi'));
    const ports = createTestPorts();
    const taken = await inTime(ports, take(files, { pid: 70 }, ports));
    expect(taken?.isHeld()).toBe(true);
    expect(files.names()).toEqual(["lock-000008"]);
  });
});
