/**
 * Stores in folders whose processes are killed, one after another: the parent's side of `folder-child.mjs`.
 *
 * Each process first holds the store against all that those before it were told to be true, and is killed then, or
 * already while it opens what a kill left. The last one only looks.
 */

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect } from "vitest";
import { createRandom } from "../../src/testing/test-ports.ts";
import { type BuiltChild, MEMORY } from "./build-child.ts";

/** Lines after which a process is killed, at most. */
const LINES_MAX = 80;

/** One of so many is killed while it opens the store. */
const KILLED_OPENING = 6;

/** Lives of one folder, before another one begins empty: each life judges all jobs of those before it. */
const FOLDER_LIVES = 10;

/** Folders whose processes live at the same time: while one begins, and while one is buried, another works. */
const FOLDERS_AT_ONCE = 3;

/** What is known of the jobs of one folder. */
interface Ledger {
  readonly added: Set<string>;
  /** Jobs whose end was asked for, and those whose end was acknowledged, with how. */
  readonly ending: Set<string>;
  readonly ended: Map<string, "done" | "dead">;
  /** What a process said that must not be. */
  readonly faults: string[];
}

/** What all lives came to. */
export interface LivesReport {
  readonly added: number;
  readonly ended: number;
  /** How many processes were killed, and how many of them before they had opened the store. */
  readonly killed: number;
  readonly killedOpening: number;
}

export interface LivesOptions {
  readonly child: BuiltChild;
  readonly lives: number;
  readonly seed: number;
  /** Whether the files get the last writes only after they were acknowledged. */
  readonly lies?: boolean;
}

/** Kills `lives` processes, each at a random instant, and has the store judged after each. */
export async function liveAndDie(options: LivesOptions): Promise<LivesReport> {
  const report = { added: 0, ended: 0, killed: 0, killedOpening: 0 };
  let left = options.lives;
  let folders = 0;
  const tend = async (): Promise<void> => {
    while (left > 0) {
      const lives = Math.min(left, FOLDER_LIVES);
      left -= lives;
      const seed = options.seed + folders++;
      await liveInFolder({ ...options, lives, seed }, report).catch((error: unknown) => {
        left = 0;
        throw error;
      });
    }
  };
  // Whatever happens to one folder, no process outlives this.
  const ends = await Promise.allSettled(Array.from({ length: FOLDERS_AT_ONCE }, tend));
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  return report;
}

async function liveInFolder(options: LivesOptions, report: { -readonly [Key in keyof LivesReport]: number }) {
  const { lives, seed, lies } = options;
  const place = mkdtempSync(join(MEMORY, "echomq-lives-"));
  const random = createRandom(seed);
  const ledger: Ledger = { added: new Set(), ending: new Set(), ended: new Map(), faults: [] };
  try {
    for (let life = 0; life < lives; life++) {
      const isOpening = random() * KILLED_OPENING < 1;
      const lines = isOpening ? 1 : 2 + Math.floor(random() * LINES_MAX);
      const told = await liveOnce(options.child, place, {
        ledger,
        life,
        lines,
        kind: lies === true ? "lies" : "works",
      });
      expectNoFaults(ledger, `seed ${seed}, life ${life}`);
      expect(told.signal, `seed ${seed}, life ${life}`).toBe("SIGKILL");
      report.killed++;
      if (!told.isReady) report.killedOpening++;
    }
    const told = await liveOnce(options.child, place, { ledger, life: lives, lines: 1000, kind: "looks" });
    expectNoFaults(ledger, `seed ${seed}, at the end`);
    expect(told, `seed ${seed}, at the end`).toEqual({ isReady: true, signal: null });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
  report.added += ledger.added.size;
  report.ended += ledger.ended.size;
}

function expectNoFaults({ faults }: Ledger, where: string): void {
  if (faults.length > 0) expect.fail(`${where}: ${faults.join("; ")}`);
}

interface Life {
  readonly ledger: Ledger;
  readonly life: number;
  /** The process is killed when it has said so many lines. */
  readonly lines: number;
  readonly kind: "works" | "lies" | "looks";
}

/** How a life went. */
interface Told {
  readonly isReady: boolean;
  readonly signal: NodeJS.Signals | null;
}

async function liveOnce(child: BuiltChild, place: string, { ledger, life, lines, kind }: Life): Promise<Told> {
  const book = join(place, "ledger");
  writeFileSync(book, textOf(ledger));
  const args = [...child.args, join(place, "store"), String(life), book, kind];
  const process = spawn(globalThis.process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let left = lines;
  let isReady = false;
  createInterface({ input: process.stdout }).on("line", (line) => {
    const [event = "", id = ""] = line.split(" ");
    if (event === "ready") isReady = true;
    else note(ledger, event, event === "fault" ? line : id);
    // A while after the last line that was waited for, in the middle of whatever it does then.
    if (--left === 0) process.kill("SIGKILL");
  });
  const signal = await new Promise<NodeJS.Signals | null>((resolve, reject) => {
    process.once("error", reject);
    process.once("close", (_, by) => resolve(by));
  });
  return { isReady, signal };
}

function note({ added, ending, ended, faults }: Ledger, event: string, id: string): void {
  if (event === "opening") return;
  if (event === "added") added.add(id);
  else if (event === "ending") ending.add(id);
  else if (event === "done" || event === "dead") {
    if (ended.has(id)) faults.push(`${id} is ${event} and was ended before`);
    ended.set(id, event);
  } else faults.push(event === "fault" ? id : `a process said ${event} ${id}`);
}

/** What each job may be by now. */
function textOf({ added, ending, ended }: Ledger): string {
  let text = "";
  for (const id of new Set([...added, ...ending])) {
    const end = ended.get(id);
    const states = end === "done" ? "absent" : end === "dead" ? "dead" : ending.has(id) ? ANY : "pending,active";
    text += `${id} ${states}\n`;
  }
  return text;
}

const ANY = "absent,pending,active,dead";
