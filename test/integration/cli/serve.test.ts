/** `echomq serve` as a process: what it keeps, whom it lets in, and how it ends. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Queue } from "../../../src/index.ts";
import { WireClient } from "../../server/wire-client.ts";
import { ToolProcess } from "./tool-process.ts";

function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "echomq-serve-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function serve(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const tool = new ToolProcess(["serve", ...args], env);
  const url = (await tool.untilSays(/ at \S+/)).slice(" at ".length).replace(/;$/, "");
  return { tool, url };
}

describe("a server in memory", () => {
  it("serves on a free port and ends at SIGTERM with its clients", async () => {
    const { tool, url } = await serve(["--port", "0"]);
    const queue = new Queue("mail", { connection: url });
    expect((await queue.add("a", {})).outcome).toBe("added");
    await queue.close();
    const client = await WireClient.connect(Number(new URL(url).port));
    onTestFinished(() => client.close());
    const waited = client.command("BLPOP", "list", "0").catch((error: Error) => error.message);
    tool.signal("SIGTERM");
    expect(await tool.ended).toEqual({ code: 0, signal: null });
    expect(await waited).toMatch(/closed|ECONNRESET/);
    expect(tool.err).toBe("");
    expect(tool.out).toContain("serving memory: at redis://127.0.0.1:");
  });

  it("tells as JSON where it listens, at a socket, and ends at Ctrl-C by its code", async () => {
    const path = join(tempFolder(), "jobs.sock");
    const tool = new ToolProcess(["serve", "--socket", path, "--json"], {});
    await tool.untilSays(/\n/);
    expect(JSON.parse(tool.out)).toEqual({ url: `unix:${path}`, port: 0, store: "memory:" });
    const client = await WireClient.connect(path);
    expect(await client.command("PING")).toBe("PONG");
    client.close();
    tool.signal("SIGINT");
    expect(await tool.ended).toEqual({ code: 130, signal: null });
  });
});

describe("a server over a folder", () => {
  it("has after being killed what it had acknowledged", async () => {
    const folder = join(tempFolder(), "store");
    const first = await serve(["--file", folder, "--fsync", "always", "--port", "0"]);
    const queue = new Queue("mail", { connection: first.url });
    const jobs = await queue.addBulk(Array.from({ length: 100 }, (_, at) => ({ name: "n", data: { at } })));
    await queue.close();
    first.tool.signal("SIGKILL");
    await first.tool.ended;
    const second = await serve(["--file", folder, "--port", "0"]);
    const again = new Queue("mail", { connection: second.url });
    expect(await again.getState(jobs.at(-1)?.id ?? "")).toBe("pending");
    expect(await again.count()).toBe(100);
    await again.close();
    const third = new ToolProcess(["serve", "--file", folder, "--port", "0"], {});
    expect(await third.ended).toEqual({ code: 1, signal: null });
    expect(third.err).toContain("[folder_in_use]");
    second.tool.signal("SIGTERM");
    expect(await second.tool.ended).toEqual({ code: 0, signal: null });
  });
});

describe("a password", () => {
  it("comes from a file or from the environment", async () => {
    const file = join(tempFolder(), "password");
    writeFileSync(file, "secret\nand more\n");
    for (const [args, env] of [
      [["--password-file", file], {}],
      [[], { ECHOMQ_SERVE_PASSWORD: "secret" }],
    ] as const) {
      const { tool, url } = await serve([...args, "--port", "0"], env);
      const client = await WireClient.connect(Number(new URL(url).port));
      await expect(client.command("PING")).rejects.toThrow("NOAUTH");
      expect(await client.command("AUTH", "secret")).toBe("OK");
      expect(await client.command("PING")).toBe("PONG");
      client.close();
      expect(url).not.toContain("secret");
      tool.signal("SIGTERM");
      expect((await tool.ended).code).toBe(0);
    }
  });
});
