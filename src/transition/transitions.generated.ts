/**
 * Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.
 */

import type { Verb } from "../protocol/verbs.generated.ts";
import { child } from "./flow/child.ts";
import { expect } from "./flow/expect.ts";
import { fclear } from "./flow/fclear.ts";
import { fdeliver } from "./flow/fdeliver.ts";
import { ffail } from "./flow/ffail.ts";
import { flow } from "./flow/flow.ts";
import { hold } from "./flow/hold.ts";
import { park } from "./flow/park.ts";
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
import { result } from "./job/result.ts";
import { retry } from "./job/retry.ts";
import { schedule } from "./job/schedule.ts";
import { sweep } from "./job/sweep.ts";
import { turn } from "./job/turn.ts";
import { update } from "./job/update.ts";
import { gbclaim } from "./lane/gbclaim.ts";
import { gclaim } from "./lane/gclaim.ts";
import { gdrain } from "./lane/gdrain.ts";
import { genqueue } from "./lane/genqueue.ts";
import { glimit } from "./lane/glimit.ts";
import { gorder } from "./lane/gorder.ts";
import { gpause } from "./lane/gpause.ts";
import { grate } from "./lane/grate.ts";
import { greap } from "./lane/greap.ts";
import { greassign } from "./lane/greassign.ts";
import { gresume } from "./lane/gresume.ts";
import { gwclaim } from "./lane/gwclaim.ts";
import { gweight } from "./lane/gweight.ts";
import { lanecounts } from "./lane/lanecounts.ts";
import { lanes } from "./lane/lanes.ts";
import { clean } from "./operator/clean.ts";
import { drain } from "./operator/drain.ts";
import { limits } from "./operator/limits.ts";
import { obliterate } from "./operator/obliterate.ts";
import { priority } from "./operator/priority.ts";
import { purge } from "./operator/purge.ts";
import { qpause } from "./operator/qpause.ts";
import { qresume } from "./operator/qresume.ts";
import { repair } from "./operator/repair.ts";
import { reschedule } from "./operator/reschedule.ts";
import { revive } from "./operator/revive.ts";
import { wpause } from "./operator/wpause.ts";
import { counts } from "./read/counts.ts";
import { examine } from "./read/examine.ts";
import { explain } from "./read/explain.ts";
import { maxed } from "./read/maxed.ts";
import { ratettl } from "./read/ratettl.ts";
import { state } from "./read/state.ts";
import { advance } from "./repeat/advance.ts";
import { due } from "./repeat/due.ts";
import { fire } from "./repeat/fire.ts";
import { firenow } from "./repeat/firenow.ts";
import { repeatAct } from "./repeat/repeat.ts";
import { show } from "./repeat/show.ts";
import { skip } from "./repeat/skip.ts";
import { unrepeat } from "./repeat/unrepeat.ts";
import type { Transition } from "./server.ts";

/** Every act, by its verb. */
export const TRANSITIONS: Readonly<Record<Verb, Transition>> = {
  CHILD: child,
  EXPECT: expect,
  FCLEAR: fclear,
  FDELIVER: fdeliver,
  FFAIL: ffail,
  FLOW: flow,
  HOLD: hold,
  PARK: park,
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
  RESULT: result,
  RETRY: retry,
  SCHEDULE: schedule,
  SWEEP: sweep,
  TURN: turn,
  UPDATE: update,
  GBCLAIM: gbclaim,
  GCLAIM: gclaim,
  GDRAIN: gdrain,
  GENQUEUE: genqueue,
  GLIMIT: glimit,
  GORDER: gorder,
  GPAUSE: gpause,
  GRATE: grate,
  GREAP: greap,
  GREASSIGN: greassign,
  GRESUME: gresume,
  GWCLAIM: gwclaim,
  GWEIGHT: gweight,
  LANECOUNTS: lanecounts,
  LANES: lanes,
  CLEAN: clean,
  DRAIN: drain,
  LIMITS: limits,
  OBLITERATE: obliterate,
  PRIORITY: priority,
  PURGE: purge,
  QPAUSE: qpause,
  QRESUME: qresume,
  REPAIR: repair,
  RESCHEDULE: reschedule,
  REVIVE: revive,
  WPAUSE: wpause,
  COUNTS: counts,
  EXAMINE: examine,
  EXPLAIN: explain,
  MAXED: maxed,
  RATETTL: ratettl,
  STATE: state,
  ADVANCE: advance,
  DUE: due,
  FIRE: fire,
  FIRENOW: firenow,
  REPEAT: repeatAct,
  SHOW: show,
  SKIP: skip,
  UNREPEAT: unrepeat,
};
