/**
 * A store in a folder whose processes are killed, one after another: the parent's side of `folder-child.mjs`, and the
 * judgement after each death.
 */

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { EmbeddedEngine } from "../../src/embedded/embedded-engine.ts";
import { nodeFileLayer } from "../../src/node-file-layer.ts";
import { nodePorts } from "../../src/node-ports.ts";
import { Jobs } from "../../src/queue/jobs.ts";
import { checkInvariants } from "../../src/testing/invariants.ts";
import { createRandom, RecordingLogger } from "../../src/testing/test-ports.ts";

const child = fileURLToPath(new URL("folder-child.mjs", import.meta.url));
const QUEUE = "q";

/** What a killed process leaves is with the system, so no device is needed; one would only be slow. */
const MEMORY = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** Lines after which a process is killed, at most. */
const LINES_MAX = 120;

/** What is known of all lives. */
interface Ledger {
  readonly added: Set<string>;
  /** Jobs whose end was asked for, and those whose end was acknowledged, with how. */
  readonly ending: Set<string>;
  readonly ended: Map<string, "done" | "dead">;
  /** What a process said that it must not say. */
  readonly faults: string[];
}

/** What all lives came to. */
export interface LivesReport {
  readonly added: number;
  readonly ended: number;
}

/** Kills `lives` processes of one folder, each at a random instant of its work, and judges the store after each. */
export async function liveAndDie(lives: number, seed: number): Promise<LivesReport> {
  const folder = mkdtempSync(join(MEMORY, "echomq-lives-"));
  const random = createRandom(seed);
  const ledger: Ledger = { added: new Set(), ending: new Set(), ended: new Map(), faults: [] };
  try {
    for (let life = 0; life < lives; life++) {
      await liveOnce(folder, life, { ledger, lines: 1 + Math.floor(random() * LINES_MAX) });
      await judge(folder, ledger, `seed ${seed}, life ${life}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { added: ledger.added.size, ended: ledger.ended.size };
}

async function liveOnce(
  folder: string,
  life: number,
  { ledger, lines }: { readonly ledger: Ledger; readonly lines: number },
): Promise<void> {
  const process = spawn("node", [child, folder, String(life)], { stdio: ["ignore", "pipe", "inherit"] });
  let left = lines;
  let isReady = false;
  const reading = createInterface({ input: process.stdout });
  reading.on("line", (line) => {
    const [event = "", id = ""] = line.split(" ");
    if (event === "ready") isReady = true;
    else note(ledger, event, id);
    // A while after the last line that was waited for, in the middle of whatever it does then.
    if (left-- === 0) process.kill("SIGKILL");
  });
  const signal = await new Promise<NodeJS.Signals | null>((resolve, reject) => {
    process.once("error", reject);
    process.once("close", (_, by) => resolve(by));
  });
  expect([isReady, signal]).toEqual([true, "SIGKILL"]);
}

function note({ added, ending, ended, faults }: Ledger, event: string, id: string): void {
  if (event === "added") added.add(id);
  else if (event === "ending") ending.add(id);
  else if (event === "done" || event === "dead") {
    if (ended.has(id)) faults.push(`${id} is ${event} and was ended before`);
    ended.set(id, event);
  } else faults.push(`a process said ${event} ${id}`);
}

async function judge(folder: string, { added, ending, ended, faults }: Ledger, where: string): Promise<void> {
  expect(faults, where).toEqual([]);
  const ports = { ...nodePorts(), logger: new RecordingLogger() };
  const store = { layer: nodeFileLayer(), folder, fsync: "always" } as const;
  const engine = await EmbeddedEngine.open({ ports, store });
  try {
    const jobs = new Jobs(engine);
    for (const id of added) {
      const state = await jobs.getState(QUEUE, id);
      const end = ended.get(id);
      const wanted: readonly string[] =
        end === "done" ? ["absent"] : end === "dead" ? ["dead"] : ending.has(id) ? ANY : ["pending", "active"];
      if (!wanted.includes(state)) expect.fail(`${where}: ${id} is ${state}, not ${wanted.join(" or ")}`);
    }
    expect(await checkInvariants(engine, QUEUE), where).toEqual([]);
    // What was claimed by the dead is nobody's: the next process may have it.
    for (const id of ending) {
      if (!ended.has(id) && (await jobs.getState(QUEUE, id)) === "active") await endAsLapsed(jobs, id);
    }
  } finally {
    await engine.close();
  }
}

const ANY = ["absent", "pending", "active", "dead"];

/** Gives a job of a dead process back, by its own token, as a sweep would at the end of its lease. */
async function endAsLapsed(jobs: Jobs, id: string): Promise<void> {
  const row = await jobs.getRow(QUEUE, id);
  await jobs.giveBack(QUEUE, id, Number(row?.get("attempts") ?? 0));
}
