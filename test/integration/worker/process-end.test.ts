/** Programs that end by themselves once they have closed what they opened: nothing of ours keeps a process alive. */

import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { Queue } from "../../../src/index.ts";
import { freePort } from "../../server/start-server.ts";
import { useServer } from "../../server/use-server.ts";

const server = useServer();

const program = fileURLToPath(new URL("close-child.mjs", import.meta.url));

/** A running program, its lines, and how it ended. */
function start(url: string, does: "idle" | "signal" | "stuck") {
  const child: ChildProcess = spawn(process.execPath, [program, url, does], { stdio: ["ignore", "pipe", "ignore"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: string[] = [];
  let isReady = () => {};
  const ready = new Promise<void>((resolve) => (isReady = resolve));
  createInterface({ input: child.stdout as NonNullable<typeof child.stdout> }).on("line", (line) => {
    lines.push(line);
    if (line === "ready") isReady();
  });
  const ended = new Promise<[number | null, string | null]>((resolve) =>
    child.once("close", (code, signal) => resolve([code, signal])),
  );
  return { child, lines, ready, ended };
}

describe("a process with a queue and workers", () => {
  it("ends once all is closed, with a server and with none (PB-059)", async () => {
    const away = `valkey://127.0.0.1:${await freePort()}`;
    for (const url of [server().url, away]) {
      const { ended, lines } = start(url, "idle");
      expect(await ended, url).toEqual([0, null]);
      expect(lines.at(-1), url).toBe("left ");
    }
  }, 120_000);

  it("that hears SIGTERM finishes what it runs, and ends", async () => {
    const queue = new Queue("close", { connection: server().url });
    onTestFinished(() => queue.close());
    const { child, ready, ended, lines } = start(server().url, "signal");
    await ready;
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    expect(lines.at(-1)).toBe("left ");
    const { pending, active, completed, failed } = await queue.getJobCounts();
    expect([pending + completed, active, failed]).toEqual([4, 0, 0]);
    expect(completed).toBeGreaterThan(0);
    await Promise.all((await queue.getJobs("pending")).map((job) => job.remove()));
  }, 120_000);

  it("gives back at the deadline what does not end, and ends as well", async () => {
    const queue = new Queue("close", { connection: server().url });
    onTestFinished(() => queue.close());
    const before = await queue.getJobCounts("completed", "failed");
    const { child, ready, ended } = start(server().url, "stuck");
    await ready;
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    expect(await queue.getJobCounts("pending", "active")).toEqual({ pending: 4, active: 0 });
    expect(await queue.getJobCounts("completed", "failed")).toEqual(before);
  }, 120_000);

  it("ends at once at a second signal", async () => {
    const { child, ready, ended } = start(server().url, "signal");
    await ready;
    child.kill("SIGINT");
    child.kill("SIGTERM");
    const [code] = await ended;
    expect([130, 143]).toContain(code);
  }, 120_000);
});
