/** The outputs of the tool when nobody reads them any more, or when they cannot be written. */

import { closeSync, existsSync, openSync, writeFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { QueueCore } from "../../../src/queue/queue.ts";
import { useServer } from "../../server/use-server.ts";
import { openEngine } from "../valkey/setup-engine.ts";
import { handlerModule, ToolProcess } from "./tool-process.ts";

const server = useServer();

const PATIENCE = { timeout: 30_000, interval: 10 };

/** Linux has a file that is always full. */
const FULL = "/dev/full";

/** Says when it begins, and again when its data say that it is time. */
const TALKS = `
import { existsSync } from "node:fs";
export default async (job) => {
  console.log("begins");
  while (!existsSync(job.data.file)) await new Promise((resolve) => setTimeout(resolve, 10));
  console.log("ends");
};
`;

function setup(name: string) {
  const engine = openEngine({ connection: server().url });
  const queue = new QueueCore<Record<string, unknown>>(name, { engine, release: () => Promise.resolve() });
  return { queue, env: { ECHOMQ_URL: server().url } };
}

function openFull(): number {
  const file = openSync(FULL, "w");
  onTestFinished(() => closeSync(file));
  return file;
}

describe("a reader that has seen enough", () => {
  it("closes a worker, which finishes and settles what it has in hand first", async () => {
    const { queue, env } = setup("enough");
    const file = handlerModule(TALKS);
    const { id } = await queue.add("talk", { file: `${file}.go` });
    const tool = new ToolProcess(["work", "enough", file], env);
    await tool.untilSays(/begins/);
    tool.stopReading("stdout");
    writeFileSync(`${file}.go`, "");
    expect(await tool.ended).toEqual({ code: 1, signal: null });
    expect(await queue.getState(id)).toBe("absent");
    expect(await queue.getJobCounts("active", "completed")).toEqual({ active: 0, completed: 1 });
  });

  it("of what goes wrong ends no worker", async () => {
    const { queue, env } = setup("deaf");
    const file = handlerModule(
      "export default (job) => { console.error('some trouble'); if (job.data.n === 1) throw 1; }",
    );
    const tool = new ToolProcess(["work", "deaf", file], env);
    await tool.untilSays(/working on/);
    tool.stopReading("stderr");
    for (const n of [1, 2, 3]) await queue.add("talk", { n }, { attempts: 1 });
    await expect.poll(() => queue.getJobCounts("completed", "dead"), PATIENCE).toEqual({ completed: 2, dead: 1 });
    tool.signal("SIGTERM");
    expect(await tool.ended).toEqual({ code: 0, signal: null });
  });

  it("of what goes wrong makes no success of a failure", async () => {
    const { env } = setup("mute");
    const tool = new ToolProcess(["job", "mute", "JOB00000000001"], env);
    tool.stopReading("stderr");
    expect(await tool.ended).toEqual({ code: 1, signal: null });
  });
});

describe.skipIf(!existsSync(FULL))("a full disk", () => {
  it("is told in a line, with the exit code of a failure", async () => {
    const { queue, env } = setup("full");
    await queue.add("a", 1);
    const tool = new ToolProcess(["jobs", "full", "pending"], env, { stdout: openFull() });
    expect(await tool.ended).toEqual({ code: 1, signal: null });
    expect(tool.err).toMatch(/^echomq: the output cannot be written: ENOSPC[^\n]*\n$/);
  });

  it("under what goes wrong keeps the exit code", async () => {
    const { env } = setup("full");
    const tool = new ToolProcess(["bogus"], env, { stderr: openFull() });
    expect(await tool.ended).toEqual({ code: 2, signal: null });
  });
});
