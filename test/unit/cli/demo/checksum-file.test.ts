/** The checksum of one file, and what comes between the walk and the reading. */

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checksumFile } from "../../../../src/cli/demo/checksum-file.ts";
import { tempFolder } from "./temp-folder.ts";

const never = new AbortController().signal;
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

describe("checksumFile", () => {
  it.each([0, 1, 256 * 1024 - 1, 256 * 1024, 256 * 1024 + 1, 1_000_000])("sums a file of %d bytes", async (bytes) => {
    const content = "x".repeat(bytes);
    const folder = tempFolder({ file: content });
    expect(await checksumFile(join(folder, "file"), never)).toEqual({ sha256: sha256(content), bytes });
  });

  it("reads a file that tells no size", async () => {
    const result = await checksumFile("/proc/self/status", never);
    expect(result).toMatchObject({ sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect("bytes" in result && result.bytes).toBeGreaterThan(0);
  });

  it("says that a file vanished", async () => {
    const folder = tempFolder();
    expect(await checksumFile(join(folder, "none"), never)).toEqual({ skipped: "vanished" });
    expect(await checksumFile(join(folder, "none", "deeper"), never)).toEqual({ skipped: "vanished" });
  });

  it("follows no link that has taken the place of a file", async () => {
    const folder = tempFolder({ file: "x" });
    symlinkSync("file", join(folder, "link"));
    expect(await checksumFile(join(folder, "link"), never)).toEqual({ skipped: "link" });
  });

  it("does not wait for a pipe or read a folder that has taken the place of a file", async () => {
    const folder = tempFolder();
    execFileSync("mkfifo", [join(folder, "pipe")]);
    mkdirSync(join(folder, "folder"));
    expect(await checksumFile(join(folder, "pipe"), never)).toEqual({ skipped: "special" });
    expect(await checksumFile(join(folder, "folder"), never)).toEqual({ skipped: "special" });
  });

  it("throws the reason of its signal", async () => {
    const folder = tempFolder({ file: "x" });
    const stop = AbortSignal.abort(new Error("the worker is closing"));
    await expect(checksumFile(join(folder, "file"), stop)).rejects.toThrow("the worker is closing");
  });
});
