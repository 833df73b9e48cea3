/** `echomq demo` on small folders of real files, embedded and on a server. */

import { createHash } from "node:crypto";
import { chmodSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runCli } from "../../../src/cli/cli.ts";
import type { DemoSummary } from "../../../src/cli/demo/summary.ts";
import { useServer } from "../../server/use-server.ts";
import { tempFolder } from "./demo/temp-folder.ts";
import { type FakeHost, fakeHost } from "./fake-host.ts";
import { run, runJson } from "./run.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** Fourteen files, a larger one each; the walk meets them in the order of their names. */
const FILES = Object.fromEntries(Array.from({ length: 14 }, (_, at) => [`sub/f${10 + at}.txt`, "x".repeat(at * 100)]));

async function demo(folder: string, ...args: string[]): Promise<{ code: number; summary: DemoSummary; err: string }> {
  const { code, json, err } = await runJson(["demo", "--folder", folder, ...args]);
  return { code, summary: json as DemoSummary, err };
}

/** A host that calls `action` once, as soon as a line with `words` is written. */
function hostThat(words: string, action: (host: FakeHost) => void): FakeHost {
  const host = fakeHost();
  const write = host.out.write.bind(host.out);
  let isDone = false;
  host.out.write = (text) => {
    write(text);
    if (isDone || !text.includes(words)) return;
    isDone = true;
    action(host);
  };
  return host;
}

describe("a folder of files", () => {
  it("ends with one job a file, failures that were retried, and one dead job", async () => {
    const folder = tempFolder(FILES);
    const { code, summary, err } = await demo(folder, "--concurrency", "3");
    expect(code).toBe(0);
    expect(err).toBe("");
    expect(summary).toMatchObject({
      folder,
      jobs: 14,
      settled: 14,
      completed: 13,
      // Once, twice before it is dead, twice, once, once.
      retries: 7,
      dead: 1,
      deadFiles: [{ path: join(folder, "sub/f11.txt"), error: "fails on purpose at attempt 3" }],
      concurrency: 3,
      skipped: {},
      isInterrupted: false,
    });
    expect(summary.bytes).toBe(Object.values(FILES).reduce((sum, text) => sum + text.length, 0) - 100);
    expect(summary.jobsPerSecond).toBeGreaterThan(0);
  });

  it("names the ten largest files with their true checksums", async () => {
    const folder = tempFolder(FILES);
    const { summary } = await demo(folder);
    expect(summary.largest).toEqual(
      Array.from({ length: 10 }, (_, at) => {
        const bytes = (13 - at) * 100;
        return { path: join(folder, `sub/f${23 - at}.txt`), bytes, sha256: sha256("x".repeat(bytes)) };
      }),
    );
  });

  it("prints plain lines and a summary without a terminal", async () => {
    const folder = tempFolder(FILES);
    const { code, out, err } = await run(["demo", "--folder", folder]);
    expect(code).toBe(0);
    expect(err).toBe("");
    expect(out).toContain(`retry  ${join(folder, "sub/f10.txt")}: fails on purpose at attempt 1\n`);
    expect(out).toContain(`dead  ${join(folder, "sub/f11.txt")}: fails on purpose at attempt 3\n`);
    expect(out).toMatch(/^14 of 14 files, \d+\/s, retries 7, dead 1$/m);
    expect(out).toMatch(/^14 files of .* in \d+\.\d s, 9\.00 kB$/m);
    expect(out).toMatch(/^ {2}jobs {12}14 {2}one a file$/m);
    expect(out).toMatch(new RegExp(`^ +1\\.30 kB  ${sha256("x".repeat(1300))}  sub/f23\\.txt$`, "m"));
    expect(out).not.toContain("\u001b");
  });

  it("draws a bar on a terminal", async () => {
    const { code, out } = await run(["demo", "--folder", tempFolder(FILES)], { columns: 100 });
    expect(code).toBe(0);
    expect(out).toContain("█");
  });

  it("names a folder by a link to it as well", async () => {
    const folder = tempFolder({ "real/a": "1" });
    symlinkSync("real", join(folder, "link"));
    const { summary } = await demo(join(folder, "link"));
    expect(summary).toMatchObject({ folder: join(folder, "real"), jobs: 1, completed: 1, retries: 1, dead: 0 });
  });
});

describe("a folder that is not as it should be", () => {
  it("that does not exist is named, with exit code 1", async () => {
    const folder = join(tempFolder(), "none");
    expect(await run(["demo", "--folder", folder])).toEqual({
      code: 1,
      out: "",
      err: `echomq: the folder ${folder} cannot be read: it does not exist\n`,
    });
  });

  it("that is a file is named as such", async () => {
    const folder = tempFolder({ file: "x" });
    const { code, err } = await run(["demo", "--folder", join(folder, "file")]);
    expect(code).toBe(1);
    expect(err).toContain("is no folder");
  });

  it("that is a circle of links is named as such", async () => {
    const folder = tempFolder();
    symlinkSync("b", join(folder, "a"));
    symlinkSync("a", join(folder, "b"));
    const { code, json } = await runJson(["demo", "--folder", join(folder, "a")]);
    expect(code).toBe(1);
    expect(json).toEqual({ error: { code: "failed", message: expect.stringContaining("lead in a circle") } });
  });

  it("that is empty ends well and says so", async () => {
    const folder = tempFolder();
    const { code, out } = await run(["demo", "--folder", folder]);
    expect(code).toBe(0);
    expect(out).toContain(`${folder} holds no regular file`);
    expect((await demo(folder)).summary).toMatchObject({ jobs: 0, settled: 0, largest: [] });
  });

  it("that holds links says how many it left out", async () => {
    const folder = tempFolder({ a: "1" });
    symlinkSync("a", join(folder, "b"));
    symlinkSync(".", join(folder, "loop"));
    const { out } = await run(["demo", "--folder", folder]);
    expect(out).toMatch(/^ {2}left out {9}2 {2}symbolic links, which are not followed$/m);
  });

  it("whose file vanishes between two attempts counts it as left out", async () => {
    const folder = tempFolder({ a: "1" });
    const host = hostThat("retry", () => rmSync(join(folder, "a")));
    expect(await runCli(["demo", "--folder", folder], host)).toBe(0);
    expect(host.stdout()).toMatch(/^ {2}left out {9}1 {2}files that vanished meanwhile$/m);
  });

  // Nothing is unreadable to root.
  it.skipIf(process.getuid?.() === 0)("whose files may not be read ends with those jobs dead at once", async () => {
    const folder = tempFolder({ a: "", b: "", c: "", d: "", e: "", secret: "x" });
    chmodSync(join(folder, "secret"), 0);
    const { code, summary } = await demo(folder);
    expect(code).toBe(0);
    expect(summary.deadFiles).toContainEqual({
      path: join(folder, "secret"),
      error: expect.stringContaining("may not be read (EACCES)"),
    });
  });
});

describe("Ctrl-C", () => {
  it("finishes what is in hand and ends with 130", async () => {
    const host = hostThat("retry", (it) => it.interrupt());
    const code = await runCli(["demo", "--folder", tempFolder(FILES), "--concurrency", "1"], host);
    expect(code).toBe(130);
    expect(host.stdout()).toMatch(/^Interrupted after \d+ of 14 files/m);
    expect(host.abandonedWith()).toBeUndefined();
  });

  it("ends at once when it is pressed twice", async () => {
    const host = hostThat("retry", (it) => {
      it.interrupt();
      it.interrupt();
    });
    await runCli(["demo", "--folder", tempFolder(FILES)], host);
    expect(host.abandonedWith()).toBe(130);
  });
});

describe("on a server", () => {
  const server = useServer({ tcp: true });

  it("shares the files between processes and adds none twice", async () => {
    const folder = tempFolder(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f${at}`, `${at}`])));
    // Two addresses of one server are two engines, as two processes would have.
    const urls = [server().url, `unix:${server().socketPath}`];
    const runs = await Promise.all(urls.map((url) => demo(folder, "--url", url, "--concurrency", "2")));
    const [one, other] = runs.map((each) => each.summary);
    expect(runs.map((each) => each.code)).toEqual([0, 0]);
    expect(one!.settled + other!.settled).toBe(300);
    expect(one!.completed + other!.completed).toBe(299);
    expect([one!.jobs, other!.jobs]).toEqual([300, 300]);
    expect(Math.min(one!.settled, other!.settled)).toBeGreaterThan(0);
    expect(one!.dead + other!.dead).toBe(1);
  });

  it("tries a job again that is dead since an earlier run", async () => {
    const folder = tempFolder({ a: "1", b: "2" });
    for (let at = 0; at < 2; at++) {
      const { code, summary } = await demo(folder, "--url", server().url);
      expect(code).toBe(0);
      expect(summary).toMatchObject({ jobs: 2, settled: 2, completed: 1, dead: 1 });
    }
  });

  it("ends with exit code 1 and the reason when the server loses its data in the middle", async () => {
    const folder = tempFolder(FILES);
    const host = hostThat("retry", () => void server().command("FLUSHALL"));
    expect(await runCli(["demo", "--folder", folder, "--url", server().url, "--concurrency", "1"], host)).toBe(1);
    expect(host.stderr()).toContain("the server lost the run");
  });

  it("leaves what an interrupted process did not do to the next", async () => {
    const folder = tempFolder(FILES);
    const url = server().url;
    const host = hostThat("retry", (it) => it.interrupt());
    expect(await runCli(["demo", "--folder", folder, "--url", url, "--concurrency", "1"], host)).toBe(130);
    const { code, summary } = await demo(folder, "--url", url);
    expect(code).toBe(0);
    expect(summary.dead).toBe(1);
    expect(summary.isInterrupted).toBe(false);
  });
});
