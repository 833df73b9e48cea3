/**
 * From the row of a job, as it was when the job was added, to the record that a test looks at.
 */

import { PAYLOAD_BYTES_MAX } from "../queue/defaults.ts";
import { type JobVerbs, storedJob } from "../queue/job.ts";
import type { PayloadCodec } from "../queue/payload-codec.ts";
import type { AddedJobRecord } from "./added-job.ts";
import type { AddedRow } from "./job-book.ts";

/**
 * The record of a row.
 *
 * @throws EchoMQError `invalid_payload`, `unknown_codec`, `unknown_key` or `decryption_failed` when its data cannot be
 *   read: give the world the codec of the queue.
 */
export async function readAdded(added: AddedRow, verbs: JobVerbs, codec: PayloadCodec): Promise<AddedJobRecord> {
  const { queue, id, row, dueAt, addedAt } = added;
  const job = await storedJob({ verbs, codec, payloadBytesMax: PAYLOAD_BYTES_MAX }, id, row);
  return {
    queue,
    id,
    name: job.name,
    data: job.data,
    delayMs: dueAt === undefined ? 0 : Math.max(0, dueAt - addedAt),
    state: job.state,
    priority: job.priority,
    lane: job.lane,
    jobId: job.jobId,
    deduplicationId: job.deduplicationId,
    schedulerId: job.schedulerId,
    options: job.options,
    job,
  };
}
