/**
 * Takes queues out of an export into an engine.
 *
 * A queue is taken into where nothing is, and hands out no job before all of it is there: a mark in `meta` pauses it
 * first (transfer-keys.ts). Everything is written so that it can be written twice; so an import that broke off, by
 * whatever, is begun again with the same export and ends as if nothing had been. At the end the doctor judges, and only
 * then the queue gets its own settings and goes on.
 */

import { inspectQueue } from "../../doctor/doctor.ts";
import type { Engine } from "../../engine/engine.ts";
import { type Bytes, bytesOf } from "../../protocol/bytes.ts";
import { EchoMQError } from "../../protocol/errors.ts";
import { quote } from "../../protocol/quote.ts";
import { keyPages } from "../key-pages.ts";
import { assertKnownOptions } from "../option-check.ts";
import { QUEUES_KEY } from "../queue-names.ts";
import { progressHook, type SliceOptions } from "../slice-options.ts";
import { numberReply, pairsOf, QueueKeys } from "../verb-call.ts";
import type { Item, KeyRecord } from "./export-line.ts";
import {
  assertSameWire,
  type ExportChunks,
  type ExportHeader,
  type ExportTrailer,
  readExport,
} from "./export-reader.ts";
import { isOfPresence } from "./queue-reader.ts";
import { IMPORT_FIELD, importMark, NODES_KEY } from "./transfer-keys.ts";

/** Commands, and bytes in them, that are on their way at the same time. */
const COMMANDS_AT_ONCE = 500;
const BYTES_AT_ONCE = 1024 * 1024;

/** Progress of an import, and what it leaves out. */
export interface ImportOptions extends SliceOptions {
  /** Names of queues of the export; default: all of it. */
  readonly queues?: readonly string[];
}

/** One queue that was taken in. */
export interface ImportedQueue {
  readonly queue: string;
  readonly keys: number;
  readonly jobs: number;
  /** What the doctor put right: nothing after an exact export that went through at once. */
  readonly mended: number;
  /** Whether it is paused, as it was when it was exported. */
  readonly isPaused: boolean;
}

/** What an import came to. */
export interface ImportReport {
  readonly queues: readonly ImportedQueue[];
  readonly jobs: number;
  /** Whether the export had the queues as they were at one instant. */
  readonly isExact: boolean;
  /** When the export was begun, in ms of its server. */
  readonly exportedAt: number;
}

const TABLE = { owner: "an import", known: ["connection", "queues", "onProgress"] } as const;

/**
 * Takes queues in. `source` is the export; as a function, it is called twice: the whole export is judged before
 * anything is written. `onProgress` is told of jobs.
 *
 * @throws EchoMQError `bad_export` for what is cut, changed or of another wire; `queue_not_empty`; `queue_unsound` when
 *   the doctor does not pass what was written. After an error in the middle the queue stays paused: the same import
 *   goes on.
 */
export async function importChunks(
  engine: Engine,
  source: ExportChunks | (() => ExportChunks),
  options: ImportOptions = {},
): Promise<ImportReport> {
  assertKnownOptions(options, TABLE);
  const onProgress = progressHook(options);
  if (typeof source === "function") await verifyExport(source(), engine);
  let taking: Import | undefined;
  let trailer: ExportTrailer | undefined;
  for await (const part of readExport(typeof source === "function" ? source() : source)) {
    if (part.kind === "header") {
      assertSameWire(part.header, engine.wireVersion);
      taking = new Import(engine, part.header, options.queues);
      await taking.begin();
    } else if (taking !== undefined) {
      if (part.kind === "queue") taking.turnTo(part.queue);
      else if (part.kind === "key") await taking.write(part.record, onProgress);
      else trailer = part.trailer;
    }
  }
  if (taking === undefined || trailer === undefined) throw new EchoMQError("internal", "An export had no end");
  return await taking.finish(trailer);
}

/** What an export says that it holds, once all of it was read and found whole. */
export async function verifyExport(
  chunks: ExportChunks,
  engine: Pick<Engine, "wireVersion">,
): Promise<{ readonly header: ExportHeader; readonly trailer: ExportTrailer }> {
  let header: ExportHeader | undefined;
  let trailer: ExportTrailer | undefined;
  for await (const part of readExport(chunks)) {
    if (part.kind === "header") {
      header = part.header;
      assertSameWire(header, engine.wireVersion);
    } else if (part.kind === "trailer") trailer = part.trailer;
  }
  if (header === undefined || trailer === undefined) throw new EchoMQError("internal", "An export had no end");
  return { header, trailer };
}

/** One queue on its way in. */
interface Arrival {
  readonly queue: string;
  readonly keys: QueueKeys;
  /** `again`: it had begun before; `done`: all but the end was done before. */
  readonly stage: "new" | "again" | "done";
  /** Its settings, which come last. */
  readonly settings: Map<Bytes, Bytes>;
}

/** One import. */
class Import {
  readonly #engine: Engine;
  readonly #header: ExportHeader;
  readonly #wanted: readonly string[];
  readonly #arrivals = new Map<string, Arrival>();
  readonly #onWay: Promise<unknown>[] = [];
  #bytesOnWay = 0;
  #current: Arrival | undefined;
  #jobs = 0;

  constructor(engine: Engine, header: ExportHeader, wanted: readonly string[] | undefined) {
    this.#engine = engine;
    this.#header = header;
    const names = header.queues.map(({ queue }) => queue);
    this.#wanted = wanted === undefined ? names : [...new Set(wanted)];
    const missing = this.#wanted.find((queue) => !names.includes(queue));
    if (missing === undefined) return;
    const text = `The export has no queue ${quote(missing)}, it has ${names.map(quote).join(", ") || "none"}`;
    throw new EchoMQError("invalid_queue", text, { details: { queue: missing } });
  }

  /** Looks at all queues, then marks them. */
  async begin(): Promise<void> {
    for (const queue of this.#wanted) {
      const keys = new QueueKeys(queue);
      this.#arrivals.set(queue, { queue, keys, stage: await this.#stageOf(keys), settings: new Map() });
    }
    for (const { keys, stage } of this.#arrivals.values()) {
      if (stage === "new") await this.#ask(["HSET", keys.meta, "paused", "1", IMPORT_FIELD, this.#header.id]);
    }
  }

  /** The keys that follow are of this queue. */
  turnTo(queue: string): void {
    this.#current = this.#arrivals.get(queue);
  }

  /** Writes a key or a slice of one, unless it is of a queue that is not wanted. */
  async write(record: KeyRecord, onProgress: (jobs: number) => void): Promise<void> {
    const arrival = this.#current;
    if (arrival === undefined || isOfPresence(record.suffix)) return;
    if (record.suffix === "meta") {
      const { items } = record;
      for (let at = 0; at < items.length; at += 2) arrival.settings.set(String(items[at]), String(items[at + 1]));
      return;
    }
    if (arrival.stage === "done") return;
    for (const command of commandsFor(arrival.keys.base + record.suffix, record)) await this.#send(command);
    if (!record.isFirst || !/^job:[^:]+$/.test(record.suffix)) return;
    this.#jobs += 1;
    if (this.#jobs % PROGRESS_JOBS === 0) onProgress(this.#jobs);
  }

  /** Everything was read, and the export is whole. */
  async finish(trailer: ExportTrailer): Promise<ImportReport> {
    await this.#settle();
    await this.#raiseNodes();
    const queues: ImportedQueue[] = [];
    const mended = new Map<string, number>();
    for (const arrival of this.#arrivals.values()) {
      mended.set(arrival.queue, await this.#judge(arrival, trailer));
      await this.#ask(["HSET", arrival.keys.meta, IMPORT_FIELD, `${this.#header.id} done`]);
    }
    // A job of one queue may end and tell its parent in another, so none begins before all are there.
    for (const arrival of this.#arrivals.values()) {
      await this.#open(arrival);
      const total = trailer.queues.find(({ queue }) => queue === arrival.queue);
      queues.push({
        queue: arrival.queue,
        keys: total?.keys ?? 0,
        jobs: total?.jobs ?? 0,
        mended: mended.get(arrival.queue) ?? 0,
        isPaused: arrival.settings.has("paused"),
      });
    }
    const { isExact } = trailer;
    const jobs = queues.reduce((sum, queue) => sum + queue.jobs, 0);
    return { queues, jobs, isExact, exportedAt: this.#header.exportedAt };
  }

  async #stageOf(keys: QueueKeys): Promise<Arrival["stage"]> {
    const { queue } = keys;
    const mark = await importMark(this.#engine, queue);
    if (mark === this.#header.id) return "again";
    if (mark === `${this.#header.id} done`) return "done";
    if (mark !== undefined) {
      const text = `An import of another export into the queue ${quote(queue)} has not ended`;
      throw notEmpty(queue, `${text}: finish it with that export, or obliterate the queue`);
    }
    for await (const page of keyPages(this.#engine, keys.base)) {
      if (page.every((key) => isOfPresence(key.slice(keys.base.length)))) continue;
      const text = `The queue ${quote(queue)} is not empty, and two queues cannot become one`;
      throw notEmpty(queue, `${text}: obliterate it first, or import into another server`);
    }
    return "new";
  }

  /** The doctor's word. What was copied from one instant has to be right as it is. */
  async #judge({ queue, stage }: Arrival, { isExact }: ExportTrailer): Promise<number> {
    const repair = !isExact || stage !== "new";
    const report = await inspectQueue(this.#engine, queue, { repair, overdueMs: Number.MAX_SAFE_INTEGER });
    if (!report.isClean || report.unchecked.length > 0) {
      const codes = Object.entries(report.counts).map(([code, count]) => `${code} ${count}`);
      throw new EchoMQError(
        "queue_unsound",
        `The doctor finds something wrong with the imported queue ${quote(queue)}, which stays paused ` +
          `(${[...codes, ...report.unchecked].join(", ")}): mend it with echomq doctor --repair and import again`,
        { details: { queue, counts: report.counts } },
      );
    }
    return Object.values(report.counts).reduce((sum, count) => sum + count, 0);
  }

  /** Gives a queue its own settings, and takes the mark away; it hands out jobs from here on. */
  async #open({ queue, keys, settings }: Arrival): Promise<void> {
    const fields = [...settings].filter(([name]) => name !== "paused" && name !== IMPORT_FIELD).flat();
    if (fields.length > 0) await this.#ask(["HSET", keys.meta, ...fields]);
    await this.#ask(["SADD", QUEUES_KEY, bytesOf(queue)]);
    if (!settings.has("paused")) await this.#engine.act("QRESUME", [keys.meta, keys.wake], []);
    await this.#ask(["HDEL", keys.meta, IMPORT_FIELD]);
  }

  /** Lifts the marks of node numbers, so that no id is minted here that was minted there. */
  async #raiseNodes(): Promise<void> {
    if (this.#header.nodes.size === 0) return;
    const marks = pairsOf(await this.#engine.command(["HGETALL", NODES_KEY]));
    for (const [node, mark] of this.#header.nodes) {
      const missing = mark - Number(marks.get(String(node)) ?? 0);
      // An addition, because whoever takes a range of this number meanwhile must not lose it.
      if (missing > 0) await this.#send(["HINCRBY", NODES_KEY, String(node), String(missing)]);
    }
    await this.#settle();
  }

  async #ask(parts: readonly Bytes[]): Promise<number> {
    return numberReply(await this.#engine.command(parts));
  }

  /** Sends a command; waits only when too much is on its way. */
  async #send(parts: readonly Bytes[]): Promise<void> {
    const sent = this.#engine.command(parts);
    // Whoever waits for all of them is told; until then a failure must not be nobody's.
    sent.catch(() => undefined);
    this.#onWay.push(sent);
    for (const part of parts) this.#bytesOnWay += part.length;
    if (this.#onWay.length >= COMMANDS_AT_ONCE || this.#bytesOnWay >= BYTES_AT_ONCE) await this.#settle();
  }

  async #settle(): Promise<void> {
    this.#bytesOnWay = 0;
    await Promise.all(this.#onWay.splice(0));
  }
}

/** Jobs between two calls of `onProgress`. */
const PROGRESS_JOBS = 100;

/**
 * The commands that write a slice. Members are added to what is there, since others may have added some meanwhile; all
 * else begins anew, so that writing it twice is writing it once.
 */
function commandsFor(key: Bytes, { type, items, isFirst, expiresAt }: KeyRecord): Bytes[][] {
  const flat = items as readonly Bytes[];
  const commands: Bytes[][] = [];
  if (isFirst && type !== "zset" && type !== "set" && type !== "string") commands.push(["UNLINK", key]);
  switch (type) {
    case "string":
      commands.push(["SET", key, flat[0] ?? ""]);
      break;
    case "hash":
      commands.push(["HSET", key, ...flat]);
      break;
    case "list":
      commands.push(["RPUSH", key, ...flat]);
      break;
    case "set":
      commands.push(["SADD", key, ...flat]);
      break;
    case "zset":
      commands.push(["ZADD", key, ...swapped(flat)]);
      break;
    default:
      commands.push(...streamCommands(key, type, items));
  }
  if (expiresAt !== undefined) commands.push(["PEXPIREAT", key, String(expiresAt)]);
  return commands;
}

/** Scores before members, as they are written; they are read the other way round. */
function swapped(members: readonly Bytes[]): Bytes[] {
  const parts: Bytes[] = [];
  for (let at = 0; at < members.length; at += 2) parts.push(members[at + 1] ?? "", members[at] ?? "");
  return parts;
}

/** A group that nobody ever reads: it makes a stream be there that has no entry. */
const STAND_IN = "\0";

function streamCommands(key: Bytes, type: KeyRecord["type"], items: readonly Item[]): Bytes[][] {
  const lists = items.filter((item): item is readonly Bytes[] => typeof item !== "string");
  switch (type) {
    case "stream":
      return lists.map(([id = "", ...fields]) => ["XADD", key, id, ...fields]);
    case "stream-end":
      return lists.flatMap(([lastId = "0-0", added = "", deleted = ""]) => [
        ["XGROUP", "CREATE", key, STAND_IN, "0", "MKSTREAM"],
        ["XSETID", key, lastId, ...(added === "" ? [] : ["ENTRIESADDED", added, "MAXDELETEDID", deleted])],
        ["XGROUP", "DESTROY", key, STAND_IN],
      ]);
    case "stream-group":
      return lists.map(([group = "", lastId = "", read = ""]) => {
        const command = ["XGROUP", "CREATE", key, group, lastId];
        return read === "" ? command : [...command, "ENTRIESREAD", read];
      });
    case "stream-given":
      return lists.map(([group = "", consumer = "", id = "", givenAt = "", count = ""]) => {
        const command = ["XCLAIM", key, group, consumer, "0", id];
        return command.concat("TIME", givenAt, "RETRYCOUNT", count, "FORCE", "JUSTID");
      });
    default:
      throw new EchoMQError("internal", `Records of the type ${type} are not known to imports`);
  }
}

function notEmpty(queue: string, message: string): EchoMQError {
  return new EchoMQError("queue_not_empty", message, { details: { queue } });
}
