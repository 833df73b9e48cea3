/**
 * Telling the parents of a job of its end: in two steps, as every act reads before it writes.
 *
 * Whoever ends a job notes the end before the first write, and tells it when the job has ended. An end that was told
 * once is not told again: whoever removes a job that is over has nothing to tell.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { callDeliverer, type Kin, nothingTold, queueOf, readKin, signalDone, signalFailed, type Told } from "./kin.ts";
import { childDone, childFailed, childrenDone, REMOVED_ERROR, readParent } from "./parent.ts";
import { isOpen } from "./wake.ts";

/** Parents that are to hear of an end, and whether a parent that is released by it is to wake a worker. */
export interface Notice {
  readonly kin: Kin;
  readonly open: boolean;
}

/**
 * Notes the end of a job that has parents.
 *
 * @cold
 */
function noteKin(
  s: Server,
  base: Bytes,
  id: Bytes,
  parent: Bytes,
  how: Bytes,
  error: Bytes,
  wakes: boolean,
  before: Told | false,
): Notice {
  const told = before === false ? nothingTold() : before;
  const kin = readKin(s, base, id, parent, true);
  let open = false;
  if (kin.parent !== "") {
    open = wakes && isOpen(s, base);
    readParent(s, base, kin.parent, kin.child, how, kin.policy, error, told);
  }
  if (kin.far.length > 0) callDeliverer(s, base, told);
  return { kin, open };
}

/**
 * Notes an end before the first write; `false` for a job without parents. `parent` is that field of its row, `how` is
 * `done`, `failed` or `removed`, and `wakes` is whether a parent that is released wakes a worker: not in a `TURN`,
 * which sees to all work that it leaves. `told` is what an act that ends many jobs has told, `false` for any other.
 */
export function noteEnd(
  s: Server,
  base: Bytes,
  id: Bytes,
  parent: Bytes | false,
  how: Bytes,
  error: Bytes,
  wakes: boolean,
  told: Told | false,
): Notice | false {
  return parent === false ? false : noteKin(s, base, id, parent, how, error, wakes, told);
}

/**
 * Notes that a job goes with its whole queue: parents of the same queue go too. `false` when nobody is left to hear of
 * it.
 *
 * @cold
 */
export function noteLast(s: Server, base: Bytes, id: Bytes, parent: Bytes, told: Told): Notice | false {
  const kin = readKin(s, base, id, parent, true);
  const own = queueOf(base);
  const others: Bytes[] = [];
  const stop = kin.far.length;
  for (let i = 0; i < stop; i += 4) {
    const at = others.length;
    if (kin.far[i] !== own) for (let part = 0; part < 4; part += 1) others[at + part] = kin.far[i + part];
  }
  if (others.length === 0) return false;
  callDeliverer(s, base, told);
  return { kin: { parent: "", child: kin.child, policy: kin.policy, far: others }, open: false };
}

/** Completions of children that one act gathers: ids, their parents, and results, by the same place in each list. */
export interface Completions {
  readonly ids: Bytes[];
  readonly parents: Bytes[];
  readonly results: (Bytes | false)[];
}

/** A list of none. */
export function noCompletions(): Completions {
  return { ids: [], parents: [], results: [] };
}

/**
 * Notes the completions of a run before the first write: all of them together, which costs far less than one by one. A
 * parent that they release wakes nobody: the act sees to all work that it leaves.
 *
 * @cold
 */
export function noteRun(s: Server, base: Bytes, done: Completions): Kin[] {
  const kins: Kin[] = [];
  const told = nothingTold();
  const stop = done.ids.length;
  for (let i = 0; i < stop; i += 1) {
    const kin = readKin(s, base, done.ids[i], done.parents[i], true);
    if (kin.parent !== "") readParent(s, base, kin.parent, kin.child, "done", kin.policy, "", told);
    if (kin.far.length > 0) callDeliverer(s, base, told);
    kins[i] = kin;
  }
  return kins;
}

/** The completions of one parent's children. */
interface Fold {
  readonly parent: Bytes;
  readonly children: Bytes[];
  readonly results: Bytes[];
}

/**
 * Tells the completions of a run, each parent of the same queue once for all its children.
 *
 * @cold
 */
export function tellRun(s: Server, base: Bytes, kins: Kin[], results: (Bytes | false)[]): void {
  const folds: Fold[] = [];
  const places: Record<string, Fold> = {};
  const stop = kins.length;
  for (let i = 0; i < stop; i += 1) {
    const kin = kins[i];
    const result = results[i];
    if (kin.parent !== "") {
      let fold = places[`p:${kin.parent}`];
      if (fold === undefined) {
        fold = { parent: kin.parent, children: [], results: [] };
        places[`p:${kin.parent}`] = fold;
        folds[folds.length] = fold;
      }
      fold.children[fold.children.length] = kin.child;
      fold.results[fold.results.length] = result === false ? kin.child : result;
    }
    signalDone(s, base, kin, result);
  }
  for (const fold of folds) childrenDone(s, base, fold.parent, fold.children, fold.results, false);
}

/** Tells that a job has completed. `result` is `false` for none, which is told as the job's id. */
export function tellDone(s: Server, base: Bytes, ending: Notice | false, result: Bytes | false): void {
  if (ending === false) return;
  const kin = ending.kin;
  if (kin.parent !== "") childDone(s, base, kin.parent, kin.child, result === false ? kin.child : result, ending.open);
  signalDone(s, base, kin, result);
}

/** Tells that a job is dead. */
export function tellDead(s: Server, base: Bytes, ending: Notice | false, error: Bytes): void {
  if (ending === false) return;
  const kin = ending.kin;
  if (kin.parent !== "") childFailed(s, base, kin.parent, kin.child, error, kin.policy, false, ending.open);
  signalFailed(s, base, kin, error, false);
}

/** Tells that a job was removed before it was over. */
export function tellGone(s: Server, base: Bytes, ending: Notice | false): void {
  if (ending === false) return;
  const kin = ending.kin;
  if (kin.parent !== "") childFailed(s, base, kin.parent, kin.child, REMOVED_ERROR, kin.policy, true, ending.open);
  signalFailed(s, base, kin, REMOVED_ERROR, true);
}
