/**
 * Finds the job that a caller means, by its id or by its alias.
 *
 * Text of the form of a job's id is one and costs nothing; all other text is an alias, whose key names the id. No alias
 * has that form, so neither is ever taken for the other.
 */

import { EchoMQError } from "../protocol/errors.ts";
import { quote } from "../protocol/quote.ts";
import { aliasName, isJobId } from "./dedup-name.ts";
import type { Jobs } from "./jobs.ts";

/** An id that no mint makes, to ask about where an alias names nobody: every verb answers that it is gone. */
export const NO_JOB_ID = "JOB00000000000";

/**
 * The id of a job; {@link NO_JOB_ID} when no job has the alias.
 *
 * @throws EchoMQError `invalid_id` for what is no text, `invalid_job_id` for text that no alias can be.
 */
export function findId(jobs: Jobs, queue: string, idOrAlias: string): string | Promise<string> {
  if (isJobId(idOrAlias)) return idOrAlias;
  if (typeof idOrAlias !== "string") {
    throw new EchoMQError("invalid_id", `An id must be text, not ${quote(idOrAlias)}`, {
      details: { id: idOrAlias },
    });
  }
  return namedId(jobs, queue, idOrAlias);
}

/**
 * Throws `invalid_job_id` for text that is neither an id nor can be an alias, before anybody is asked.
 */
export function assertIdOrJobId(idOrAlias: string): void {
  if (!isJobId(idOrAlias)) aliasName(idOrAlias);
}

async function namedId(jobs: Jobs, queue: string, alias: string): Promise<string> {
  const id = await jobs.getNamed(queue, aliasName(alias));
  return isJobId(id) ? id : NO_JOB_ID;
}
