/** `echomq work` as a process, under the signals of a supervisor. */

import { createServer } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { Jobs } from "../../../src/queue/jobs.ts";
import { QueueCore } from "../../../src/queue/queue.ts";
import { startServer } from "../../server/start-server.ts";
import { useServer } from "../../server/use-server.ts";
import { openEngine, until } from "../valkey/setup-engine.ts";
import { handlerModule, ToolProcess } from "./tool-process.ts";

const server = useServer({ tcp: true });

/** Says when it begins, then takes its time, whatever is asked of it. */
const SLOW = `
export default async (job) => {
  console.log("begins " + job.id);
  await new Promise((resolve) => setTimeout(resolve, job.data.ms));
  return "done";
};
`;

function setup(name: string, text = SLOW) {
  const engine = openEngine({ connection: server().url });
  const queue = new QueueCore(name, { engine, release: () => Promise.resolve() });
  const module = handlerModule(text);
  const env = { ECHOMQ_URL: server().url };
  const work = (...rest: readonly string[]) => new ToolProcess(["work", name, module, ...rest], env);
  return { queue, jobs: new Jobs(engine), work };
}

describe("SIGTERM", () => {
  it("finishes the job in hand, takes no other and leaves nothing leased", async () => {
    const { queue, work } = setup("sigterm");
    const first = await queue.add("slow", { ms: 300 });
    const second = await queue.add("slow", { ms: 300 });
    const tool = work();
    await tool.untilSays(new RegExp(`begins ${first.id}`));
    tool.signal("SIGTERM");
    expect(await tool.ended).toEqual({ code: 0, signal: null });
    expect(tool.out).toContain("closed  completed 1, retries 0, dead 0");
    expect(tool.err).toBe("");
    expect(await queue.getState(first.id)).toBe("absent");
    expect(await queue.getState(second.id)).toBe("pending");
    expect(await queue.getJobCounts("active", "completed", "pending")).toEqual({ active: 0, completed: 1, pending: 1 });
  });

  it("gives back at the deadline what does not end, without spending an attempt", async () => {
    const { queue, work } = setup("deadline");
    const { id } = await queue.add("slow", { ms: 60_000 });
    const tool = work("--timeout", "100ms");
    await tool.untilSays(/begins/);
    tool.signal("SIGTERM");
    expect(await tool.ended).toEqual({ code: 0, signal: null });
    expect(await queue.getJob(id)).toMatchObject({ state: "pending", deferred: 1 });
    expect(await queue.getJobCounts("active")).toEqual({ active: 0 });
  });

  it("ends a process that the module would hold open", async () => {
    const { queue, work } = setup("held", `setInterval(() => {}, 1000);\n${SLOW}`);
    await queue.add("slow", { ms: 1 });
    const tool = work();
    await until(async () => (await queue.getJobCounts("completed")).completed === 1);
    tool.signal("SIGTERM");
    expect(await tool.ended).toEqual({ code: 0, signal: null });
  });

  it("a second time ends at once", async () => {
    const { queue, work } = setup("twice");
    await queue.add("slow", { ms: 60_000 });
    const tool = work("--health", "0");
    const url = await tool.untilSays(/http:\S+/);
    await tool.untilSays(/begins/);
    tool.signal("SIGTERM");
    await until(async () => (await (await fetch(url)).text()).includes("the worker is closing"));
    tool.signal("SIGTERM");
    expect(await tool.ended).toEqual({ code: 130, signal: null });
  });
});

describe("Ctrl-C", () => {
  it("finishes the job in hand and ends with 130", async () => {
    const { queue, work } = setup("sigint", SLOW.replace("console.log", "console.error"));
    await queue.add("slow", { ms: 200 });
    const tool = work("--json");
    await tool.untilSays(/begins/);
    tool.signal("SIGINT");
    expect(await tool.ended).toEqual({ code: 130, signal: null });
    expect(JSON.parse(tool.out)).toMatchObject({ queue: "sigint", signal: "SIGINT", completed: 1 });
    expect(await queue.getJobCounts("active")).toEqual({ active: 0 });
  });
});

describe("health", () => {
  it("follows the server: 503 with the reason while it is away, 200 again afterwards", async () => {
    const own = await startServer({ tcp: true });
    onTestFinished(() => own.stop());
    const tool = new ToolProcess(["work", "q", handlerModule(SLOW), "--health", "0"], { ECHOMQ_URL: own.url });
    const url = await tool.untilSays(/http:\S+/);
    await until(async () => (await fetch(url)).status === 200);
    await own.kill();
    await until(async () => (await fetch(url)).status === 503);
    const report = (await (await fetch(url)).json()) as { status: string; reason: string };
    expect(report.status).toBe("unavailable");
    expect(report.reason).toMatch(/there is no connection to the server, it last answered at 2/);
    // A restart would not bring the server back.
    expect((await fetch(url.replace("healthz", "livez"))).status).toBe(200);
    await own.restart();
    await until(async () => (await fetch(url)).status === 200);
    tool.signal("SIGTERM");
    expect((await tool.ended).code).toBe(0);
  });

  it("on a port that is in use ends with a code before a job is taken", async () => {
    const { queue, work } = setup("port");
    const { id } = await queue.add("slow", { ms: 1 });
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void other.close());
    const address = other.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const tool = work("--health", String(port), "--json");
    expect((await tool.ended).code).toBe(1);
    expect(JSON.parse(tool.out)).toMatchObject({ error: { code: "port_in_use" } });
    expect(await queue.getJob(id)).toMatchObject({ state: "pending", attempts: 0 });
  });
});

describe("a server that will never serve the worker", () => {
  it("ends it with the code", async () => {
    const own = await startServer({ tcp: true, config: { requirepass: "secret" } });
    onTestFinished(() => own.stop());
    const url = own.url.replace("//", "//:wrong@");
    const tool = new ToolProcess(["work", "q", handlerModule(SLOW)], { ECHOMQ_URL: url });
    expect((await tool.ended).code).toBe(1);
    expect(tool.err).toContain("[auth]");
    expect(tool.err + tool.out).not.toContain("wrong");
  });
});
