/** Engines over a disk in memory, and everything that such an engine holds. */

import { EmbeddedEngine } from "../../../../src/embedded/embedded-engine.ts";
import { BEAT_MS } from "../../../../src/embedded/journal/folder-lock.ts";
import type { StoreOptions } from "../../../../src/embedded/journal/store-opening.ts";
import type { Engine, Reply } from "../../../../src/engine/engine.ts";
import { createTestPorts, type TestPorts } from "../../../../src/testing/test-ports.ts";
import { MemoryFiles } from "./memory-files.ts";

export const FOLDER = "/store";

export interface OpenedStore {
  readonly engine: EmbeddedEngine;
  readonly files: MemoryFiles;
  readonly ports: TestPorts;
}

/** Opens the store of a disk, by default an empty one, in a process of its own. */
export async function openStore(
  files: MemoryFiles = new MemoryFiles(),
  store: Partial<StoreOptions> = {},
  ports: TestPorts = createTestPorts(),
): Promise<OpenedStore> {
  const opening = EmbeddedEngine.open({ ports, store: { layer: files.layer(), folder: FOLDER, ...store } });
  return { engine: await whileTimePasses(ports, opening), files, ports };
}

/** What a promise resolves to that may wait for the silence of an owner whose lock the device has only half. */
async function whileTimePasses<Result>(ports: TestPorts, promise: Promise<Result>): Promise<Result> {
  const state = { isSettled: false };
  const settle = () => {
    state.isSettled = true;
  };
  promise.then(settle, settle);
  // A task more than the microtasks that an opening takes; time passes only for one that waits for it.
  await new Promise((resolve) => setImmediate(resolve));
  while (!state.isSettled) await ports.clock.advance(BEAT_MS);
  return await promise;
}

/** Every key of an engine with its type, its value and when it expires, in byte order. */
export async function everything(engine: Engine): Promise<Record<string, unknown>> {
  const keys = [...((await engine.command(["KEYS", "*"])) as string[])].sort();
  const all: Record<string, unknown> = {};
  for (const key of keys) {
    const type = String(await engine.command(["TYPE", key]));
    const expiry = await engine.command(["PEXPIRETIME", key]);
    all[key] = [type, expiry, await content(engine, key, type)];
  }
  return all;
}

async function content(engine: Engine, key: string, type: string): Promise<unknown> {
  const ask = async (...parts: string[]): Promise<Reply> => await engine.command(parts);
  switch (type) {
    case "string":
      return await ask("GET", key);
    case "hash":
      return await hashContent(engine, key);
    case "list":
      return await ask("LRANGE", key, "0", "-1");
    case "set":
      return [...((await ask("SMEMBERS", key)) as string[])].sort();
    case "zset":
      return await ask("ZRANGE", key, "0", "-1", "WITHSCORES");
    default:
      return await streamContent(engine, key);
  }
}

async function hashContent(engine: Engine, key: string): Promise<unknown> {
  const flat = (await engine.command(["HGETALL", key])) as string[];
  const fields = flat.filter((_, at) => at % 2 === 0).sort();
  const rows: unknown[] = [];
  for (const field of fields) {
    const expiry = await engine.command(["HPTTL", key, "FIELDS", "1", field]);
    rows.push([field, flat[flat.indexOf(field) + 1], expiry]);
  }
  return rows;
}

async function streamContent(engine: Engine, key: string): Promise<unknown> {
  const entries = await engine.command(["XRANGE", key, "-", "+"]);
  const groups = (await engine.command(["XINFO", "GROUPS", key])) as Reply[][];
  const pending: unknown[] = [];
  for (const group of groups) pending.push(await engine.command(["XPENDING", key, String(group[1]), "-", "+", "1000"]));
  return { entries, groups, pending };
}
