/**
 * Runs of a course on a disk that breaks, and the judgement of what is there afterwards.
 */

import { expect } from "vitest";
import { EmbeddedEngine } from "../../../../src/embedded/embedded-engine.ts";
import { BEAT_MS, SILENCE_MS } from "../../../../src/embedded/journal/folder-lock.ts";
import type { FsyncMode } from "../../../../src/embedded/journal/journal-start.ts";
import { isEchoMQError } from "../../../../src/protocol/errors.ts";
import { checkInvariants } from "../../../../src/testing/invariants.ts";
import { createTestPorts, type TestPorts } from "../../../../src/testing/test-ports.ts";
import { follow, historyOf, type Step, textOf } from "./course.ts";
import { type Choose, type DiskFault, type DiskOperation, everyWay, TornDisk } from "./torn-disk.ts";

const FOLDER = "/store";

/** How a run is made. */
export interface RunPlan {
  readonly course: readonly Step[];
  readonly fsync: FsyncMode;
  /** Bytes of journals with which a snapshot is written. */
  readonly compactBytesMin: number;
  /** Power cuts that are tried at each operation, at most. */
  readonly cutsMax: number;
  /** Where the cuts are drawn at random; else all are gone through, up to `cutsMax`. */
  readonly random?: () => number;
  /** The disk says of every sync that it is done, and does nothing. */
  readonly lies?: boolean;
}

/** What a broken disk looked like. */
interface Image {
  readonly disk: TornDisk;
  readonly how: string;
  /** Calls that must be there. */
  readonly least: number;
  readonly now: number;
}

/** What was tried. */
export interface RunReport {
  readonly operations: number;
  readonly images: number;
  /** Whether every way was gone through at every operation. */
  readonly isExhaustive: boolean;
}

/**
 * Opens the store of a disk. A lock whose text a power cut has torn names nobody, so it is watched for a while before
 * it counts as given up: the clock is moved on then.
 */
export async function openOn(
  disk: TornDisk,
  plan: Pick<RunPlan, "fsync" | "compactBytesMin">,
  ports: TestPorts,
): Promise<EmbeddedEngine> {
  const { fsync, compactBytesMin } = plan;
  const store = { layer: disk.layer(), folder: FOLDER, fsync, compactBytesMin };
  let isOver = false;
  const opening = EmbeddedEngine.open({ ports, store }).finally(() => {
    isOver = true;
  });
  opening.catch(() => undefined);
  await ports.clock.settle();
  if (!isOver) await ports.clock.advance(SILENCE_MS + BEAT_MS);
  return await opening;
}

/**
 * Follows the course once and breaks off before each operation of the disk: by a kill, and by power cuts. Each outcome
 * is opened, and must hold what the course held after one of its calls: after all that were answered, or with a power
 * cut and not `always`, any of them. It must be sound, and go on.
 */
export async function breakEverywhere(plan: RunPlan): Promise<RunReport> {
  const history = await historyOf(plan.course);
  const images = new Map<string, Image>();
  const report = await gather(plan, images);
  const judged = new Set<string>();
  let number = 0;
  for (const image of images.values()) await judge(plan, image, { history, judged, mustGoOn: number++ % 5 === 0 });
  return { ...report, images: images.size };
}

async function gather(plan: RunPlan, images: Map<string, Image>): Promise<Omit<RunReport, "images">> {
  const { course, fsync, cutsMax, random } = plan;
  const disk = new TornDisk();
  const ports = createTestPorts();
  let answered = 0;
  let isExhaustive = random === undefined;
  const add = (broken: TornDisk, how: string, least: number) => {
    const key = `${least} ${broken.content}`;
    if (!images.has(key)) images.set(key, { disk: broken, how, least, now: ports.clock.now() });
  };
  const engine = await openOn(disk, plan, ports);
  const opened = disk.operations;
  disk.plan = (operation, path) => {
    const place = `before operation ${disk.operations - opened}, ${operation} of ${path}`;
    add(disk.afterKill(), `killed ${place}`, answered);
    const cut = (choose: Choose) => {
      const ways: number[] = [];
      const noted: Choose = (count) => {
        const way = choose(count);
        ways.push(way);
        return way;
      };
      const broken = disk.afterPowerCut(noted);
      add(broken, `cut ${place}, in the way ${ways.join(".")}`, fsync === "always" ? answered : 0);
    };
    if (random === undefined) isExhaustive = everyWay(cutsMax, cut) && isExhaustive;
    else for (let at = 0; at < cutsMax; at++) cut((count) => Math.floor(random() * count));
    return plan.lies === true && operation === "sync" ? "lie" : undefined;
  };
  await follow(engine, ports, course, (_, error) => {
    if (error !== undefined) throw error;
    answered += 1;
  });
  await engine.close();
  return { operations: disk.operations - opened, isExhaustive };
}

async function judge(
  plan: RunPlan,
  { disk, how, least, now }: Image,
  { history, judged, mustGoOn }: { history: readonly string[]; judged: Set<string>; mustGoOn: boolean },
): Promise<void> {
  const ports = createTestPorts({ now });
  const engine = await openOn(disk, plan, ports).catch((error: unknown) => {
    throw new Error(`the store does not open, ${how}`, { cause: error });
  });
  const text = await textOf(engine);
  const calls = history.lastIndexOf(text);
  if (calls < least) {
    const place = calls < 0 ? "what it never held" : `what it held after ${calls} calls`;
    expect.fail(`after ${least} answers the store holds ${place}, ${how}: ${text}`);
  }
  if (!judged.has(text)) {
    expect(await checkInvariants(engine, "q"), how).toEqual([]);
    judged.add(text);
  }
  if (mustGoOn) {
    await engine.command(["SET", "further", "1"]);
    const further = await textOf(engine);
    const killed = await openOn(disk.afterKill(), plan, createTestPorts({ now }));
    expect(await textOf(killed), `killed again, ${how}`).toBe(further);
    await killed.close();
  }
  await engine.close();
}

/** A disk that refuses some operations. */
export interface FaultyPlan extends Pick<RunPlan, "course" | "fsync" | "compactBytesMin"> {
  /** What becomes of an operation, by its number from the opening on. */
  readonly fault: (operation: number, what: DiskOperation, bytes: number) => DiskFault;
}

/**
 * Follows the course on a disk that refuses some operations. What the calls that were not refused lead to is what the
 * store must hold: in memory, after a kill, and once it was closed, after a power cut as well. Answers how many
 * operations there were, and how many calls were refused.
 */
export async function followWithFaults(plan: FaultyPlan): Promise<{ operations: number; refused: number }> {
  const disk = new TornDisk();
  const ports = createTestPorts();
  const engine = await openOn(disk, plan, ports);
  const opened = disk.operations;
  disk.plan = (what, _, bytes) => plan.fault(disk.operations - opened, what, bytes);
  const refused = new Set<number>();
  await follow(engine, ports, plan.course, (call, error) => {
    if (error === undefined) return;
    // Any other refusal would say that something else broke.
    if (!isEchoMQError(error, "not_stored")) throw error;
    refused.add(call);
  });
  disk.plan = () => undefined;
  // A file to go on in is tried for once a second.
  await ports.clock.advance(2000);
  const wanted = (await historyOf(plan.course, (call) => !refused.has(call))).at(-1);
  expect(await textOf(engine), "in memory").toBe(wanted);
  await expectAfter(disk.afterKill(), plan, { wanted, how: "after a kill", now: ports.clock.now() });
  await engine.command(["SET", "further", "1"]);
  const further = await textOf(engine);
  await engine.close();
  const now = ports.clock.now();
  for (const way of [0, 1]) {
    const choose: Choose = (count) => Math.min(way, count - 1);
    await expectAfter(disk.afterPowerCut(choose), plan, { wanted: further, how: "closed, and cut off", now });
  }
  return { operations: disk.operations - opened, refused: refused.size };
}

async function expectAfter(
  disk: TornDisk,
  plan: FaultyPlan,
  { wanted, how, now }: { wanted: string | undefined; how: string; now: number },
): Promise<void> {
  const engine = await openOn(disk, plan, createTestPorts({ now }));
  expect(await textOf(engine), how).toBe(wanted);
  await engine.close();
}
