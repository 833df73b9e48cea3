/**
 * The launcher: a server answers when it is said to have started, and nothing of it is left afterwards.
 */

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { type ServerOptions, startServer } from "./start-server.ts";
import { whyNoRedis } from "./use-server.ts";

async function setup(options: ServerOptions = {}) {
  const server = await startServer(options);
  onTestFinished(() => server.stop());
  return server;
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe("startServer", () => {
  it("answers on its socket as soon as it has started, and is gone with its folder after stop", async () => {
    const server = await setup();
    const { pid, socketPath } = server;
    expect(await server.command("PING")).toBe("PONG");
    expect(server.url).toBe(`unix:${socketPath}`);

    await server.stop();
    expect(isAlive(pid)).toBe(false);
    expect(existsSync(dirname(socketPath))).toBe(false);
    await server.stop();
  });

  it("starts a Valkey of version 8.0 or later", async () => {
    const server = await setup();
    const info = String(await server.command("INFO", "server"));
    const version = /valkey_version:(\d+)/.exec(info)?.[1];
    expect(Number(version)).toBeGreaterThanOrEqual(8);
  });

  it("listens on a loopback port of its own when asked to", async () => {
    const [one, two] = await Promise.all([setup({ tcp: true }), setup({ tcp: true })]);
    expect(one.url).toBe(`valkey://127.0.0.1:${one.port}`);
    expect(one.port).not.toBe(two.port);
  });

  it("passes its password and returns bytes as they are", async () => {
    const server = await setup({ config: { requirepass: "open sesame" } });
    const bytes = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join("");
    await server.command("SET", "k", bytes);
    expect(await server.command("GET", "k")).toBe(bytes);
  });

  it("keeps data over a crash when the configuration says so", async () => {
    const server = await setup({ config: { appendonly: "yes", appendfsync: "always" } });
    await server.command("SET", "k", "v");
    const { pid } = server;
    await server.kill();
    expect(server.isRunning).toBe(false);
    await server.restart();
    expect(server.pid).not.toBe(pid);
    expect(await server.command("GET", "k")).toBe("v");
  });

  it("does not answer while frozen and does after a thaw", async () => {
    const server = await setup();
    server.freeze();
    let hasAnswered = false;
    const client = await server.client();
    const answer = client.command("PING").then((reply) => {
      hasAnswered = true;
      return reply;
    });
    // A round trip through another server is longer than one through this one would have been.
    const other = await setup();
    await other.command("PING");
    expect(hasAnswered).toBe(false);
    server.thaw();
    expect(await answer).toBe("PONG");
    client.close();
  });

  it("stops a frozen server", async () => {
    const server = await setup();
    const { pid } = server;
    server.freeze();
    await server.stop();
    expect(isAlive(pid)).toBe(false);
  });

  it("says what the server wrote when it cannot start", async () => {
    await expect(startServer({ config: { "no-such-setting": "1" } })).rejects.toThrow(/the server ended at once/);
  });

  it("is ended by its watcher when the process that started it is killed", async () => {
    const module = fileURLToPath(new URL("start-server.ts", import.meta.url));
    // Node.js 20 runs no TypeScript by itself, so the child loads the launcher through vite.
    const program = `
      import { runnerImport } from "vite";
      const { module } = await runnerImport(${JSON.stringify(module)});
      const server = await module.startServer();
      console.log(server.pid + " " + server.socketPath);
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    const line = await new Promise<string>((resolve) => child.stdout.once("data", (text) => resolve(String(text))));
    const [pid, socketPath] = line.trim().split(" ") as [string, string];
    expect(isAlive(Number(pid))).toBe(true);

    child.kill("SIGKILL");
    await vi.waitFor(() => {
      expect(isAlive(Number(pid))).toBe(false);
      expect(existsSync(dirname(socketPath))).toBe(false);
    }, 10_000);
  });
});

describe.skipIf(whyNoRedis() !== undefined)("startServer for Redis", () => {
  it("starts a Redis of version 7.0 or later", async () => {
    const server = await setup({ kind: "redis", tcp: true });
    expect(server.url).toBe(`redis://127.0.0.1:${server.port}`);
    const version = /redis_version:(\d+)/.exec(String(await server.command("INFO", "server")))?.[1];
    expect(Number(version)).toBeGreaterThanOrEqual(7);
  });
});
