/**
 * The one server that all runs share: a process of its own on a free loopback port, without persistence.
 *
 * It ends with the bench, however that ends: by `stop`, or when the standard input of its watcher closes because this
 * process is gone.
 */

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { findServer } from "../scripts/server/find-server.mjs";

const READY_MS_MAX = 30_000;

/**
 * What makes a server that has served a run like a new one. Without the second word of the first it frees what was
 * there while the next run is measured; a run that has the server log every act leaves it slower and larger than it
 * was.
 */
const RENEWAL = ["FLUSHALL SYNC", "CONFIG SET slowlog-log-slower-than 10000 slowlog-max-len 128", "SLOWLOG RESET"];

/**
 * Starts the server, with further words on its command line, and resolves when it answers.
 *
 * @param words Further words of its command line.
 * @param under A program and its words under which it runs, as valgrind.
 */
export async function startBenchServer(words = [], under = []) {
  const { path, version } = findServer();
  const folder = mkdtempSync(join(tmpdir(), "echomq-bench-"));
  const port = await freePort();
  const settings = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder];
  const [program, ...rest] = [...under, path, ...settings, ...words];
  const running = await launch(program, rest, { port, folder });
  const flush = async () => {
    for (const line of RENEWAL) await ask(port, line);
  };
  return { ...running, version, flush, command: (line) => ask(port, line) };
}

/** Starts `echomq serve`, in memory, as a process of its own, and resolves when it answers. */
export async function startServe() {
  const folder = mkdtempSync(join(tmpdir(), "echomq-bench-"));
  const port = await freePort();
  const program = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
  return await launch(process.execPath, [program, "serve", "--port", String(port)], { port, folder });
}

/** Runs a server that has a folder for itself, which goes with it, and resolves when it answers. */
async function launch(program, words, { port, folder }) {
  const child = spawn(program, words, { stdio: "ignore", cwd: folder });
  await once(child, "spawn");
  const watcher = watch(child.pid, folder);
  await untilReady(port, child);
  return {
    url: `valkey://127.0.0.1:${port}`,
    pid: child.pid,
    stop: async () => {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
      watcher.kill("SIGKILL");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Binds a running process to cores; does nothing where the system has no `taskset`. */
export function pin(pid, cores) {
  try {
    execFileSync("taskset", ["-a", "-c", "-p", cores, String(pid)], { stdio: "ignore" });
  } catch {
    // Chance then decides where it runs, as for everything else on this machine.
  }
}

function watch(pid, folder) {
  const script = 'trap "" INT TERM HUP; read -r _; kill -9 "$1" 2>/dev/null; rm -rf "$2"';
  const watcher = spawn("sh", ["-c", script, "watch", String(pid), folder], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  watcher.unref();
  watcher.stdin.unref();
  return watcher;
}

async function untilReady(port, child) {
  const deadline = performance.now() + READY_MS_MAX;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the server ended at once with code ${child.exitCode}`);
    if (await ask(port, "PING").catch(() => false)) return;
    await pause(20);
  }
  child.kill("SIGKILL");
  throw new Error(`the server did not answer within ${READY_MS_MAX} ms`);
}

/** Sends one inline command and resolves to whether the answer was no error. */
function ask(port, command) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(`${command}\r\n`));
    socket.once("data", (data) => {
      socket.destroy();
      resolve(data.toString().startsWith("+"));
    });
    socket.once("error", reject);
  });
}

async function freePort() {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address();
  probe.close();
  await once(probe, "close");
  return port;
}
