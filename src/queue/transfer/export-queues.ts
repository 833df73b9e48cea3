/**
 * Writes queues as an export: a stream of lines that another server, a folder or a store in memory can take in.
 *
 * No command holds the server for long, so the queues go on meanwhile and a copy could mix two instants. Therefore
 * everything is read a second time: a copy is *exact* when both readings agree, which they do when nobody worked on the
 * queues in between. One that is not is refused unless the caller allows it, and refused always when jobs wait for
 * others: a child that ended between two reads would leave its parent waiting for ever.
 */

import { inspectQueue } from "../../doctor/doctor.ts";
import type { Engine } from "../../engine/engine.ts";
import { type Bytes, bytesOf, textOf } from "../../protocol/bytes.ts";
import { EchoMQError, isEchoMQError } from "../../protocol/errors.ts";
import { assertQueueName, baseKey } from "../../protocol/key.ts";
import { quote } from "../../protocol/quote.ts";
import { Jobs } from "../jobs.ts";
import { assertBoolean, assertKnownOptions } from "../option-check.ts";
import { outboxEntry } from "../outbox-entry.ts";
import { assertQueueExists, readQueueNames } from "../queue-names.ts";
import { COUNT_WORDS } from "../read-verbs.ts";
import { readServerNow } from "../server-clock.ts";
import { progressHook, type SliceOptions } from "../slice-options.ts";
import { pairsOf } from "../verb-call.ts";
import { chunkOf, joinChunks } from "./chunk.ts";
import {
  EXPORT_FORMAT,
  EXPORT_VERSION,
  type HeaderLine,
  type Item,
  type KeyRecord,
  keyLine,
  queueLine,
  type TrailerLine,
  textFrom,
} from "./export-line.ts";
import { QUEUE_PARTS, QueueReader } from "./queue-reader.ts";
import { crc32, crcText, SeenKeys, UnorderedDigest } from "./text-hash.ts";
import { importMark, NODES_KEY } from "./transfer-keys.ts";

/** Bytes of one chunk that is handed out, at least. */
const CHUNK_BYTES = 64 * 1024;

/** Bytes of the items of one line, unless a single one is larger. */
const LINE_BYTES = 256 * 1024;

/** Queues outside of the copy that are named in a report, at most. */
const PARTNERS_MAX = 100;

/** What an export is made of. */
export interface ExportOptions extends SliceOptions {
  /** Names of the queues; default: all queues of the server. */
  readonly queues?: readonly string[];
  /**
   * Take what changes meanwhile as it comes, and mend it on import: jobs that are there all the while come along, those
   * that come or end meanwhile may, and a job may run once more. Default false: such a copy is refused.
   */
  readonly running?: boolean;
  /** Told of what the export came to, once all of it was read. */
  readonly onEnd?: (report: ExportReport) => void;
}

/** What was written of one queue. */
export interface ExportedQueue {
  readonly queue: string;
  readonly keys: number;
  readonly jobs: number;
}

/** What an export came to. */
export interface ExportReport {
  readonly queues: readonly ExportedQueue[];
  readonly jobs: number;
  readonly bytes: number;
  /** Whether the queues were copied as they were at one instant. */
  readonly isExact: boolean;
  /** Queues outside of this copy in which jobs of it have parents or children; at most 100 are named. */
  readonly partners: readonly string[];
}

const TABLE = { owner: "an export", known: ["connection", "queues", "running", "onProgress", "onEnd"] } as const;

/**
 * The bytes of an export in chunks of 64 KiB and more. `onProgress` is told of jobs, and of each once.
 *
 * @throws EchoMQError `queue_absent` when there is no queue of a name that was given, `queue_unsound` when the doctor
 *   finds something wrong with one, `queue_changed` for a copy that cannot be what was asked for, `invalid_queue`,
 *   `unknown_option`, `invalid_option`.
 */
export async function* exportChunks(
  engine: Engine,
  options: ExportOptions = {},
): AsyncGenerator<Uint8Array, ExportReport, undefined> {
  assertKnownOptions(options, TABLE);
  const { queues, running = false, onEnd } = options;
  assertBoolean(running, "running");
  for (const queue of queues ?? []) assertQueueName(queue);
  for (const queue of queues ?? []) await assertQueueExists(engine, queue);
  const onProgress = progressHook(options);
  const names = [...new Set(queues ?? (await readQueueNames(engine, { scan: true })))].sort();
  const taking = new Export(engine, names, onProgress);
  const lines = new LineWriter();
  lines.write(JSON.stringify(await taking.header()));
  for await (const line of taking.lines()) {
    lines.write(line);
    if (lines.waiting >= CHUNK_BYTES) yield lines.take();
  }
  const isExact = await taking.isUnchanged();
  if (!isExact) taking.assertMayChange(running);
  lines.seal(taking.trailer(lines.count, isExact));
  yield lines.take();
  const report = taking.report(lines.bytes, isExact);
  onEnd?.(report);
  return report;
}

/** What is counted of one queue. */
interface Tally {
  readonly name: string;
  readonly bytes: Bytes;
  readonly reader: QueueReader;
  readonly seen: SeenKeys;
  readonly digest: UnorderedDigest;
  jobs: number;
  hasFamilies: boolean;
}

/** One export, made once. */
class Export {
  readonly #engine: Engine;
  readonly #onProgress: (jobs: number) => void;
  readonly #tallies: readonly Tally[];
  readonly #partners = new Set<Bytes>();
  #jobs = 0;

  constructor(engine: Engine, names: readonly string[], onProgress: (jobs: number) => void) {
    this.#engine = engine;
    this.#onProgress = onProgress;
    this.#tallies = names.map((name) => {
      const bytes = bytesOf(name);
      const reader = new QueueReader(engine, baseKey(bytes));
      const digest = new UnorderedDigest();
      return { name, bytes, reader, seen: new SeenKeys(), digest, jobs: 0, hasFamilies: false };
    });
  }

  /** Looks the queues over; nothing that is broken is copied. */
  async header(): Promise<HeaderLine> {
    const jobs = new Jobs(this.#engine);
    const queues: HeaderLine["queues"][number][] = [];
    for (const { name, bytes } of this.#tallies) {
      await assertSound(this.#engine, name);
      const [counts, { completed }] = await Promise.all([
        jobs.getCounts(name, COUNT_WORDS),
        jobs.getSizes(name, ["completed"]),
      ]);
      const { pending, lanes, active, schedule, awaiting, dead } = counts;
      const total = pending + lanes + active + schedule + awaiting + dead + completed;
      queues.push({ queue: textFrom(bytes), jobs: total });
    }
    const { random } = this.#engine.ports;
    const id = Array.from({ length: 3 }, () => crcText(Math.floor(random() * 2 ** 32))).join("");
    const exportedAt = await readServerNow(this.#engine);
    return {
      format: EXPORT_FORMAT,
      version: EXPORT_VERSION,
      wire: this.#engine.wireVersion,
      id,
      exportedAt,
      queues,
      nodes: await this.#nodes(),
    };
  }

  /** The lines of all keys. Of all queues first what jobs are, then where they lie (queue-reader.ts). */
  async *lines(): AsyncGenerator<string> {
    for (const part of QUEUE_PARTS) {
      for (const tally of this.#tallies) {
        yield queueLine(tally.bytes);
        const reading = new Reading(tally.seen, tally.digest);
        for await (const record of tally.reader.read(part)) {
          this.#note(tally, record, reading.note(record));
          for (const slice of slicesOf(record)) yield keyLine(slice);
        }
      }
    }
  }

  /** Reads everything once more; whether it is the same. */
  async isUnchanged(): Promise<boolean> {
    for (const { reader, digest } of this.#tallies) {
      const again = new UnorderedDigest();
      const reading = new Reading(new SeenKeys(), again);
      for (const part of QUEUE_PARTS) for await (const record of reader.read(part)) reading.note(record);
      if (again.text !== digest.text) return false;
    }
    return true;
  }

  /** Refuses a copy of what changed meanwhile, when it may not, or must not be used. */
  assertMayChange(running: boolean): void {
    const family = this.#tallies.find(({ hasFamilies }) => hasFamilies);
    if (running && family === undefined) return;
    const rest = "pause the queues, let active jobs end, stop producers, and export again";
    const message = running
      ? `Jobs of ${quote(family?.name)} wait for their children, and the queues changed while they were read: ${rest}`
      : `The queues changed while they were read: ${rest}, or allow it (running: true, --running)`;
    throw new EchoMQError("queue_changed", message, { details: { queues: this.#tallies.map(({ name }) => name) } });
  }

  trailer(lines: number, isExact: boolean): Omit<TrailerLine, "crc32"> {
    const queues = this.#tallies.map(({ bytes, seen, jobs }) => ({ queue: textFrom(bytes), keys: seen.size, jobs }));
    return { end: true, queues, lines, isExact };
  }

  report(bytes: number, isExact: boolean): ExportReport {
    return {
      queues: this.#tallies.map(({ name, seen, jobs }) => ({ queue: name, keys: seen.size, jobs })),
      jobs: this.#jobs,
      bytes,
      isExact,
      partners: [...this.#partners].map(textOf).sort(),
    };
  }

  /** Counts a record; `isNew` when its key was not seen before. */
  #note(tally: Tally, { suffix, type, items, isFirst }: KeyRecord, isNew: boolean): void {
    if (/^job:[^:]+$/.test(suffix)) {
      for (let at = 0; at < items.length; at += 2) if (items[at] === "parent_queue") this.#notePartner(items[at + 1]);
      if (!isNew || !isFirst) return;
      tally.jobs += 1;
      this.#jobs += 1;
      if (this.#jobs % PROGRESS_JOBS === 0) this.#onProgress(this.#jobs);
    } else if (suffix.endsWith(":children") || suffix.endsWith(":parents")) {
      tally.hasFamilies = true;
      for (let at = 1; at < items.length; at += 2) this.#notePartner(String(items[at]).split("\0")[1]);
    } else if (suffix.endsWith(":dependencies")) {
      tally.hasFamilies = true;
    } else if (suffix === "flow:outbox" && type === "list") {
      for (const item of items) this.#notePartner(outboxEntry(String(item))?.queue);
    }
  }

  #notePartner(queue: Item | undefined): void {
    if (typeof queue !== "string" || queue === "" || this.#partners.size >= PARTNERS_MAX) return;
    if (!this.#tallies.some(({ bytes }) => bytes === queue)) this.#partners.add(queue);
  }

  /** The marks of node numbers; none where the user may not read them. */
  async #nodes(): Promise<Record<string, number>> {
    try {
      const marks = pairsOf(await this.#engine.command(["HGETALL", NODES_KEY]));
      return Object.fromEntries([...marks].map(([node, mark]) => [node, Number(mark)]));
    } catch (error) {
      if (isEchoMQError(error, "permission")) return {};
      throw error;
    }
  }
}

/** Jobs between two calls of `onProgress`. */
const PROGRESS_JOBS = 100;

/** One reading of a queue: what was seen, each key once, and the digest of it. */
class Reading {
  readonly seen: SeenKeys;
  readonly #digest: UnorderedDigest;
  #isNew = true;

  constructor(seen: SeenKeys, digest: UnorderedDigest) {
    this.seen = seen;
    this.#digest = digest;
  }

  /** Adds a record; whether its key was new. What expires is left out: it may go without anybody's doing. */
  note({ suffix, type, items, isFirst, expiresAt }: KeyRecord): boolean {
    if (isFirst) this.#isNew = this.seen.add(suffix);
    if (!this.#isNew || expiresAt !== undefined) return this.#isNew;
    if (type === "hash" || type === "zset") {
      for (let at = 0; at < items.length; at += 2) this.#digest.add([suffix, String(items[at]), String(items[at + 1])]);
    } else if (type !== "stream-given") {
      // How long an entry is with its consumer is told as a span, and no two readings agree on it to the millisecond.
      for (const item of items) this.#digest.add([suffix, ...(typeof item === "string" ? [item] : item)]);
    }
    return this.#isNew;
  }
}

/** Slices of a record whose lines stay short. */
function* slicesOf(record: KeyRecord): Generator<KeyRecord> {
  const { items, type } = record;
  const step = type === "hash" || type === "zset" ? 2 : 1;
  let from = 0;
  let bytes = 0;
  for (let at = 0; at < items.length; at += step) {
    bytes += bytesOfItem(items[at]) + (step === 2 ? bytesOfItem(items[at + 1]) : 0);
    if (bytes < LINE_BYTES || at + step >= items.length) continue;
    yield { ...record, items: items.slice(from, at + step), isFirst: record.isFirst && from === 0 };
    from = at + step;
    bytes = 0;
  }
  yield from === 0 ? record : { ...record, items: items.slice(from), isFirst: false };
}

function bytesOfItem(item: Item | undefined): number {
  if (item === undefined) return 0;
  return typeof item === "string" ? item.length : item.reduce((sum, part) => sum + part.length, 0);
}

/** Gathers lines to chunks and counts them. */
class LineWriter {
  #text: string[] = [];
  /** Characters that were written and not taken. */
  waiting = 0;
  /** Lines so far. */
  count = 0;
  /** Bytes and CRC-32 of what was taken, or written, so far. */
  #bytes = 0;
  #crc = 0;
  readonly #encoded: Uint8Array[] = [];

  write(line: string): void {
    this.#text.push(line, "\n");
    this.waiting += line.length + 1;
    this.count += 1;
  }

  /** The last line, which ends in the checksum of all before. */
  seal(trailer: Omit<TrailerLine, "crc32">): void {
    this.#text.push(JSON.stringify(trailer).slice(0, -1));
    this.#encode();
    this.#text.push(`,"crc32":"${crcText(this.#crc)}"}\n`);
  }

  get bytes(): number {
    this.#encode();
    return this.#bytes;
  }

  /** Everything that was written since the last call. */
  take(): Uint8Array {
    this.#encode();
    return joinChunks(this.#encoded.splice(0));
  }

  #encode(): void {
    if (this.#text.length === 0) return;
    const part = chunkOf(this.#text.join(""));
    this.#text = [];
    this.waiting = 0;
    this.#bytes += part.length;
    this.#crc = crc32(part, this.#crc);
    this.#encoded.push(part);
  }
}

/** Refuses a queue that the doctor finds something wrong with, or that an import has not finished. */
async function assertSound(engine: Engine, queue: string): Promise<void> {
  if ((await importMark(engine, queue)) !== undefined) {
    throw new EchoMQError("queue_unsound", `An import into the queue ${quote(queue)} has not ended: finish it first`, {
      details: { queue },
    });
  }
  // A lease that lapsed long ago is no damage: a folder may have lain for a year.
  const report = await inspectQueue(engine, queue, { overdueMs: Number.MAX_SAFE_INTEGER });
  if (report.isClean && report.unchecked.length === 0) return;
  const codes = Object.entries(report.counts).map(([code, count]) => `${code} ${count}`);
  const what = [...codes, ...report.unchecked].join(", ");
  throw new EchoMQError(
    "queue_unsound",
    `The doctor finds something wrong with the queue ${quote(queue)} (${what}): mend it with echomq doctor --repair`,
    { details: { queue, counts: report.counts } },
  );
}
