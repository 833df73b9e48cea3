/** The walk over a real folder, with everything that such a folder may hold. */

import { execFileSync } from "node:child_process";
import { rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { SkipReason } from "../../../../src/cli/demo/skips.ts";
import { type WalkOptions, walkFolder } from "../../../../src/cli/demo/walk-folder.ts";
import { tempFolder } from "./temp-folder.ts";

async function walk(folder: string, options: Partial<WalkOptions> = {}) {
  const skipped: [SkipReason, string][] = [];
  const files: string[] = [];
  const onSkip = (reason: SkipReason, path: string) => void skipped.push([reason, path.slice(folder.length + 1)]);
  for await (const file of walkFolder(folder, { onSkip, ...options })) files.push(file.path.slice(folder.length + 1));
  return { files, skipped };
}

describe("walkFolder", () => {
  it("finds every file below the folder, in the order of names", async () => {
    const folder = tempFolder({ "b.txt": "b", "a/z.txt": "z", "a/c/d.txt": "d", "a b.txt": "", "ü.txt": "u" });
    expect((await walk(folder)).files).toEqual(["a/c/d.txt", "a/z.txt", "a b.txt", "b.txt", "ü.txt"]);
  });

  it("tells size and change time of a file", async () => {
    const folder = tempFolder({ "a.txt": "four" });
    const before = Date.now();
    for await (const file of walkFolder(folder, { onSkip: () => {} })) {
      expect(file.bytes).toBe(4);
      expect(Math.abs(file.changedAtMs - before)).toBeLessThan(60_000);
    }
  });

  it("follows no link, so a circle of links ends and nothing outside is read", async () => {
    const folder = tempFolder({ "a/file": "x" });
    symlinkSync("..", join(folder, "a", "up"));
    symlinkSync("loop", join(folder, "loop"));
    symlinkSync("/etc", join(folder, "outside"));
    const { files, skipped } = await walk(folder);
    expect(files).toEqual(["a/file"]);
    expect(skipped).toEqual([
      ["link", "a/up"],
      ["link", "loop"],
      ["link", "outside"],
    ]);
  });

  it("passes over sockets and pipes", async () => {
    const folder = tempFolder({ file: "x" });
    execFileSync("mkfifo", [join(folder, "pipe")]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(folder, "socket"), resolve));
    onTestFinished(() => void server.close());
    const { files, skipped } = await walk(folder);
    expect(files).toEqual(["file"]);
    expect(skipped).toEqual([
      ["special", "pipe"],
      ["special", "socket"],
    ]);
  });

  it("counts a file that vanished between the listing and the look at it", async () => {
    const folder = tempFolder({ a: "1", b: "2", c: "3" });
    const skipped: SkipReason[] = [];
    const files: string[] = [];
    for await (const file of walkFolder(folder, { onSkip: (reason) => void skipped.push(reason) })) {
      files.push(file.path);
      rmSync(join(folder, "b"), { force: true });
    }
    expect(files).toHaveLength(2);
    expect(skipped).toEqual(["vanished"]);
  });

  it("counts a folder that vanished before it was opened", async () => {
    const folder = tempFolder({ a: "1", "b/c": "2" });
    const skipped: SkipReason[] = [];
    const files = walkFolder(folder, { onSkip: (reason) => void skipped.push(reason) });
    expect((await files.next()).value).toMatchObject({ path: join(folder, "a") });
    rmSync(join(folder, "b"), { recursive: true, force: true });
    expect((await files.next()).done).toBe(true);
    expect(skipped).toEqual(["vanished"]);
  });

  it("names a file whose name is no UTF-8 as such", async () => {
    const folder = tempFolder({ a: "1" });
    writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.of(0xff, 0xfe)]), "x");
    const { files, skipped } = await walk(folder);
    expect(files).toEqual(["a"]);
    expect(skipped.map(([reason]) => reason)).toEqual(["name"]);
  });

  it("stops at its bound and says so", async () => {
    const folder = tempFolder({ a: "1", b: "2", c: "3" });
    const { files, skipped } = await walk(folder, { filesMax: 2 });
    expect(files).toEqual(["a", "b"]);
    expect(skipped).toEqual([["limit", "c"]]);
  });

  it("ends early when its signal fires", async () => {
    const folder = tempFolder({ a: "1", b: "2", c: "3" });
    const stop = new AbortController();
    const files: string[] = [];
    for await (const file of walkFolder(folder, { onSkip: () => {}, signal: stop.signal })) {
      files.push(file.path);
      stop.abort();
    }
    expect(files).toHaveLength(1);
  });

  it("throws when the folder itself is not there", async () => {
    await expect(walk(join(tempFolder(), "none"))).rejects.toThrow(/ENOENT/);
  });
});
