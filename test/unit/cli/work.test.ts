/** `echomq work` within this process, on a store of its own. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { runCli } from "../../../src/cli/cli.ts";
import type { OpenEngine } from "../../../src/cli/open-server.ts";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import { type FakeHost, fakeHost } from "./fake-host.ts";
import { setupStore } from "./store.ts";

const HANDLER = `
export default async (job, { signal }) => {
  if (job.data.fails) throw new Error("no such address");
  if (job.data.hangs) await new Promise((resolve) => signal.addEventListener("abort", resolve));
};
`;

function setup(options: { openEngine?: OpenEngine; text?: string } = {}) {
  const store = setupStore();
  const folder = mkdtempSync(join(tmpdir(), "echomq-work-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "handler.mjs");
  writeFileSync(path, options.text ?? HANDLER);
  const host = fakeHost({ env: { ECHOMQ_URL: "valkey://store" } });
  const ends: number[] = [];
  const kept: FakeHost = { ...host, abandonAfter: (_ms, code) => void ends.push(code) };
  const work = (...rest: readonly string[]) =>
    runCli(["work", "mail", path, ...rest], kept, options.openEngine ?? store.openEngine);
  return { ...store, host, work, ends, path };
}

/** Asks until the answer is yes; the time limit of the test is the limit. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 2));
}

describe("work", () => {
  it("runs the module for each job and tells of failures and of the end", async () => {
    const { work, host, queue, path, ends } = setup();
    await queue.add("welcome", {});
    const { id } = await queue.add("welcome", { fails: true }, { attempts: 1 });
    const code = work("--concurrency", "2");
    await until(async () => (await queue.getJobCounts("dead", "completed")).dead === 1);
    await until(async () => (await queue.getJobCounts("completed")).completed === 1);
    await until(() => host.stdout().includes("dead"));
    host.interrupt("SIGTERM");
    expect(await code).toBe(0);
    expect(host.stdout()).toBe(
      `working on mail with ${path}, 2 at once\ndead  ${id} welcome: no such address\n` +
        "closed  completed 1, retries 0, dead 1\n",
    );
    expect(ends).toEqual([0]);
  });

  it("serves jobs by name with a module that exports an object, and gives back the jobs of other names", async () => {
    const { work, host, queue } = setup({ text: "export default { welcome: () => 7 };" });
    const other = await queue.add("digest", {});
    await queue.add("welcome", {});
    const code = work();
    await until(async () => (await queue.getJobCounts("completed")).completed === 1);
    await until(async () => (await other.getState()) === "scheduled");
    host.interrupt("SIGTERM");
    expect(await code).toBe(0);
    expect(host.stdout()).toContain("closed  completed 1, retries 0, dead 0\n");
    expect((await queue.getJob(other.id))?.failures).toBe(0);
  });

  it("ends with 130 after Ctrl-C, and with one JSON document", async () => {
    const { work, host, queue } = setup();
    await queue.add("welcome", {});
    const code = work("--json");
    await until(async () => (await queue.getJobCounts("completed")).completed === 1);
    host.interrupt("SIGINT");
    expect(await code).toBe(130);
    expect(JSON.parse(host.stdout())).toEqual({
      queue: "mail",
      signal: "SIGINT",
      completed: 1,
      retries: 0,
      dead: 0,
      lost: 0,
    });
  });

  it("gives back what is not finished in time, without spending an attempt", async () => {
    const { work, host, queue } = setup();
    const { id } = await queue.add("welcome", { hangs: true });
    const code = work("--timeout", "10ms");
    await until(async () => (await queue.getState(id)) === "active");
    host.interrupt("SIGTERM");
    expect(await code).toBe(0);
    expect(await queue.getJob(id)).toMatchObject({ state: "pending", attempts: 1, deferred: 1 });
  });

  it("ends at once at the second signal", async () => {
    const { work, host, queue } = setup();
    const { id } = await queue.add("welcome", { hangs: true });
    const code = work("--timeout", "1s");
    await until(async () => (await queue.getState(id)) === "active");
    host.interrupt("SIGTERM");
    expect(host.abandonedWith()).toBeUndefined();
    host.interrupt("SIGTERM");
    expect(host.abandonedWith()).toBe(130);
    await code;
  });

  it("answers for its health while it works", async () => {
    const { work, host } = setup();
    const code = work("--health", "0");
    await until(() => host.stdout().includes("healthz"));
    const url = /http:\S+/.exec(host.stdout())?.[0] ?? "";
    await until(async () => (await fetch(url)).status === 200);
    host.interrupt("SIGTERM");
    await code;
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  });

  it("ends with the error of a server that will never serve it", async () => {
    const { openEngine: openStore } = setupStore();
    const refusal = new EchoMQError("auth", "WRONGPASS");
    const openEngine: OpenEngine = (request) => ({ ...openStore(request), ready: () => Promise.reject(refusal) });
    const { work, host, ends } = setup({ openEngine });
    expect(await work()).toBe(1);
    expect(host.stderr()).toContain("echomq: WRONGPASS [auth]");
    expect(ends).toEqual([1]);
  });

  it.each([
    [["--concurrency", "0"], "usage"],
    [["--concurrency", "10001"], "usage"],
    [["--health", "65536"], "usage"],
    [["--timeout", "soon"], "invalid_option"],
  ])("refuses %j", async (rest, expected) => {
    const { work, host } = setup();
    expect(await work(...rest, "--json")).toBe(2);
    expect(JSON.parse(host.stdout())).toMatchObject({ error: { code: expected } });
  });

  it("refuses a module without a handler before it connects", async () => {
    const openEngine: OpenEngine = () => expect.fail("it connected");
    const { work, host } = setup({ openEngine, text: "export const x = 1;" });
    expect(await work("--json")).toBe(1);
    expect(JSON.parse(host.stdout())).toMatchObject({ error: { code: "bad_module" } });
  });
});
