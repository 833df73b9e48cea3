/**
 * The finder takes no server that would not do, and says what to do when there is none.
 *
 * Each case runs it as a program with an environment of its own; a server is played by a script that prints a version.
 */

import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";

const scripts = fileURLToPath(new URL("../../scripts/server", import.meta.url));

function setup() {
  const folder = mkdtempSync(join(tmpdir(), "echomq-find-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // The finder looks for its cache beside itself, so a linked copy has a cache of its own.
  mkdirSync(join(folder, "scripts"));
  mkdirSync(join(folder, "bin"));
  symlinkSync(scripts, join(folder, "scripts", "server"));
  const program = (name: string, version: string) => {
    const path = join(folder, name);
    writeFileSync(path, `#!/bin/sh\necho "${version} sha=00000000:0 malloc=libc bits=64 build=0"\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const find = (environment: Record<string, string>) => {
    const entry = join(folder, "scripts", "server", "find-server.mjs");
    const args = ["--preserve-symlinks", "--preserve-symlinks-main", entry];
    const env = { PATH: join(folder, "bin"), ...environment };
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: "utf8" });
    return { status, stdout, stderr };
  };
  return { program, find };
}

describe("findServer", () => {
  it("takes the server that the variable names", () => {
    const { program, find } = setup();
    const path = program("mine", "Valkey server v=8.1.3");
    expect(find({ ECHOMQ_TEST_SERVER: path })).toMatchObject({
      status: 0,
      stdout: expect.stringContaining(`valkey 8.1.3 ${path}`),
    });
  });

  it("takes the one on the PATH", () => {
    const { program, find } = setup();
    const path = program("bin/valkey-server", "Valkey server v=9.0.0");
    expect(find({})).toMatchObject({ status: 0, stdout: expect.stringContaining(`valkey 9.0.0 ${path}`) });
  });

  it("refuses a named server that is too old, of another product, or not there", () => {
    const { program, find } = setup();
    const old = find({ ECHOMQ_TEST_SERVER: program("old", "Valkey server v=7.2.8") });
    expect(old).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("is version 7.2.8; 8.0 or later is needed"),
    });
    const redis = find({ ECHOMQ_TEST_SERVER: program("redis", "Redis server v=7.0.15") });
    expect(redis).toMatchObject({ status: 1, stderr: expect.stringContaining("is no Valkey server") });
    const nothing = find({ ECHOMQ_TEST_SERVER: "/nowhere/valkey-server" });
    expect(nothing).toMatchObject({ status: 1, stderr: expect.stringContaining("is not a program") });
  });

  it("passes over an old one on the PATH and says what to install where nothing can be fetched", () => {
    const { program, find } = setup();
    program("bin/valkey-server", "Valkey server v=7.2.8");
    const { status, stderr } = find({});
    expect(status).toBe(1);
    expect(stderr).toContain("No valkey-server 8.0 or later was found");
    expect(stderr).toContain("apt-get install valkey-server valkey-tools");
    expect(stderr).toContain("ECHOMQ_TEST_SERVER=");
  });
});

describe("findRedis", () => {
  it("is no failure where there is none, and says why", () => {
    const { program, find } = setup();
    program("bin/valkey-server", "Valkey server v=8.0.1");
    expect(find({})).toMatchObject({ status: 0, stdout: expect.stringContaining("redis SKIP No redis-server 7.0") });
  });

  it("does not take a Valkey that is installed under its name", () => {
    const { program, find } = setup();
    program("bin/valkey-server", "Valkey server v=8.0.1");
    program("bin/redis-server", "Valkey server v=8.0.1");
    expect(find({}).stdout).toContain("redis SKIP");
  });
});
