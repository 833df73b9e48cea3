/**
 * Reads an export line by line and judges it: what was cut off, changed or written by another wire is refused.
 *
 * Memory is bounded by the longest line. The checksum stands at the end, so whoever reads a stream that comes only once
 * has used the lines by the time that they prove to be wrong; a file is therefore read twice.
 */

import { type Bytes, bytesFrom, textOf } from "../../protocol/bytes.ts";
import { EchoMQError } from "../../protocol/errors.ts";
import { isValidQueue } from "../../protocol/key.ts";
import { quote } from "../../protocol/quote.ts";
import { chunkOf, joinChunks } from "./chunk.ts";
import { bytesIn, EXPORT_FORMAT, EXPORT_VERSION, type KeyRecord, parseExportLine } from "./export-line.ts";
import { crc32, crcText } from "./text-hash.ts";

/** What an import reads: chunks of bytes or of text, cut anywhere. */
export type ExportChunks = AsyncIterable<Uint8Array | string> | Iterable<Uint8Array | string>;

/** The longest line that is read, in bytes: a line has one value that is larger than 256 KiB at most. */
const LINE_BYTES_MAX = 256 * 1024 * 1024;

const LINE_FEED = 0x0a;

/** Bytes of the end of the last line that its checksum does not cover: itself, as the last member, and its name. */
const CRC_PART_BYTES = ',"crc32":"00000000"}\n'.length;

/** What the first line says. */
export interface ExportHeader {
  readonly wire: string;
  readonly id: string;
  readonly exportedAt: number;
  readonly queues: readonly { readonly queue: string; readonly jobs: number }[];
  readonly nodes: ReadonlyMap<number, number>;
}

/** What the last line says, of which the checksum and the number of lines have been compared. */
export interface ExportTrailer {
  readonly queues: readonly { readonly queue: string; readonly keys: number; readonly jobs: number }[];
  readonly isExact: boolean;
}

/** What a reader answers, in the order of the file. */
export type ExportPart =
  | { readonly kind: "header"; readonly header: ExportHeader }
  | { readonly kind: "queue"; readonly queue: string }
  | { readonly kind: "key"; readonly record: KeyRecord }
  | { readonly kind: "trailer"; readonly trailer: ExportTrailer };

/**
 * The parts of an export: the header, then queues and keys, then the trailer.
 *
 * @throws EchoMQError `bad_export` with `details.line` and `details.reason`: `format`, `version`, `cut` or `checksum`.
 */
export async function* readExport(chunks: ExportChunks): AsyncGenerator<ExportPart> {
  const judge = new Judge();
  for await (const line of linesOf(chunks)) yield judge.take(line);
  judge.end();
}

/** The order of lines, and what the last one says of all. */
class Judge {
  #line = 0;
  #crc = 0;
  #header: ExportHeader | undefined;
  #queue: string | undefined;
  #suffix: Bytes | undefined;
  #isOver = false;

  /** One line, with its line feed. */
  take(bytes: Uint8Array): ExportPart {
    this.#line += 1;
    const crc = this.#crc;
    this.#crc = crc32(bytes, crc);
    if (this.#isOver) throw this.#bad("format", "stands behind the end of the export");
    if (bytes.at(-1) !== LINE_FEED) throw this.#bad("cut", "is cut off");
    const line = parseExportLine(textOf(bytesFrom(bytes)));
    if (line === undefined) throw this.#bad("format", "is no line of an export");
    if (line.kind === "header") return { kind: "header", header: this.#readHeader(line.header) };
    const header = this.#header;
    if (header === undefined) throw this.#bad("format", "is not the first line of an export");
    if (line.kind === "trailer") {
      const sealed = bytes.subarray(0, Math.max(0, bytes.length - CRC_PART_BYTES));
      return { kind: "trailer", trailer: this.#readTrailer(line.trailer, crc32(sealed, crc)) };
    }
    if (line.kind === "queue") {
      const queue = textOf(line.queue);
      if (!header.queues.some((known) => known.queue === queue)) throw this.#bad("format", "names an unknown queue");
      this.#queue = queue;
      this.#suffix = undefined;
      return { kind: "queue", queue };
    }
    const { record } = line;
    if (this.#queue === undefined) throw this.#bad("format", "has a key before the name of its queue");
    const isMore = record.suffix === this.#suffix;
    if (!record.isFirst && !isMore) throw this.#bad("format", "goes on with a key that was not begun");
    this.#suffix = record.suffix;
    return { kind: "key", record };
  }

  /** The end of the input. */
  end(): void {
    if (this.#isOver) return;
    if (this.#line > 0) throw this.#bad("cut", "is the last, and the end of the export is missing");
    const message = "There is nothing to import: the file is empty, or the export before the pipe has failed";
    throw new EchoMQError("bad_export", message, { details: { line: 0, reason: "cut" } });
  }

  #readHeader(line: Record<string, unknown>): ExportHeader {
    const { format, version, wire, id, exportedAt, queues, nodes } = line;
    if (this.#header !== undefined || this.#line > 1 || format !== EXPORT_FORMAT) {
      throw this.#bad("format", "is not the first line of an export");
    }
    if (version !== EXPORT_VERSION) {
      const message = `has version ${quote(version)} of the layout, and this package reads ${EXPORT_VERSION}`;
      throw this.#bad("version", message);
    }
    const named = namedQueues(queues, ["jobs"]);
    const isRight = typeof wire === "string" && typeof id === "string" && /^[0-9a-f]{1,64}$/.test(id);
    if (!isRight || !isCount(exportedAt) || named === undefined || typeof nodes !== "object" || nodes === null) {
      throw this.#bad("format", "lacks a part of the header");
    }
    const marks = new Map(Object.entries(nodes).map(([node, mark]) => [Number(node), Number(mark)]));
    this.#header = {
      wire,
      id,
      exportedAt,
      queues: named.map(({ queue, jobs }) => ({ queue, jobs: jobs ?? 0 })),
      nodes: marks,
    };
    return this.#header;
  }

  #readTrailer(line: Record<string, unknown>, crc: number): ExportTrailer {
    const { end, queues, lines, crc32: sum, isExact } = line;
    const totals = namedQueues(queues, ["keys", "jobs"]);
    if (end !== true || totals === undefined || typeof isExact !== "boolean") {
      throw this.#bad("format", "lacks a part of the trailer");
    }
    if (lines !== this.#line - 1) throw this.#bad("cut", `tells of ${quote(lines)} lines before it`);
    if (sum !== crcText(crc)) {
      throw this.#bad("checksum", `tells of the checksum ${quote(sum)}, and the lines have ${crcText(crc)}`);
    }
    this.#isOver = true;
    return {
      queues: totals.map(({ queue, keys = 0, jobs = 0 }) => ({ queue, keys, jobs })),
      isExact,
    };
  }

  #bad(reason: string, text: string): EchoMQError {
    return new EchoMQError("bad_export", `Line ${this.#line} ${text}: export again, or fetch the file again`, {
      details: { line: this.#line, reason },
    });
  }
}

/** Queues with counts; `undefined` for anything else. */
function namedQueues(
  value: unknown,
  names: readonly ("keys" | "jobs")[],
): { queue: string; keys?: number; jobs?: number }[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const queues: { queue: string; keys?: number; jobs?: number }[] = [];
  for (const entry of value as readonly unknown[]) {
    if (typeof entry !== "object" || entry === null || !("queue" in entry)) return undefined;
    const queue = bytesIn(entry.queue);
    if (queue === undefined || queue === "" || !isValidQueue(queue)) return undefined;
    const counts = names.map((name): [string, unknown] => [name, (entry as Record<string, unknown>)[name]]);
    if (!counts.every(([, count]) => isCount(count))) return undefined;
    queues.push({ queue: textOf(queue), ...Object.fromEntries(counts) });
  }
  return queues;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** Lines with their line feeds; what follows the last one comes as a line too. */
async function* linesOf(chunks: ExportChunks): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let length = 0;
  for await (const given of chunks) {
    const chunk = typeof given === "string" ? chunkOf(given) : given;
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      parts.push(chunk.subarray(from, end + 1));
      yield joinChunks(parts);
      parts = [];
      length = 0;
      from = end + 1;
    }
    if (from === chunk.length) continue;
    length += chunk.length - from;
    if (length > LINE_BYTES_MAX) {
      throw new EchoMQError("bad_export", `A line has more than ${LINE_BYTES_MAX} bytes: this is no export`, {
        details: { reason: "format" },
      });
    }
    // A view of the caller's chunk would change when the caller uses its memory again.
    parts.push(chunk.slice(from));
  }
  if (length > 0) yield joinChunks(parts);
}

/** Whether a version of the wire is one that this engine can take in. */
export function assertSameWire({ wire }: ExportHeader, wireVersion: string): void {
  if (wire === wireVersion) return;
  throw new EchoMQError(
    "bad_export",
    `The export was written by the wire ${quote(wire)}, and the target speaks ${quote(wireVersion)}: move the source ` +
      "to this wire first (docs/operate/shared-mode.md)",
    { details: { reason: "wire", wire, wireVersion, line: 1 } },
  );
}
