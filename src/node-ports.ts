/**
 * The outside world as Node.js gives it: clock, timers, chance, ticks, a log on standard error.
 *
 * Both engines run on it unless a caller brings ports of its own. Everything is reached through the global object, so
 * that this file also loads in a browser, where the nearest thing of the same meaning is taken.
 */

import type { Clock, Logger, Ports, Timer } from "./engine/ports.ts";

/** Longest delay of one timer; beyond it Node.js fires at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** Parts of the platform that a browser lacks. */
interface Platform {
  readonly process?: {
    readonly pid?: number;
    readonly stderr?: { write(line: string): unknown };
    nextTick?(action: () => void): void;
    getBuiltinModule?(name: string): { hostname?(): string } | undefined;
  };
  setImmediate?(action: () => void): unknown;
  readonly MessageChannel: new () => {
    readonly port1: { onmessage: (() => void) | null };
    readonly port2: { postMessage(message: null): void };
  };
}

const platform = globalThis as unknown as Platform;

const clock: Clock = {
  now: () => Date.now(),
  after(ms, action, options) {
    let handle: unknown;
    const wait = (leftMs: number): void => {
      const stepMs = Math.min(Math.max(leftMs, 0), TIMER_MS_MAX);
      handle = setTimeout(() => (leftMs > stepMs ? wait(leftMs - stepMs) : action()), stepMs);
      if (options?.background === true) (handle as { unref?(): void }).unref?.();
    };
    wait(ms);
    return { cancel: () => clearTimeout(handle as Parameters<typeof clearTimeout>[0]) } satisfies Timer;
  },
};

/** One line a step on standard error. What is only of use to who builds EchoMQ (`debug`) is left out. */
const logger: Logger = {
  debug() {},
  info: (message, fields) => write("info", message, fields),
  warn: (message, fields) => write("warn", message, fields),
  error: (message, fields) => write("error", message, fields),
};

/** Characters of the host's name that are kept, its last: those of one fleet begin alike. */
const HOST_MAX = 24;

/**
 * `host:pid:boot`; the last part tells two processes apart that had the same number one after the other. It is short:
 * with it as `owner`, a row stays below the 64 bytes a value up to which a server keeps small hashes small.
 */
const processName = [
  platform.process?.getBuiltinModule?.("node:os")?.hostname?.().slice(-HOST_MAX) ?? "browser",
  platform.process?.pid ?? 0,
  Math.floor(Math.random() * 2 ** 40).toString(36),
].join(":");

/** The ports that this process has unless it is given others. Every call gives a fresh value with the same name. */
export function nodePorts(): Ports {
  return {
    clock,
    random: () => Math.random(),
    // A browser's function wants the global object for its `this`, so it is never handed on as it is.
    soon: platform.process?.nextTick?.bind(platform.process) ?? ((action) => queueMicrotask(action)),
    later: platform.setImmediate?.bind(globalThis) ?? laterByMessage(),
    logger,
    processName,
  };
}

/**
 * `later` of a browser: a message to ourselves. A zero timer would take 4 ms there when one follows another, and a
 * second in a tab that nobody looks at.
 */
function laterByMessage(): (action: () => void) => void {
  const actions: (() => void)[] = [];
  const { port1, port2 } = new platform.MessageChannel();
  port1.onmessage = () => actions.shift()?.();
  return (action) => {
    actions.push(action);
    port2.postMessage(null);
  };
}

function write(level: string, message: string, fields: Record<string, unknown> = {}): void {
  const facts = Object.entries(fields).map(([name, value]) => ` ${name}=${shown(value)}`);
  const line = `echomq ${level}: ${message}${facts.join("")}`.replaceAll(/\r?\n/g, " ");
  const stderr = platform.process?.stderr;
  if (stderr === undefined) console.error(line);
  else stderr.write(`${line}\n`);
}

function shown(value: unknown): string {
  if (value instanceof Error) return value.message;
  return typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
}
