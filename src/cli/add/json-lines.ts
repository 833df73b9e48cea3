/**
 * Reads JSON documents, one a line, from a stream of any length.
 *
 * Lines end at a line feed and nowhere else: JSON text may hold other characters that some readers take for line ends.
 * What is wrong is told with the number of its line, and a line that is longer than any payload may be is refused while
 * it comes, so that memory has a bound.
 */

import { causeText } from "../../protocol/cause-text.ts";
import { PAYLOAD_BYTES_MAX_DEFAULT } from "../../queue/defaults.ts";
import { CliError } from "../cli-error.ts";

/** One document. */
export interface JsonLine {
  /** Number of its line, from 1. */
  readonly line: number;
  readonly value: unknown;
  readonly bytes: number;
}

const LINE_FEED = 0x0a;

/** The documents of a stream; blank lines are passed over. Throws CliError `bad_line`. */
export async function* readJsonLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<JsonLine> {
  let line = 0;
  for await (const bytes of readLines(chunks)) {
    line++;
    const parsed = parseLine(bytes, line);
    if (parsed !== undefined) yield parsed;
  }
}

/** One JSON document from a whole stream, such as a payload that is piped in. Throws CliError `bad_json`. */
export async function readJsonDocument(chunks: AsyncIterable<Uint8Array>): Promise<unknown> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > PAYLOAD_BYTES_MAX_DEFAULT) throw tooLong("the input", "bad_json");
    parts.push(chunk);
  }
  return parseJson(decode(Buffer.concat(parts), "the input", "bad_json"), "the input", "bad_json");
}

/** The value of a JSON text from `where`. Throws CliError with `code`. */
export function parseJson(text: string, where: string, code: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const why = causeText(cause);
    throw new CliError("usage", `${where} is no JSON: ${why}`, { code, cause });
  }
}

async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let parts: Uint8Array[] = [];
  let length = 0;
  let count = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      parts.push(chunk.subarray(from, end));
      yield Buffer.concat(parts);
      parts = [];
      length = 0;
      count++;
      from = end + 1;
    }
    length += chunk.length - from;
    if (length > PAYLOAD_BYTES_MAX_DEFAULT) throw tooLong(`line ${count + 1}`, "bad_line");
    if (from < chunk.length) parts.push(chunk.subarray(from));
  }
  if (length > 0) yield Buffer.concat(parts);
}

function parseLine(bytes: Uint8Array, line: number): JsonLine | undefined {
  const where = `line ${line}`;
  if (bytes.length > PAYLOAD_BYTES_MAX_DEFAULT) throw tooLong(where, "bad_line");
  const text = decode(bytes, where, "bad_line");
  if (text.trim() === "") return undefined;
  return { line, value: parseJson(text, where, "bad_line"), bytes: bytes.length };
}

function decode(bytes: Uint8Array, where: string, code: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new CliError("usage", `${where} is no UTF-8 text`, { code, cause });
  }
}

function tooLong(where: string, code: string): CliError {
  const text = `${where} has more than the ${PAYLOAD_BYTES_MAX_DEFAULT} bytes that a payload may have`;
  return new CliError("usage", text, { code });
}
