/**
 * The lines of an export: one JSON document each, in UTF-8, ended by a line feed (docs/operate/export.md has the
 * layout, and how it may change).
 *
 * A byte string that is UTF-8 stands as text, any other as base64, so what people wrote can be read and searched, and
 * no byte is lost.
 */

import { type Bytes, bytesOf, isAscii, textOf } from "../../protocol/bytes.ts";

/** What the first line says that it is. */
export const EXPORT_FORMAT = "echomq-export";

/** The version of the layout. It changes when an older reader would read a new file wrongly. */
export const EXPORT_VERSION = 1;

/** A byte string as JSON has it. */
export type Text = string | { readonly base64: string };

/** What one item of a key is: a member, a value, or an entry of several parts. */
export type Item = Bytes | readonly Bytes[];

/** What the items of a key are. The kinds that begin with `stream` are parts of one stream. */
export const RECORD_TYPES = [
  "string",
  "hash",
  "list",
  "set",
  "zset",
  "stream",
  "stream-end",
  "stream-group",
  "stream-given",
] as const;

/** One of {@link RECORD_TYPES}. */
export type RecordType = (typeof RECORD_TYPES)[number];

/** A key of a queue, or a slice of one. Slices of one key follow each other. */
export interface KeyRecord {
  /** The part of the key after `emq:{q}:`. */
  readonly suffix: Bytes;
  readonly type: RecordType;
  readonly items: readonly Item[];
  /** Whether the key begins here. */
  readonly isFirst: boolean;
  /** When it expires, in server ms; `undefined` when it does not. */
  readonly expiresAt: number | undefined;
}

/** The first line. */
export interface HeaderLine {
  readonly format: typeof EXPORT_FORMAT;
  readonly version: number;
  /** The version of the wire that the keys were written by. */
  readonly wire: string;
  /** Names this export, so that an import that broke off knows its own beginning. */
  readonly id: string;
  /** The clock of the server when it began, in Unix ms. */
  readonly exportedAt: number;
  /** The queues that follow, with how many jobs each had then. */
  readonly queues: readonly { readonly queue: Text; readonly jobs: number }[];
  /** The mark of each node number: ids were minted up to it. */
  readonly nodes: Readonly<Record<string, number>>;
}

/** What was written of one queue. */
export interface QueueTotal {
  readonly queue: Text;
  readonly keys: number;
  readonly jobs: number;
}

/** The last line. */
export interface TrailerLine {
  readonly end: true;
  readonly queues: readonly QueueTotal[];
  /** Lines before this one. */
  readonly lines: number;
  /** Whether the queues are as they were at one instant. */
  readonly isExact: boolean;
  /** CRC-32 of all bytes before this member, in eight hexadecimal digits; it is the last one. */
  readonly crc32: string;
}

/** The line of a key. */
interface KeyLine {
  readonly key: Text;
  readonly type: RecordType;
  readonly items: readonly (Text | readonly Text[])[];
  readonly isMore?: true;
  readonly expiresAt?: number;
}

/** Any line, as it was parsed; nothing in it has been judged but its kind. */
export type ExportLine =
  | { readonly kind: "header"; readonly header: Record<string, unknown> }
  | { readonly kind: "queue"; readonly queue: Bytes }
  | { readonly kind: "key"; readonly record: KeyRecord }
  | { readonly kind: "trailer"; readonly trailer: Record<string, unknown> };

/** A byte string as JSON has it. */
export function textFrom(bytes: Bytes): Text {
  if (isAscii(bytes)) return bytes;
  const text = textOf(bytes);
  return bytesOf(text) === bytes ? text : { base64: base64Of(bytes) };
}

/** The byte string of a {@link Text}; `undefined` for what is none. */
export function bytesIn(text: unknown): Bytes | undefined {
  if (typeof text === "string") return bytesOf(text);
  if (typeof text !== "object" || text === null || !("base64" in text)) return undefined;
  return typeof text.base64 === "string" ? bytesOfBase64(text.base64) : undefined;
}

/** The line of a key, without its line feed. */
export function keyLine({ suffix, type, items, isFirst, expiresAt }: KeyRecord): string {
  const line: KeyLine = {
    key: textFrom(suffix),
    type,
    items: items.map((item) => (typeof item === "string" ? textFrom(item) : item.map(textFrom))),
    ...(isFirst ? {} : { isMore: true }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
  return JSON.stringify(line);
}

/** The line that names the queue of the keys that follow. */
export function queueLine(queue: Bytes): string {
  return JSON.stringify({ queue: textFrom(queue) });
}

/** What a line says; `undefined` for what is no line of an export. */
export function parseExportLine(text: string): ExportLine | undefined {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof line !== "object" || line === null) return undefined;
  if ("format" in line) return { kind: "header", header: line };
  if ("end" in line) return { kind: "trailer", trailer: line };
  if ("key" in line) {
    const record = recordIn(line);
    return record === undefined ? undefined : { kind: "key", record };
  }
  const queue = "queue" in line ? bytesIn(line.queue) : undefined;
  return queue === undefined ? undefined : { kind: "queue", queue };
}

function recordIn(line: object): KeyRecord | undefined {
  const { key, type, items, isMore, expiresAt } = line as Record<string, unknown>;
  const suffix = bytesIn(key);
  if (suffix === undefined || !RECORD_TYPES.includes(type as RecordType) || !Array.isArray(items)) return undefined;
  if (isMore !== undefined && isMore !== true) return undefined;
  if (expiresAt !== undefined && !Number.isSafeInteger(expiresAt)) return undefined;
  const read: Item[] = [];
  for (const item of items as readonly unknown[]) {
    const value = Array.isArray(item) ? bytesListIn(item) : bytesIn(item);
    if (value === undefined) return undefined;
    read.push(value);
  }
  return {
    suffix,
    type: type as RecordType,
    items: read,
    isFirst: isMore !== true,
    expiresAt: expiresAt as number | undefined,
  };
}

function bytesListIn(items: readonly unknown[]): readonly Bytes[] | undefined {
  const list = items.map(bytesIn);
  return list.includes(undefined) ? undefined : (list as Bytes[]);
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function base64Of(bytes: Bytes): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at;
    const [a, b, c] = [0, 1, 2].map((next) => (next < left ? bytes.charCodeAt(at + next) : 0)) as [
      number,
      number,
      number,
    ];
    const bits = (a << 16) | (b << 8) | c;
    for (let digit = 0; digit < 4; digit++) text += digit > left ? "=" : DIGITS[(bits >> (18 - 6 * digit)) & 63];
  }
  return text;
}

function bytesOfBase64(text: string): Bytes | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  let bytes = "";
  for (let at = 0; at < text.length; at += 4) {
    let bits = 0;
    for (let digit = 0; digit < 4; digit++) bits = (bits << 6) | Math.max(0, DIGITS.indexOf(text[at + digit] ?? ""));
    bytes += String.fromCharCode((bits >> 16) & 255, (bits >> 8) & 255, bits & 255);
  }
  return bytes.slice(0, bytes.length - padding);
}
