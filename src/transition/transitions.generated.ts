/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Verb } from "../protocol/verbs.generated.ts";
import { admit } from "./job/admit.ts";
import { bclaim } from "./job/bclaim.ts";
import { cancel } from "./job/cancel.ts";
import { claim } from "./job/claim.ts";
import { complete } from "./job/complete.ts";
import { delay } from "./job/delay.ts";
import { enqueue } from "./job/enqueue.ts";
import { extend } from "./job/extend.ts";
import { extendm } from "./job/extendm.ts";
import { giveback } from "./job/giveback.ts";
import { log } from "./job/log.ts";
import { owned } from "./job/owned.ts";
import { progress } from "./job/progress.ts";
import { promote } from "./job/promote.ts";
import { reap } from "./job/reap.ts";
import { release } from "./job/release.ts";
import { remove } from "./job/remove.ts";
import { reprocess } from "./job/reprocess.ts";
import { retry } from "./job/retry.ts";
import { schedule } from "./job/schedule.ts";
import { sweep } from "./job/sweep.ts";
import { turn } from "./job/turn.ts";
import { update } from "./job/update.ts";
import { qpause } from "./operator/qpause.ts";
import { qresume } from "./operator/qresume.ts";
import { counts } from "./read/counts.ts";
import { explain } from "./read/explain.ts";
import { maxed } from "./read/maxed.ts";
import { state } from "./read/state.ts";
import type { Transition } from "./server.ts";

/** Every act, by its verb. */
export const TRANSITIONS: Readonly<Record<Verb, Transition>> = {
  ADMIT: admit,
  BCLAIM: bclaim,
  CANCEL: cancel,
  CLAIM: claim,
  COMPLETE: complete,
  DELAY: delay,
  ENQUEUE: enqueue,
  EXTEND: extend,
  EXTENDM: extendm,
  GIVEBACK: giveback,
  LOG: log,
  OWNED: owned,
  PROGRESS: progress,
  PROMOTE: promote,
  REAP: reap,
  RELEASE: release,
  REMOVE: remove,
  REPROCESS: reprocess,
  RETRY: retry,
  SCHEDULE: schedule,
  SWEEP: sweep,
  TURN: turn,
  UPDATE: update,
  QPAUSE: qpause,
  QRESUME: qresume,
  COUNTS: counts,
  EXPLAIN: explain,
  MAXED: maxed,
  STATE: state,
};
