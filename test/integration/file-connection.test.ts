/** Queues and workers on `file:`, on the files of this machine, with other processes beside them. */

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { Queue, Worker } from "../../src/index.ts";
import { errorOf } from "../unit/queue/scripted-engine.ts";

const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "echomq-file-"));
  folders.push(folder);
  return folder;
}

describe("file:", () => {
  it("keeps jobs from one opening to the next, under every name of the folder", async () => {
    const folder = tempFolder();
    symlinkSync(folder, `${folder}-link`);
    folders.push(`${folder}-link`);
    const first = new Queue("mail", { connection: `file:${folder}` });
    const second = new Queue("mail", { connection: `file://${folder}-link/` });
    const { id } = await first.add("welcome", { to: "ada@example.com" });
    expect(await second.getState(id)).toBe("pending");
    await Promise.all([first.close(), second.close()]);
    const again = new Queue("mail", { connection: { url: `file:${folder}`, fsync: "always" } });
    expect((await again.getJob(id))?.data).toEqual({ to: "ada@example.com" });
    const completed = new Promise((resolve) => {
      const worker = new Worker("mail", async () => {}, { connection: `file:${folder}` });
      worker.on("completed", ({ id: done }) => resolve(worker.close().then(() => done)));
    });
    expect(await completed).toBe(id);
    await again.close();
  });

  it("refuses what it is told when somebody has removed the folder, and closes all the same", async () => {
    const folder = tempFolder();
    const queue = new Queue("mail", { connection: `file:${folder}` });
    await queue.add("welcome", 1);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    // What is added before the owner looks at its lock again is lost with the folder.
    let error: unknown;
    while (error === undefined) {
      error = await queue.add("welcome", 2).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(error).toMatchObject({ code: "folder_in_use", message: expect.stringContaining("was removed") as string });
    await queue.close();
  }, 30_000);

  it("is refused to a second process with the name of the owner, and open again when the owner is killed", async () => {
    const folder = tempFolder();
    const owner = spawn("node", ["--input-type=module", "-e", ownerProgram(folder)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const said = await new Promise<string>((resolve) => owner.stdout.once("data", (chunk) => resolve(String(chunk))));
    expect(said.trim()).toBe("stored");
    const refused = new Queue("mail", { connection: `file:${folder}` });
    const error = await errorOf(() => refused.add("a", 1));
    expect([error.code, error.message]).toEqual([
      "folder_in_use",
      expect.stringMatching(new RegExp(`process ${owner.pid} on .*echomq serve`)),
    ]);
    await refused.close();
    const ended = new Promise((resolve) => owner.once("exit", resolve));
    owner.kill("SIGKILL");
    await ended;
    const queue = new Queue("mail", { connection: `file:${folder}` });
    expect(await queue.getJobCounts("pending")).toMatchObject({ pending: 1 });
    await queue.close();
  });

  it("is looked at, repaired and used by the command line", async () => {
    const folder = tempFolder();
    const queue = new Queue("mail", { connection: `file:${folder}` });
    for (let at = 0; at < 5; at++) await queue.add("a", { at });
    await queue.close();
    expect(echomq("counts", "mail", "--json", "--url", `file:${folder}`)).toContain('"pending":5');
    expect(echomq("file", "check", folder)).toMatch(/^whole: \d+ keys/);
    const [name = ""] = readdirSync(folder).filter((each) => each.startsWith("journal"));
    const bytes = readFileSync(join(folder, name));
    const middle = Math.floor(bytes.length / 2);
    bytes[middle] = (bytes[middle] as number) ^ 1;
    writeFileSync(join(folder, name), bytes);
    expect(() => echomq("file", "check", folder)).toThrow("Command failed");
    const report = JSON.parse(echomq("file", "repair", folder, "--yes", "--json")) as unknown;
    expect(report).toMatchObject({ outcome: "repaired", kept: [expect.stringMatching(/\.cut$/)] });
    expect(echomq("file", "check", folder)).toMatch(/^whole/);
  });

  it("is not made by a command that only looks", () => {
    const missing = join(tempFolder(), "mistyped");
    expect(() => echomq("counts", "mail", "--url", `file:${missing}`)).toThrow("There is no store in");
  });
});

function ownerProgram(folder: string): string {
  const index = new URL("../../dist/index.js", import.meta.url).href;
  return `
    import { Queue } from ${JSON.stringify(index)};
    const queue = new Queue("mail", { connection: ${JSON.stringify(`file:${folder}?fsync=always`)} });
    await queue.add("a", 1);
    console.log("stored");
    setInterval(() => {}, 1000);
  `;
}

function echomq(...args: string[]): string {
  const main = new URL("../../dist/cli/main.js", import.meta.url).pathname;
  return execFileSync("node", [main, ...args], { encoding: "utf8", stdio: "pipe" });
}
