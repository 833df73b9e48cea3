/**
 * A process that opens a folder, writes to it and closes it as it is told, and that stops or dies in the middle of a
 * chosen file operation. It runs on the built package.
 *
 * Its one argument is JSON: `folder`; `lateFile`, whose number of ms is added to its clock, so that a test can say how
 * long it was held up; `space`, to be a process of another machine or container as far as anybody can tell; `fsync`;
 * and `at`: the operation (`operations` below), the how manieth of them, and the signal that it then sends itself.
 *
 * It reads one word a line and answers each with one line, written past every buffer: `open` with `opened` or
 * `refused CODE PID`; `load`, which writes a key at a time until it may no longer, with `wrote KEY` for each and
 * `failed CODE`; `write KEY` with `wrote KEY` or `failed CODE`; `read KEY` with `value TEXT`; `close` with `closed` or
 * `failed CODE`; `stop`, which stops it, with `went on`. Before it signals itself in an operation it writes `at`.
 */

import { readFileSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { EmbeddedEngine } from "../../dist/embedded/embedded-engine.js";
import { nodeFileLayer } from "../../dist/node-file-layer.js";
import { nodePorts } from "../../dist/node-ports.js";

const { folder, lateFile, space, fsync, at } = JSON.parse(process.argv[2]);
const say = (...words) => writeSync(1, `${words.join(" ")}\n`);
const LOADED_KEYS = 50;

let left = at?.count ?? 0;
/** Before an operation: signals this process when it is the chosen one. */
const pass = (operation) => {
  if (operation !== at?.operation || --left !== 0) return;
  say("at");
  process.kill(process.pid, at.signal);
};

const kindOf = (path) => /(snapshot|journal|lock)-[^/]*$/.exec(path)?.[1] ?? "other";

const operations = (layer) => ({
  ...layer,
  process: { ...layer.process, ...(space === undefined ? {} : { space }) },
  open: (path, mode) => {
    const kind = kindOf(path);
    if (mode !== "read") pass(`${mode} ${kind}`);
    const file = layer.open(path, mode);
    return {
      size: () => file.size(),
      read: (target, offset) => file.read(target, offset),
      write: (bytes, span) => {
        pass(`append ${kind}`);
        return file.write(bytes, span);
      },
      truncate: (size) => file.truncate(size),
      sync: async () => {
        pass(`sync ${kind}`);
        await file.sync();
      },
      syncNow: () => file.syncNow(),
      close: () => file.close(),
    };
  },
  rename: (from, to) => {
    pass(`rename ${kindOf(to)}`);
    layer.rename(from, to);
  },
  remove: (path) => {
    pass(`remove ${kindOf(path)}`);
    layer.remove(path);
  },
  writeText: (path, text) => {
    pass(`text ${kindOf(path)}`);
    layer.writeText(path, text);
  },
});

const ports = nodePorts();
const clock = { ...ports.clock, now: () => ports.clock.now() + Number(readFileSync(lateFile, "utf8")) };
const logger = { debug() {}, info() {}, warn() {}, error() {} };

let engine;

const commands = {
  open: async () => {
    const store = { layer: operations(nodeFileLayer()), folder, fsync, compactBytesMin: 30_000 };
    try {
      engine = await EmbeddedEngine.open({ ports: { ...ports, clock, logger }, store });
      say("opened");
    } catch (error) {
      say("refused", error.code, error.details?.pid);
    }
  },
  write: async (key) => {
    try {
      await engine.command(["INCR", key]);
      say("wrote", key);
      return true;
    } catch (error) {
      say("failed", error.code);
      return false;
    }
  },
  load: async () => {
    for (let number = 0; ; number++) {
      // Rows that make the journals outgrow a snapshot again and again.
      const row = ["SET", `row${number % LOADED_KEYS}`, "x".repeat(1000)];
      await engine.command(row).catch(() => undefined);
      if (!(await commands.write(`key${number}`))) return;
    }
  },
  read: async (key) => say("value", await engine.command(["GET", key])),
  close: async () => {
    try {
      await engine.close();
      say("closed");
    } catch (error) {
      say("failed", error.code);
    }
  },
  stop: () => {
    process.kill(process.pid, "SIGSTOP");
    say("went on");
  },
};

say("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const [name, argument] = line.split(" ");
  await commands[name](argument);
}
