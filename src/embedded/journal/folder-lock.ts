/**
 * Who has a folder open: one process at a time, and none for ever.
 *
 * Locks are numbered. The owner is whoever made the highest; a number is made by one process only, because making a
 * file that must not be there is one act of the file system. A released lock stays, with another text in it, until the
 * next one is made, and a lower one is removed only while a higher one is there: so numbers only rise, and two who
 * judge the same dead owner at the same time try to make the same number. Whoever wrote into a lock looks for a higher
 * one then, and gives way to it; whoever made a lock looks whether the one before is still what was judged, and gives
 * way if not. So of an owner that comes back and one that takes its place, at least one sees the other.
 *
 * An owner is dead when the system says so: the same table of processes has no such number, or one that began at
 * another time; or the machine was started anew since the owner showed itself. Where that cannot be told (another host,
 * another container), the owner is watched: it changes its lock every {@link BEAT_MS}, and one that stays the same for
 * {@link SILENCE_MS} is dead. An owner that was held up for so long looks at its lock before it writes again; what it
 * was in the middle of writing does not count, because whoever takes the folder from a silent owner goes on in a file
 * of its own.
 *
 * A lock is written in place, so one that names nobody is that of a process which was just making it. That one is not
 * the owner yet, and looks again before it is: a power cut or a kill in this moment holds nobody up.
 */

import type { Ports, Timer } from "../../engine/ports.ts";
import { EchoMQError } from "../../protocol/errors.ts";
import type { FileLayer, ProcessFacts } from "./file-layer.ts";
import { lockName, sortNames } from "./folder-name.ts";

/** How often an owner shows that it lives, in ms. */
export const BEAT_MS = 2000;

/** How long a lock has to stay the same before its owner counts as dead, in ms. */
export const SILENCE_MS = 5 * BEAT_MS;

/** How often a watcher looks, in ms. */
const LOOK_MS = 1000;

/** How long whoever made a lock has to write its name into it, in ms. */
export const NAMING_MS = 100;

/** An owner that has not shown itself for this long looks whether it still is one, in ms. */
const DOUBT_MS = 2 * BEAT_MS;

/** How often taking is tried while others take and release. */
const ROUNDS_MAX = 100;

const RELEASED = "released\n";

/** Digits of the numbers in a lock: its text keeps its length, so an owner's name is whole at every instant. */
const DIGITS = 12;

/** A lock that can be passed over. */
interface Verdict {
  /** What was in it. */
  readonly text: string;
  /** Whether its owner may be held up only. */
  readonly isSilent: boolean;
}

/** What a lock holds. */
interface Owner extends ProcessFacts {
  /** Tells two stores of one process apart. */
  readonly token: string;
}

/** A lock that was read. Those of early versions have no time of their machine. */
interface SeenOwner extends Owner {
  /** How long the machine of the owner had run when it showed itself, in ms. */
  readonly uptimeMs?: string;
}

export interface LockOptions {
  readonly layer: FileLayer;
  readonly folder: string;
  readonly ports: Ports;
}

export class FolderLock {
  readonly #options: LockOptions;
  readonly #owner: Owner;
  readonly #path: string;
  readonly #number: number;
  /** Whether nobody knows that the owner before is dead: what it writes yet must not count. */
  readonly followsSilence: boolean;
  #beats = 0;
  #beatAt: number;
  #timer: Timer | undefined;
  #isLost = false;

  private constructor(options: LockOptions, owner: Owner, number: number, followsSilence: boolean) {
    this.#options = options;
    this.#owner = owner;
    this.#number = number;
    this.followsSilence = followsSilence;
    this.#path = `${options.folder}/${lockName(number)}`;
    this.#beatAt = options.ports.clock.now();
    this.#setTimer();
  }

  /** @throws EchoMQError `folder_in_use` that names the owner. */
  static async take(options: LockOptions): Promise<FolderLock> {
    const { layer, folder, ports } = options;
    const token = `${ports.processName}:${Math.floor(ports.random() * 2 ** 40).toString(36)}`;
    const owner: Owner = { ...layer.process, token };
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const highest = sortNames(layer.list(folder)).locks.at(-1) ?? 0;
      const before = `${folder}/${lockName(highest)}`;
      const verdict = highest > 0 ? await judge(options, before) : undefined;
      if (highest > 0 && verdict === undefined) continue;
      if (!make(options, highest + 1, owner)) continue;
      const locks = sortNames(layer.list(folder)).locks;
      if (locks.at(-1) !== highest + 1 || (verdict !== undefined && layer.readText(before) !== verdict.text)) {
        layer.removeNow(`${folder}/${lockName(highest + 1)}`);
        continue;
      }
      for (const number of locks.slice(0, -1)) layer.removeNow(`${folder}/${lockName(number)}`);
      return new FolderLock(options, owner, highest + 1, verdict?.isSilent === true);
    }
    throw inUse(folder, undefined);
  }

  /**
   * Whether the folder is this process's still. Looks at the lock only after a time in which others may have taken it.
   */
  isHeld(): boolean {
    if (!this.#isLost && Math.abs(this.#options.ports.clock.now() - this.#beatAt) >= DOUBT_MS) this.#beat();
    return !this.#isLost;
  }

  /** Gives the folder up. */
  release(): void {
    this.#timer?.cancel();
    if (this.#isMine()) this.#options.layer.writeText(this.#path, RELEASED);
    this.#isLost = true;
  }

  #setTimer(): void {
    const { clock } = this.#options.ports;
    this.#timer = clock.after(BEAT_MS, () => this.#tick(), { background: true });
  }

  #tick(): void {
    this.#beat();
    if (!this.#isLost) this.#setTimer();
  }

  #beat(): void {
    if (!this.#isMine()) {
      this.#isLost = true;
      return;
    }
    try {
      this.#options.layer.writeText(
        this.#path,
        lockText(this.#owner, { beats: ++this.#beats, uptimeMs: this.#options.layer.uptimeMs() }),
      );
      // Another one that had judged what was there before is seen here, or sees what was written.
      if (!this.#isMine()) this.#isLost = true;
      this.#beatAt = this.#options.ports.clock.now();
    } catch {
      // A full device cannot take a sign of life; others go by the number of this process where they can.
    }
  }

  #isMine(): boolean {
    const { layer, folder } = this.#options;
    try {
      if (sortNames(layer.list(folder)).locks.at(-1) !== this.#number) return false;
      return ownerOf(layer.readText(this.#path))?.token === this.#owner.token;
    } catch (error) {
      // A folder that is gone took its files along; any other fault says nothing of who has it.
      return !this.#isLost && (error as { code?: unknown }).code !== "ENOENT";
    }
  }
}

/**
 * Whether nobody has the lock: it was released, or its owner is dead. `undefined` when it changes just now.
 *
 * @throws EchoMQError `folder_in_use`
 */
async function judge({ layer, folder, ports }: LockOptions, path: string): Promise<Verdict | undefined> {
  const text = layer.readText(path);
  if (text === undefined) return undefined;
  if (text === RELEASED) return { text, isSilent: false };
  const owner = ownerOf(text);
  const isRunning = owner === undefined ? undefined : layer.isRunning(owner);
  if (isRunning === false) return { text, isSilent: false };
  if (isRunning === true) throw inUse(folder, owner);
  if (owner !== undefined && layer.isOfEarlierStart(owner, { folder, uptimeMs: Number(owner.uptimeMs) })) {
    return { text, isSilent: false };
  }
  const [silenceMs, lookMs] = owner === undefined ? [NAMING_MS, NAMING_MS] : [SILENCE_MS, LOOK_MS];
  for (let waitedMs = 0; waitedMs < silenceMs; waitedMs += lookMs) {
    await new Promise<void>((resolve) => void ports.clock.after(lookMs, resolve));
    const later = layer.readText(path);
    if (later === text) continue;
    // Changed by an owner that lives, or by one that was just writing its name, or released.
    if (later !== undefined && later !== RELEASED && owner !== undefined) throw inUse(folder, owner);
    return undefined;
  }
  return { text, isSilent: owner !== undefined };
}

/** Makes the lock of a number; false when another was first. */
function make({ layer, folder }: LockOptions, number: number, owner: Owner): boolean {
  try {
    layer.open(`${folder}/${lockName(number)}`, "create").close();
  } catch (error) {
    if ((error as { code?: unknown }).code === "EEXIST") return false;
    throw error;
  }
  try {
    layer.writeText(`${folder}/${lockName(number)}`, lockText(owner, { beats: 0, uptimeMs: layer.uptimeMs() }));
  } catch (error) {
    layer.removeNow(`${folder}/${lockName(number)}`);
    throw error;
  }
  return true;
}

function lockText(owner: Owner, shown: { readonly beats: number; readonly uptimeMs: number }): string {
  const [beats, uptimeMs] = [shown.beats, shown.uptimeMs].map((number) => String(number).padStart(DIGITS, "0"));
  return `${JSON.stringify({ ...owner, beats, uptimeMs })}\n`;
}

function ownerOf(text: string | undefined): SeenOwner | undefined {
  try {
    const value: unknown = JSON.parse(text ?? "");
    return typeof value === "object" && value !== null && "token" in value ? (value as SeenOwner) : undefined;
  } catch {
    return undefined;
  }
}

function inUse(folder: string, owner: Owner | undefined): EchoMQError {
  const who = owner === undefined ? "another process" : `process ${owner.pid} on ${owner.host}`;
  return new EchoMQError(
    "folder_in_use",
    `${folder} is open in ${who}, and one process at a time can have it: close it there, or share it: ` +
      `run echomq serve --file ${folder} and connect every process to that server`,
    { details: { folder, ...(owner === undefined ? {} : { host: owner.host, pid: owner.pid }) } },
  );
}
