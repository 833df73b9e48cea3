/**
 * Every scenario, in the order of the run: the rows of the reference's contract by their number, then the corrections
 * by theirs, then our own by file.
 */

import { fenceScenarios } from "./connection/fence.ts";
import { mintScenarios } from "./connection/mint.ts";
import { poolScenarios } from "./connection/pool.ts";
import { subscriptionScenarios } from "./connection/subscription.ts";
import { childScenarios } from "./flow/child.ts";
import { expectScenarios } from "./flow/expect.ts";
import { fclearScenarios } from "./flow/fclear.ts";
import { fdeliverScenarios } from "./flow/fdeliver.ts";
import { ffailScenarios } from "./flow/ffail.ts";
import { flowScenarios } from "./flow/flow.ts";
import { holdScenarios } from "./flow/hold.ts";
import { parkScenarios } from "./flow/park.ts";
import { admitScenarios } from "./job/admit.ts";
import { bclaimScenarios } from "./job/bclaim.ts";
import { cancelScenarios } from "./job/cancel.ts";
import { claimScenarios } from "./job/claim.ts";
import { completeScenarios } from "./job/complete.ts";
import { delayScenarios } from "./job/delay.ts";
import { enqueueScenarios } from "./job/enqueue.ts";
import { extendScenarios } from "./job/extend.ts";
import { extendmScenarios } from "./job/extendm.ts";
import { givebackScenarios } from "./job/giveback.ts";
import { logScenarios } from "./job/log.ts";
import { ownedScenarios } from "./job/owned.ts";
import { progressScenarios } from "./job/progress.ts";
import { promoteScenarios } from "./job/promote.ts";
import { reapScenarios } from "./job/reap.ts";
import { releaseScenarios } from "./job/release.ts";
import { removeScenarios } from "./job/remove.ts";
import { reprocessScenarios } from "./job/reprocess.ts";
import { resultScenarios } from "./job/result.ts";
import { retryScenarios } from "./job/retry.ts";
import { scheduleScenarios } from "./job/schedule.ts";
import { sweepScenarios } from "./job/sweep.ts";
import { turnScenarios } from "./job/turn.ts";
import { updateScenarios } from "./job/update.ts";
import { gbclaimScenarios } from "./lane/gbclaim.ts";
import { gclaimScenarios } from "./lane/gclaim.ts";
import { gdrainScenarios } from "./lane/gdrain.ts";
import { genqueueScenarios } from "./lane/genqueue.ts";
import { glimitScenarios } from "./lane/glimit.ts";
import { gorderScenarios } from "./lane/gorder.ts";
import { gpauseScenarios } from "./lane/gpause.ts";
import { grateScenarios } from "./lane/grate.ts";
import { greapScenarios } from "./lane/greap.ts";
import { greassignScenarios } from "./lane/greassign.ts";
import { gresumeScenarios } from "./lane/gresume.ts";
import { gwclaimScenarios } from "./lane/gwclaim.ts";
import { gweightScenarios } from "./lane/gweight.ts";
import { lanecountsScenarios } from "./lane/lanecounts.ts";
import { lanesScenarios } from "./lane/lanes.ts";
import { cleanScenarios } from "./operator/clean.ts";
import { drainScenarios } from "./operator/drain.ts";
import { limitsScenarios } from "./operator/limits.ts";
import { obliterateScenarios } from "./operator/obliterate.ts";
import { priorityScenarios as changePriorityScenarios } from "./operator/priority.ts";
import { purgeScenarios } from "./operator/purge.ts";
import { qpauseScenarios } from "./operator/qpause.ts";
import { qresumeScenarios } from "./operator/qresume.ts";
import { repairScenarios } from "./operator/repair.ts";
import { rescheduleScenarios } from "./operator/reschedule.ts";
import { reviveScenarios } from "./operator/revive.ts";
import { wpauseScenarios } from "./operator/wpause.ts";
import { countsScenarios } from "./read/counts.ts";
import { examineScenarios } from "./read/examine.ts";
import { explainScenarios } from "./read/explain.ts";
import { maxedScenarios } from "./read/maxed.ts";
import { ratettlScenarios } from "./read/ratettl.ts";
import { stateScenarios } from "./read/state.ts";
import { advanceScenarios } from "./repeat/advance.ts";
import { dueScenarios } from "./repeat/due.ts";
import { fireScenarios } from "./repeat/fire.ts";
import { firenowScenarios } from "./repeat/firenow.ts";
import { repeatScenarios } from "./repeat/repeat.ts";
import { showScenarios } from "./repeat/show.ts";
import { skipScenarios } from "./repeat/skip.ts";
import { unrepeatScenarios } from "./repeat/unrepeat.ts";
import { bytesScenarios } from "./rule/bytes.ts";
import { dedupScenarios } from "./rule/dedup.ts";
import { eventScenarios } from "./rule/events.ts";
import { fieldExpiryScenarios } from "./rule/field-expiry.ts";
import { foreignTypeScenarios } from "./rule/foreign-types.ts";
import { laneScenarios } from "./rule/lanes.ts";
import { limitScenarios } from "./rule/limits.ts";
import { priorityScenarios } from "./rule/priority.ts";
import { refusalScenarios } from "./rule/refusals.ts";
import { retentionScenarios } from "./rule/retention.ts";
import { sideKeyScenarios } from "./rule/side-keys.ts";
import { streamScenarios } from "./rule/streams.ts";
import { tokenScenarios } from "./rule/tokens.ts";
import { ttlScenarios } from "./rule/ttl.ts";
import { wakeScenarios } from "./rule/wake.ts";
import type { Scenario, ScenarioDraft, ScenarioPlane } from "./scenario.ts";

const FILES: Readonly<Record<ScenarioPlane, readonly (readonly ScenarioDraft[])[]>> = {
  connection: [fenceScenarios, mintScenarios, poolScenarios, subscriptionScenarios],
  job: [
    enqueueScenarios,
    scheduleScenarios,
    admitScenarios,
    claimScenarios,
    bclaimScenarios,
    turnScenarios,
    ownedScenarios,
    completeScenarios,
    retryScenarios,
    delayScenarios,
    givebackScenarios,
    promoteScenarios,
    reapScenarios,
    sweepScenarios,
    extendScenarios,
    extendmScenarios,
    cancelScenarios,
    updateScenarios,
    progressScenarios,
    logScenarios,
    removeScenarios,
    reprocessScenarios,
    releaseScenarios,
    resultScenarios,
  ],
  lane: [
    genqueueScenarios,
    gclaimScenarios,
    gwclaimScenarios,
    gbclaimScenarios,
    gweightScenarios,
    gpauseScenarios,
    gresumeScenarios,
    glimitScenarios,
    gorderScenarios,
    greassignScenarios,
    gdrainScenarios,
    grateScenarios,
    greapScenarios,
    lanesScenarios,
    lanecountsScenarios,
  ],
  repeat: [
    repeatScenarios,
    unrepeatScenarios,
    advanceScenarios,
    fireScenarios,
    firenowScenarios,
    skipScenarios,
    dueScenarios,
    showScenarios,
  ],
  flow: [
    flowScenarios,
    holdScenarios,
    childScenarios,
    expectScenarios,
    parkScenarios,
    fdeliverScenarios,
    ffailScenarios,
    fclearScenarios,
  ],
  operator: [
    qpauseScenarios,
    wpauseScenarios,
    qresumeScenarios,
    limitsScenarios,
    drainScenarios,
    obliterateScenarios,
    purgeScenarios,
    cleanScenarios,
    reviveScenarios,
    rescheduleScenarios,
    changePriorityScenarios,
    repairScenarios,
  ],
  read: [countsScenarios, maxedScenarios, ratettlScenarios, stateScenarios, explainScenarios, examineScenarios],
  rule: [
    laneScenarios,
    dedupScenarios,
    eventScenarios,
    limitScenarios,
    priorityScenarios,
    bytesScenarios,
    sideKeyScenarios,
    tokenScenarios,
    fieldExpiryScenarios,
    retentionScenarios,
    ttlScenarios,
    streamScenarios,
    wakeScenarios,
    foreignTypeScenarios,
    refusalScenarios,
  ],
};

/** Rows stand first; a correction `c07_…` stands behind all rows, at its number. */
function placeOf({ row, name }: Scenario): number {
  if (row !== undefined) return row;
  const correction = /^c(\d\d)_/.exec(name)?.[1];
  return correction === undefined ? 2000 : 1000 + Number(correction);
}

/** Every scenario, in the order of the run. */
export const SCENARIOS: readonly Scenario[] = (Object.entries(FILES) as [ScenarioPlane, readonly ScenarioDraft[][]][])
  .flatMap(([plane, files]) => files.flat().map((draft): Scenario => ({ ...draft, plane })))
  // The sort is stable, so scenarios of one place keep the order of their files.
  .sort((left, right) => placeOf(left) - placeOf(right));
