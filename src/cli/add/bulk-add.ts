/**
 * Adds a job for each line of a file, slice after slice.
 *
 * The jobs of a slice whose answer was lost are added again under the same ids, which stores each of them once; those
 * that were answered are not, since they may be over by now. So a short outage neither doubles nor drops a job. When it
 * must give up, the error names the line at which a later run goes on.
 */

import { isEchoMQError } from "../../protocol/errors.ts";
import type { JobOptions } from "../../queue/job-options.ts";
import type { QueueCore } from "../../queue/queue.ts";
import { CliError } from "../cli-error.ts";
import type { Host } from "../host.ts";
import type { JsonLine } from "./json-lines.ts";

/** Jobs and bytes of one slice, at most, one job excepted: enough to keep the server busy, little enough to hold. */
const SLICE_JOBS = 1000;
const SLICE_BYTES = 4 * 2 ** 20;

/** How often a slice is added again, and the wait before, in ms. */
const REPEATS_MAX = 5;
const REPEAT_WAIT_MS = 1000;

/** What a bulk of lines is added with. */
export interface BulkAddOptions {
  readonly queue: QueueCore;
  /** Name and options of every job. */
  readonly name: string;
  readonly options: JobOptions;
  readonly host: Host;
  /** Ends the work after the slice that is on its way. */
  readonly signal: AbortSignal;
  /** Told after each slice how many jobs it had. */
  readonly onAdded: (jobs: number) => void;
}

/**
 * Adds all `lines`. Throws what a bad line or the server is to blame for; the lines before a bad one are then added.
 */
export async function bulkAdd(lines: AsyncIterable<JsonLine>, options: BulkAddOptions): Promise<void> {
  for await (const slice of slicesOf(lines)) {
    if (options.signal.aborted) return;
    await addSlice(slice, options);
  }
}

async function* slicesOf(lines: AsyncIterable<JsonLine>): AsyncGenerator<readonly JsonLine[]> {
  let slice: JsonLine[] = [];
  let bytes = 0;
  try {
    for await (const line of lines) {
      if (slice.length > 0 && (slice.length >= SLICE_JOBS || bytes + line.bytes > SLICE_BYTES)) {
        yield slice;
        slice = [];
        bytes = 0;
      }
      slice.push(line);
      bytes += line.bytes;
    }
  } catch (error) {
    if (slice.length > 0) yield slice;
    throw error;
  }
  if (slice.length > 0) yield slice;
}

/** A line that is not known to be added. */
interface OpenLine extends JsonLine {
  /** What it was sent with, once it was. */
  readonly id?: string;
}

async function addSlice(slice: readonly JsonLine[], bulk: BulkAddOptions): Promise<void> {
  let open: readonly OpenLine[] = slice;
  for (let repeats = 0; ; repeats++) {
    try {
      await bulk.queue.addBulk(
        open.map(({ value, id }) => {
          return { name: bulk.name, data: value, opts: id === undefined ? bulk.options : { ...bulk.options, id } };
        }),
      );
      return bulk.onAdded(slice.length);
    } catch (error) {
      if (isEchoMQError(error)) open = stillOpen(open, error.details);
      if (!isEchoMQError(error) || !error.retryable || repeats === REPEATS_MAX || bulk.signal.aborted) {
        throw stoppedAt(open, error);
      }
      await bulk.host.wait(REPEAT_WAIT_MS, bulk.signal);
    }
  }
}

/** The lines that a failed bulk leaves open, with the ids that it gave them; all of them when it sent none. */
function stillOpen(open: readonly OpenLine[], { ids, failed }: Readonly<Record<string, unknown>>): readonly OpenLine[] {
  if (!Array.isArray(ids) || !Array.isArray(failed)) return open;
  const places = new Set<unknown>(failed);
  return open.map((line, at) => ({ ...line, id: String(ids[at]) })).filter((_, at) => places.has(at));
}

function stoppedAt(slice: readonly JsonLine[], error: unknown): unknown {
  if (!isEchoMQError(error)) return error;
  const [first, last] = [slice[0]?.line, slice.at(-1)?.line];
  const text =
    `lines ${first} to ${last} were perhaps not all added, those before them were: ${error.message} ` +
    `--from-line ${first} goes on from there.`;
  return new CliError("failed", text, { code: error.code, cause: error });
}
