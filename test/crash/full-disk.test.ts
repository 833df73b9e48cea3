/**
 * A real device runs full under load: a small tmpfs, which takes root to mount. The calls that it could not take are
 * refused, memory and device stay equal, and when there is room again everything goes on.
 */

import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openFileEngine } from "../../src/node-file-engine.ts";
import { openFolderCopy } from "../../src/node-folder-copy.ts";
import { nodePorts } from "../../src/node-ports.ts";
import { isEchoMQError } from "../../src/protocol/errors.ts";
import { borrowed } from "../../src/queue/engine-lease.ts";
import { QueueCore } from "../../src/queue/queue.ts";
import { dumpQueue } from "../../src/testing/dump.ts";
import { checkInvariants } from "../../src/testing/invariants.ts";
import { RecordingLogger } from "../../src/testing/test-ports.ts";

/** Bytes of the device. */
const ROOM = 2 << 20;

/** A mounted tmpfs, or why there is none. */
function mountSmall(): string | Error {
  const folder = mkdtempSync(join(tmpdir(), "echomq-full-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${ROOM}`, "tmpfs", folder], { stdio: "pipe" });
    return folder;
  } catch (error) {
    rmSync(folder, { recursive: true });
    return error as Error;
  }
}

describe.each(["always", "everysec", "no"] as const)("with %s", (fsync) => {
  it("a device that runs full refuses calls and nothing else", async ({ skip }) => {
    const mounted = mountSmall();
    if (mounted instanceof Error) return skip(`no tmpfs can be mounted: ${mounted.message}`);
    onTestFinished(() => {
      execFileSync("umount", ["-l", mounted]);
      rmSync(mounted, { recursive: true, force: true });
    });
    const ports = { ...nodePorts(), logger: new RecordingLogger() };
    const folder = join(mounted, "store");
    const engine = await openFileEngine({ ports, folder, fsync });
    const queue = new QueueCore<Record<string, unknown>>("mail", borrowed(engine));
    const ballast = join(mounted, "ballast");
    const { bavail, bsize } = statfsSync(mounted);
    writeFileSync(ballast, Buffer.alloc(bavail * bsize - (512 << 10)));

    const kept: string[] = [];
    const tally = { refused: 0 };
    const add = async (at: number) => {
      try {
        kept.push((await queue.add("a", "x".repeat(2000 + at))).id);
      } catch (error) {
        if (!isEchoMQError(error, "not_stored")) throw error;
        tally.refused += 1;
      }
    };
    for (let at = 0; at < 400 && tally.refused < 20; at += 5)
      await Promise.all([0, 1, 2, 3, 4].map((more) => add(at + more)));
    expect(tally.refused).toBeGreaterThan(0);
    expect(kept.length).toBeGreaterThan(10);
    await expectSame();

    rmSync(ballast);
    // A journal to go on in is tried for at most once a second.
    for (let left = 100; left > 0 && tally.refused > 0; left--) {
      tally.refused = 0;
      await add(0);
      if (tally.refused > 0) await new Promise((resolve) => void ports.clock.after(50, () => resolve(undefined)));
    }
    expect(tally.refused).toBe(0);
    await expectSame();
    await queue.close();
    await engine.close();

    async function expectSame(): Promise<void> {
      const copied = mkdtempSync(join(tmpdir(), "echomq-full-copy-"));
      try {
        cpSync(folder, copied, { recursive: true });
        const copy = await openFolderCopy({ ports, folder: copied });
        expect(await dumpQueue(copy, "mail")).toEqual(await dumpQueue(engine, "mail"));
        expect(await checkInvariants(copy, "mail")).toEqual([]);
        for (const id of kept) expect(await copy.command(["EXISTS", `emq:{mail}:job:${id}`])).toBe(1);
        await copy.close();
      } finally {
        rmSync(copied, { recursive: true });
      }
    }
  }, 60_000);
});
