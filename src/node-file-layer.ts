/**
 * Files, folders and processes as Node.js gives them: what a store of `file:` stands on.
 */

import {
  close,
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  open,
  openSync,
  read,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
  unlink,
  writeSync,
} from "node:fs";
import { hostname } from "node:os";
import { dirname, resolve } from "node:path";
import { crc32 } from "node:zlib";
import type { FileLayer, OpenFile, ProcessFacts } from "./embedded/journal/file-layer.ts";

const FLAGS = {
  create: constants.O_RDWR | constants.O_CREAT | constants.O_EXCL,
  write: constants.O_RDWR,
  read: constants.O_RDONLY,
} as const;

/** Where the start of a process stands among the fields of `/proc/PID/stat` that come behind its name. */
const START_FIELD = 19;

class NodeFile implements OpenFile {
  readonly #fd: number;

  constructor(path: string, mode: keyof typeof FLAGS) {
    this.#fd = openSync(path, FLAGS[mode], 0o600);
  }

  size(): number {
    return fstatSync(this.#fd).size;
  }

  write(
    bytes: Uint8Array,
    { from, to, at }: { readonly from: number; readonly to: number; readonly at: number },
  ): number {
    return writeSync(this.#fd, bytes, from, to - from, at);
  }

  async read(target: Uint8Array, at: number): Promise<number> {
    return await new Promise((resolve, reject) => {
      read(this.#fd, target, 0, target.length, at, (error, count) => (error === null ? resolve(count) : reject(error)));
    });
  }

  truncate(size: number): void {
    ftruncateSync(this.#fd, size);
  }

  async sync(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      // The size of a file that has grown is made safe with its bytes.
      fdatasync(this.#fd, (error) => (error === null ? resolve() : reject(error)));
    });
  }

  syncNow(): void {
    fdatasyncSync(this.#fd);
  }

  close(): void {
    closeSync(this.#fd);
  }
}

/** The files of this machine. */
export function nodeFileLayer(): FileLayer {
  const facts = ownFacts();
  return {
    makeFolder(path) {
      makeFolder(resolve(path));
      return realpathSync(path);
    },
    list: (folder) => readdirSync(folder),
    open: (path, mode) => new NodeFile(path, mode),
    rename: renameSync,
    remove,
    removeNow: (path) => rmSync(path, { force: true }),
    syncFolder,
    syncFolderNow,
    readText,
    writeText,
    allocate: (size) => Buffer.allocUnsafeSlow(size),
    crc32: (bytes, { from, to, seed }) => crc32(bytes.subarray(from, to), seed),
    putText: (bytes, at, text) => void (bytes as Buffer).write(text, at, "latin1"),
    textAt: (bytes, from, to) => (bytes as Buffer).toString("latin1", from, to),
    process: facts,
    isRunning: (other) => isRunning(facts, other),
    uptimeMs,
    isOfEarlierStart: (other, seen) => isOfEarlierStart(facts, other, seen),
  };
}

/**
 * Makes a folder and those above it. The system's own recursion never ends where the folder above is there and takes
 * none (`/proc`).
 */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    const above = dirname(path);
    if (isFolder(path)) return;
    if ((error as { code?: unknown }).code !== "ENOENT" || above === path || isFolder(above)) throw error;
    makeFolder(above);
    makeFolder(path);
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Systems without open folders (Windows) keep names safe by themselves. */
function isFolderless(error: { readonly code?: unknown } | null): boolean {
  return error !== null && (error.code === "EISDIR" || error.code === "EPERM" || error.code === "EINVAL");
}

async function remove(path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    unlink(path, (error) => (error === null || error.code === "ENOENT" ? resolve() : reject(error)));
  });
}

async function syncFolder(folder: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    open(folder, constants.O_RDONLY, (openError, fd) => {
      if (openError !== null) {
        if (isFolderless(openError)) resolve();
        else reject(openError);
        return;
      }
      fsync(fd, (error) => {
        close(fd, () => (error === null || isFolderless(error) ? resolve() : reject(error)));
      });
    });
  });
}

function syncFolderNow(folder: string): void {
  let fd: number | undefined;
  try {
    fd = openSync(folder, constants.O_RDONLY);
    fsyncSync(fd);
  } catch (error) {
    if (!isFolderless(error as { code?: unknown })) throw error;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as { code?: unknown }).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Bytes that are there already are written over, which even a full device takes. */
function writeText(path: string, text: string): void {
  const bytes = Buffer.from(text);
  const fd = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at, bytes.length - at, at);
    if (fstatSync(fd).size > bytes.length) ftruncateSync(fd, bytes.length);
  } finally {
    closeSync(fd);
  }
}

function ownFacts(): ProcessFacts {
  return { host: hostname(), pid: process.pid, space: processSpace(), startedAt: startOf(process.pid) ?? "" };
}

/** The start of the machine and the table of processes that this one is in. Only Linux tells. */
function processSpace(): string {
  try {
    return `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return "";
  }
}

/** When a process began, in the system's own unit; `undefined` when there is none of that number. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program stands in brackets and may hold anything.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[START_FIELD];
  } catch {
    return undefined;
  }
}

function isRunning(own: ProcessFacts, other: ProcessFacts): boolean | undefined {
  if (own.space !== "" && own.space === other.space) return startOf(other.pid) === other.startedAt;
  if (own.space !== "" || other.space !== "" || own.host !== other.host) return undefined;
  if (own.pid === other.pid) return true;
  try {
    process.kill(other.pid, 0);
  } catch (error) {
    if ((error as { code?: unknown }).code === "ESRCH") return false;
  }
  // A process of that number is there, and it may be another one.
  return undefined;
}

/** The kernel's own count, which stands above what a container may be shown in place of its uptime. */
function uptimeMs(): number {
  return Math.floor(Number(process.hrtime.bigint() / 1_000_000n));
}

/**
 * File systems that lie on a disk, or in memory, which one kernel at a time may have mounted. Not among them are those
 * of networks and of hosts that share with their guests, and overlays, which do not say what they lie on.
 */
const EXCLUSIVE_TYPES: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // XFS
  0x9123683e, // Btrfs
  0xf2f52010, // F2FS
  0x2fc12fc1, // ZFS
  0x01021994, // tmpfs
]);

/**
 * The mark of the start is not enough, because some containers are given one of their own: it has to be another, and
 * the kernel younger than the one that the process ran on. Then that kernel was another one; and it has ended, because
 * it had the folder mounted, which this one has now.
 */
function isOfEarlierStart(
  own: ProcessFacts,
  other: ProcessFacts,
  seen: { readonly folder: string; readonly uptimeMs: number },
): boolean {
  const [ownStart, otherStart] = [own, other].map(({ space }) => space.split(" ")[0]);
  if (!ownStart || !otherStart || ownStart === otherStart || !(seen.uptimeMs > uptimeMs())) return false;
  try {
    return EXCLUSIVE_TYPES.has(statfsSync(seen.folder).type);
  } catch {
    return false;
  }
}
