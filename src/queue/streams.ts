/**
 * The low-level verbs of streams, one method a verb, one plain command a call (docs/protocol/streams.md).
 *
 * A stream of a queue lies in its slot and holds records in the order of their minting. Appending never lets the server
 * choose an id and never trims: an id that is not above the newest is refused by the server, and what is taken out is
 * always asked for. Everything is checked before the first command, so a refusal here has written nothing.
 */

import type { Engine } from "../engine/engine.ts";
import { type Bytes, bytesOf } from "../protocol/bytes.ts";
import { EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { ENTRY_TAIL_MAX, entryIdOf } from "../protocol/record-id.ts";
import { assertKnownOptions, assertWhole, isName } from "./option-check.ts";
import { fieldBytes, type RecordFields, recordsIn, type StreamRecord } from "./stream-record.ts";
import { bytesReply, numberReply, QueueKeys } from "./verb-call.ts";

/** A record that is to be appended under an id that was minted before. */
export interface RecordDraft {
  readonly id: string;
  readonly fields: RecordFields;
}

/** The id is not above the newest of the stream, so nothing was written. */
export type AppendOutcome = "appended" | "nonmonotonic";

/**
 * Where reading begins and ends; both ends belong to it. Text is a bound of the server's: `-`, `+`, an id, `(` an id.
 */
export interface ReadRange {
  readonly from?: string;
  readonly to?: string;
  /** The most records, the oldest first; absent for no such bound. */
  readonly count?: number;
}

/** What stays when a stream is trimmed: so many of the newest, or all from an instant on. */
export type TrimWindow = { readonly maxLength: number } | { readonly from: Date | number };

/** The most records that one read asks for: what a reply holds has to fit in memory twice. */
export const READ_COUNT_MAX = 100_000;

const TRIM_TABLE = {
  owner: "trim",
  known: ["maxLength", "from"],
  foreign: { maxlen: "it is called maxLength", minid: "give from: an instant", before: "it is called from" },
  example: "{ maxLength: 1000 }",
};

const NOT_ABOVE_TOP = "ERR The ID specified in XADD is equal or smaller than the target stream top item";

/** The verbs of streams on one engine. */
export class Streams {
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  /**
   * Appends one record.
   *
   * @throws EchoMQError `invalid_stream`, `invalid_id`, `kind` and `invalid_record` before anything is sent.
   */
  async append(queue: string, stream: string, { id, fields }: RecordDraft): Promise<AppendOutcome> {
    return await this.#append(appendParts(streamKey(queue, stream), { id, fields }));
  }

  /**
   * Appends records in their order, each judged alone: a refused one stops nothing. All of them are checked before the
   * first is sent. An error that came instead of an answer stands in its place.
   */
  async appendMany(
    queue: string,
    stream: string,
    drafts: readonly RecordDraft[],
  ): Promise<(AppendOutcome | EchoMQError)[]> {
    const key = streamKey(queue, stream);
    const calls = drafts.map((draft) => appendParts(key, draft));
    return await Promise.all(calls.map((parts) => this.#append(parts).catch(asEchoMQError)));
  }

  /** The records of a range, in order; empty for a stream that is not there. */
  async read(queue: string, stream: string, range: ReadRange = {}): Promise<StreamRecord[]> {
    const { from = "-", to = "+", count } = range;
    if (count !== undefined) assertWhole(count, "count", { min: 0, max: READ_COUNT_MAX });
    const key = streamKey(queue, stream);
    if (count === 0) return [];
    const limit = count === undefined ? [] : ["COUNT", String(count)];
    return recordsIn(await this.#engine.command(["XRANGE", key, from, to, ...limit]));
  }

  /**
   * The records that were minted from one instant to another, both included.
   *
   * @throws EchoMQError `invalid_window` for an end before the beginning, and for what is no instant.
   */
  async readWindow(
    queue: string,
    stream: string,
    { from, to, count }: { readonly from: Date | number; readonly to: Date | number; readonly count?: number },
  ): Promise<StreamRecord[]> {
    if (instant(to, "to") < instant(from, "from")) {
      throw new EchoMQError("invalid_window", `A window ends at or after its beginning, not at ${shown(to)} before it`);
    }
    const bounds = { from: windowFloor(from), to: windowCeiling(to) };
    return await this.read(queue, stream, count === undefined ? bounds : { ...bounds, count });
  }

  /** The records that were minted at an instant or later. */
  async readSince(queue: string, stream: string, from: Date | number, count?: number): Promise<StreamRecord[]> {
    const bounds = { from: windowFloor(from) };
    return await this.read(queue, stream, count === undefined ? bounds : { ...bounds, count });
  }

  /** The newest record; `undefined` when there is none. */
  async newest(queue: string, stream: string): Promise<StreamRecord | undefined> {
    const [record] = recordsIn(
      await this.#engine.command(["XREVRANGE", streamKey(queue, stream), "+", "-", "COUNT", "1"]),
    );
    return record;
  }

  /** How many records there are. */
  async length(queue: string, stream: string): Promise<number> {
    return numberReply(await this.#engine.command(["XLEN", streamKey(queue, stream)]));
  }

  /**
   * Takes old records out; answers how many.
   *
   * @param options.approximate whole nodes of the server only (about a hundred records), which costs it far less and
   *   never takes more than was asked.
   * @throws EchoMQError `invalid_option` for both bounds or none of their kind, `unknown_option`, `invalid_window`.
   */
  async trim(
    queue: string,
    stream: string,
    window: TrimWindow,
    { approximate = false }: { readonly approximate?: boolean } = {},
  ): Promise<number> {
    const key = streamKey(queue, stream);
    const sign = approximate ? "~" : "=";
    return numberReply(await this.#engine.command(["XTRIM", key, ...trimParts(window, sign)]));
  }

  /** Deletes the stream with its groups and its mark of what was archived; answers whether there was any of them. */
  async remove(queue: string, stream: string): Promise<boolean> {
    const key = streamKey(queue, stream);
    return numberReply(await this.#engine.command(["UNLINK", key, `${key}:archived`])) > 0;
  }

  /** Notes the newest record that is archived elsewhere, for readers who want to know. */
  async putArchived(queue: string, stream: string, id: string): Promise<void> {
    entryIdOf(id);
    await this.#engine.command(["SET", archivedKey(queue, stream), id]);
  }

  /** The id of the newest archived record, as it was noted; `undefined` for none. */
  async getArchived(queue: string, stream: string): Promise<string | undefined> {
    const id = await this.#engine.command(["GET", archivedKey(queue, stream)]);
    return id === null ? undefined : bytesReply(id);
  }

  /** Forgets what was archived; answers whether anything was noted. */
  async clearArchived(queue: string, stream: string): Promise<boolean> {
    return numberReply(await this.#engine.command(["DEL", archivedKey(queue, stream)])) === 1;
  }

  async #append(parts: readonly Bytes[]): Promise<AppendOutcome> {
    try {
      await this.#engine.command(parts);
      return "appended";
    } catch (error) {
      if (isEchoMQError(error, "refused") && error.message === NOT_ABOVE_TOP) return "nonmonotonic";
      throw error;
    }
  }
}

/**
 * The key of a stream.
 *
 * @throws EchoMQError `invalid_queue`; `invalid_stream` for a name that is not 1 to 256 bytes of UTF-8 without braces
 *   and NUL, or ends in `:archived`, which is the key of another stream's mark.
 */
export function streamKey(queue: string, stream: string): Bytes {
  const { base } = new QueueKeys(queue);
  if (!isName(stream) || stream === "" || stream.endsWith(":archived")) {
    const rule = "A stream has a name of 1 to 256 bytes of UTF-8 without braces and NUL that does not end in :archived";
    throw new EchoMQError("invalid_stream", `${rule}, not ${quote(stream)}`, { details: { value: stream } });
  }
  return `${base}stream:${bytesOf(stream)}`;
}

function archivedKey(queue: string, stream: string): Bytes {
  return `${streamKey(queue, stream)}:archived`;
}

/** The lowest entry id of an instant. */
export function windowFloor(at: Date | number): string {
  return `${instant(at, "from")}-0`;
}

/** The highest entry id of an instant that a mint makes. */
export function windowCeiling(at: Date | number): string {
  return `${instant(at, "to")}-${ENTRY_TAIL_MAX}`;
}

function appendParts(key: Bytes, { id, fields }: RecordDraft): Bytes[] {
  const entryId = entryIdOf(id);
  return ["XADD", key, entryId, "id", id, ...fieldBytes(fields)];
}

function trimParts(window: TrimWindow, sign: "~" | "="): Bytes[] {
  assertKnownOptions(window ?? null, TRIM_TABLE);
  if ("maxLength" in window && "from" in window) {
    throw new EchoMQError("invalid_option", "A trim is to a maxLength or from an instant on: give one of them", {
      details: { option: "from" },
    });
  }
  if ("maxLength" in window) {
    assertWhole(window.maxLength, "maxLength", { min: 0, max: Number.MAX_SAFE_INTEGER });
    return ["MAXLEN", sign, String(window.maxLength)];
  }
  return ["MINID", sign, windowFloor(window.from)];
}

/** Unix milliseconds, a fraction cut off. */
function instant(at: Date | number, name: string): number {
  const ms = Math.floor(Number(at));
  if (Number.isSafeInteger(ms) && ms >= 0 && (typeof at === "number" || at instanceof Date)) return ms;
  throw new EchoMQError("invalid_window", `${name} must be a Date or Unix milliseconds, not ${quote(at)}`, {
    details: { value: at },
  });
}

function shown(at: Date | number): string {
  return new Date(Number(at)).toISOString();
}

function asEchoMQError(error: unknown): EchoMQError {
  if (isEchoMQError(error)) return error;
  throw error;
}
