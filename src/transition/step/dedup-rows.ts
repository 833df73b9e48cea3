/**
 * The rows of `ADMIT` that carry a deduplication id or an alias.
 *
 * A name is a key `de:<name>` that holds the id of a job. It counts only while that job lives, whatever the key says,
 * so a name that a crash or a foreign speaker left behind holds nothing back. What each name means is read once an act
 * and then kept in a slot, so that rows of one act see one another, and a thousand rows of one name cost one write.
 *
 * A job that is replaced keeps its id and its place in the order of its lane: whoever waits for it still gets an
 * answer, and a stream of replacements does not push it back for ever.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { type Admission, addLetters, dueOf, except, offsetOf, place, type Run } from "./admission.ts";
import { dueIn } from "./bound.ts";
import { PARKED_AT, readNames } from "./dedup.ts";
import { erase } from "./erase.ts";
import { LANE_SETTINGS_MAX, readLanes, SETTINGS_FULL } from "./lane.ts";
import { limitTime, unlimitTime } from "./ttl.ts";
import { stopWaiting } from "./waiting.ts";

/** Fields of a holder's row, in the order in which {@link readRow} reads them. */
const STATE = 0;
const GROUP = 1;
const DEDUP = 2;
const ALIAS = 3;
const NEXT = 4;
const ATTEMPTS = 5;
const LATEST = 6;
const HELD = 7;

/** What is to become of a row whose deduplication id is held or free. */
const FRESH = 0;
const HELD_BACK = 1;
const REPLACE = 2;
const FOLLOW = 3;

/** One name, as the act sees it. */
interface Slot {
  readonly key: Bytes;
  /** The id that holds it, empty for none. */
  id: Bytes;
  /** The holder's row as it is stored. */
  fields: (Bytes | false)[];
  /** The job of this act that holds it. */
  entry: Entry | false;
  /** The job of this act that runs after the holder. */
  follower: Entry | false;
  /** Id and row of the stored job that runs after the holder; empty for none, `sought` once it was looked for. */
  nextId: Bytes;
  nextFields: (Bytes | false)[];
  sought: boolean;
  /** Whether the key is to be written, and how long it holds at most; empty for as long as its job lives. */
  isWritten: boolean;
  ms: Bytes;
}

/** One job that is to be written: a new one, or one that is replaced in its place. */
interface Entry {
  readonly id: Bytes;
  readonly row: Bytes;
  /** The row as it is stored, empty for a new job. */
  readonly stored: (Bytes | false)[];
  /** The job after whose end it runs, empty for none. */
  readonly follows: Bytes;
  /** Where its values stand: those of the last row that asked for it. */
  run: Run;
  at: number;
  /** The name that it holds and goes with it, and its alias; empty for none. */
  dedup: Bytes;
  alias: Bytes;
  aliasSlot: Slot | false;
  /** The latest instant at which it may fall due, -1 for any; and when it does, -1 for at once. */
  latest: number;
  due: number;
  /** Where it is going to wait, once that is decided. */
  state: Bytes;
}

/** A finished job that gives way to one of the same alias. */
interface Finished {
  readonly id: Bytes;
  readonly group: Bytes | false;
  readonly dedup: Bytes | false;
}

/** What an act gathers of its named rows. */
export interface Named {
  readonly slots: Record<string, Slot>;
  readonly used: Slot[];
  readonly entries: Entry[];
  /** `s:<id>` to the entry of a stored job: two names may hold one job, which must not be placed twice. */
  readonly known: Record<string, Entry>;
  readonly finished: Finished[];
  /** Keys of aliases that their jobs give up. */
  readonly loose: Bytes[];
  /** Lane and limit in turn, for lanes that have none yet. */
  readonly limits: Bytes[];
  /** The lanes of {@link limits}: the first row of an act that gives a lane its limit wins. */
  readonly limited: Record<string, boolean>;
}

function readRow(s: Server, row: Bytes): (Bytes | false)[] {
  return s.call("HMGET", row, "state", "group", "dedup", "alias", "next", "attempts", "latest", "held");
}

/** The slot of a name. */
function slotOf(s: Server, base: Bytes, named: Named, name: Bytes): Slot {
  const key = `${base}de:${name}`;
  const known = named.slots[key];
  if (known !== undefined) return known;
  const id = s.call("GET", key);
  const slot: Slot = {
    key,
    id: id === false ? "" : id,
    fields: id === false ? [false] : readRow(s, `${base}job:${id}`),
    entry: false,
    follower: false,
    nextId: "",
    nextFields: [],
    sought: false,
    isWritten: false,
    ms: "",
  };
  named.slots[key] = slot;
  named.used[named.used.length] = slot;
  return slot;
}

/** The state of a job that this act writes. */
function plannedState(s: Server, entry: Entry, args: Bytes[]): Bytes {
  return entry.follows !== "" || dueOf(s, entry.run, args, entry.at) >= 0 ? "scheduled" : "pending";
}

/** The state of a slot's holder, `false` when there is none. */
function holderState(s: Server, slot: Slot, args: Bytes[]): Bytes | false {
  const entry = slot.entry;
  return entry === false ? slot.fields[STATE] : plannedState(s, entry, args);
}

/** What a mode makes of a row while `state` is that of the holder of its deduplication id. */
function decide(slot: Slot, mode: Bytes, state: Bytes | false): number {
  if (mode === "throttle" || mode === "slide") return slot.id === "" ? FRESH : HELD_BACK;
  const begun = state === "active" || (slot.entry === false && slot.fields[HELD] === "1");
  if (begun && (state === "active" || state === "scheduled" || state === "pending")) {
    if (mode === "debounce" || mode === "short") return FRESH;
    return mode === "follow" || mode === "latest" ? FOLLOW : HELD_BACK;
  }
  if (state === "pending" || state === "scheduled") {
    return mode === "replace" || mode === "debounce" || mode === "latest" ? REPLACE : HELD_BACK;
  }
  return state === "awaiting_children" ? HELD_BACK : FRESH;
}

/** Looks for the job that runs after a slot's holder. One that was promoted by hand, or is gone, is none. */
function seekNext(s: Server, base: Bytes, slot: Slot): void {
  const next = slot.fields[NEXT];
  if (slot.sought) return;
  slot.sought = true;
  if (slot.entry !== false || next === false || next === undefined) return;
  const fields = readRow(s, `${base}job:${next}`);
  const score = s.call("ZSCORE", `${base}schedule`, next);
  if (fields[STATE] !== "scheduled" || score === false || s.num(score) !== PARKED_AT) return;
  slot.nextId = next;
  slot.nextFields = fields;
}

/** Reads where a stored job waits, before the first write. */
function readStoredPlace(s: Server, base: Bytes, fields: (Bytes | false)[]): void {
  const group = fields[GROUP];
  if (group !== false) readLanes(s, base, [group], 1);
}

/** Lets an entry give up the alias that this act, or an earlier one, gave it. */
function giveUpAlias(s: Server, base: Bytes, named: Named, entry: Entry): void {
  const slot = entry.aliasSlot;
  if (slot !== false) {
    slot.id = "";
    slot.fields = [false];
    slot.entry = false;
    slot.isWritten = false;
    entry.aliasSlot = false;
  }
  if (entry.stored.length === 0) return;
  const old = entry.stored[ALIAS];
  if (old === false || old === "" || old === entry.alias) return;
  const known = slotOf(s, base, named, old);
  if (known.id !== entry.id) return;
  named.loose[named.loose.length] = known.key;
  known.id = "";
  known.fields = [false];
  known.entry = false;
}

/** Lets an entry hold an alias. While the job that it follows holds it, it has to wait for it. */
function takeAlias(entry: Entry, alias: Bytes, slot: Slot): void {
  entry.alias = alias;
  if (slot.id !== "" && slot.id !== entry.id) return;
  slot.id = entry.id;
  slot.entry = entry;
  slot.isWritten = true;
  entry.aliasSlot = slot;
}

/** The alias that a row asks for, empty for none. */
function aliasOf(run: Run, args: Bytes[], at: number): Bytes {
  const offset = offsetOf(run.shape, "j") + offsetOf(run.shape, "k");
  return offset > 0 ? args[at + offset] : "";
}

/** Keeps the first bound of a chain of replacements. */
function boundDue(s: Server, entry: Entry, args: Bytes[]): void {
  const offset = offsetOf(entry.run.shape, "w");
  if (offset > 0 && entry.latest < 0) entry.latest = dueIn(s, s.num(args[entry.at + offset]));
}

/** A job that is to be written, with the values of a row. */
function addEntry(
  s: Server,
  admission: Admission,
  named: Named,
  run: Run,
  at: number,
  id: Bytes,
  stored: (Bytes | false)[],
  follows: Bytes,
): Entry {
  const known = named.known[`s:${id}`];
  if (known !== undefined) return known;
  const latest = stored.length > 0 ? stored[LATEST] : false;
  const entry: Entry = {
    id,
    row: `${admission.base}job:${id}`,
    stored,
    follows,
    run,
    at,
    dedup: "",
    alias: "",
    aliasSlot: false,
    latest: latest === false ? -1 : s.num(latest),
    due: -1,
    state: "",
  };
  named.entries[named.entries.length] = entry;
  if (stored.length > 0) {
    named.known[`s:${id}`] = entry;
    readStoredPlace(s, admission.base, stored);
  }
  return entry;
}

/** Gives a job that waits the values of a row. */
function rework(
  s: Server,
  admission: Admission,
  named: Named,
  entry: Entry,
  run: Run,
  args: Bytes[],
  at: number,
): void {
  const alias = aliasOf(run, args, at);
  entry.run = run;
  entry.at = at;
  boundDue(s, entry, args);
  if (alias !== "" && alias !== entry.alias) {
    const slot = slotOf(s, admission.base, named, alias);
    entry.alias = alias;
    giveUpAlias(s, admission.base, named, entry);
    takeAlias(entry, alias, slot);
  }
  admission.admitted[entry.id] = plannedState(s, entry, args);
}

/** How long a name is to hold at most, empty for no such bound. */
function msOf(run: Run, args: Bytes[], at: number): Bytes {
  const offset = offsetOf(run.shape, "t");
  return offset > 0 ? args[at + offset] : "";
}

/** The mode of a row. */
function modeOf(run: Run, args: Bytes[], at: number): Bytes {
  const offset = offsetOf(run.shape, "m");
  return offset > 0 ? args[at + offset] : "keep";
}

/** Admits a row as a job of its own. */
function admitNew(
  s: Server,
  admission: Admission,
  named: Named,
  run: Run,
  args: Bytes[],
  at: number,
  slot: Slot | false,
  follows: Bytes,
): void {
  const id = args[at];
  const mode = modeOf(run, args, at);
  const alias = aliasOf(run, args, at);
  const entry = addEntry(s, admission, named, run, at, id, [], follows);
  boundDue(s, entry, args);
  if (alias !== "") takeAlias(entry, alias, slotOf(s, admission.base, named, alias));
  if (slot !== false) {
    // A window that outlasts its job is not the job's to end.
    if (mode !== "throttle" && mode !== "slide") entry.dedup = args[at + offsetOf(run.shape, "d")];
    if (follows === "") {
      slot.id = id;
      slot.entry = entry;
      slot.follower = false;
      slot.sought = false;
      slot.nextId = "";
      slot.isWritten = true;
      slot.ms = msOf(run, args, at);
    } else {
      slot.follower = entry;
    }
  }
  admission.admitted[id] = plannedState(s, entry, args);
}

/** Admits a row that runs after the active holder, or gives its values to the one that does already. */
function follow(
  s: Server,
  admission: Admission,
  named: Named,
  run: Run,
  args: Bytes[],
  at: number,
  slot: Slot,
  position: number,
): void {
  if (slot.follower === false && slot.nextId !== "") {
    const next = addEntry(s, admission, named, run, at, slot.nextId, slot.nextFields, slot.id);
    next.dedup = args[at + offsetOf(run.shape, "d")];
    const alias = slot.nextFields[ALIAS];
    if (alias !== false) next.alias = alias;
    slot.follower = next;
  }
  const follower = slot.follower;
  if (follower === false) {
    admitNew(s, admission, named, run, args, at, slot, slot.id);
  } else {
    rework(s, admission, named, follower, run, args, at);
    except(admission, position, [3, follower.id]);
  }
}

/** Gives the values of a row to the holder of its deduplication id. */
function replace(
  s: Server,
  admission: Admission,
  named: Named,
  run: Run,
  args: Bytes[],
  at: number,
  slot: Slot,
  position: number,
): void {
  let entry = slot.entry;
  if (entry === false) {
    entry = addEntry(s, admission, named, run, at, slot.id, slot.fields, "");
    const dedup = slot.fields[DEDUP];
    const alias = slot.fields[ALIAS];
    if (dedup !== false) entry.dedup = dedup;
    if (alias !== false) entry.alias = alias;
    slot.entry = entry;
  }
  rework(s, admission, named, entry, run, args, at);
  if (modeOf(run, args, at) === "debounce") slot.ms = msOf(run, args, at);
  except(admission, position, [3, entry.id]);
}

/** Whether the job that an alias names is the one that the row is going to change, and so not in its way. */
function isChanged(slot: Slot | false, what: number, id: Bytes): boolean {
  if (slot === false || what < REPLACE) return false;
  const follower = slot.follower === false ? slot.nextId : slot.follower.id;
  return id === slot.id || id === follower;
}

/**
 * Lets a row pass its alias: nobody has it, the job that has it is changed by the row, or it is over and gives way.
 * Answers false when the row is a duplicate.
 */
function passAlias(
  s: Server,
  admission: Admission,
  named: Named,
  run: Run,
  args: Bytes[],
  at: number,
  slot: Slot | false,
  what: number,
  position: number,
): boolean {
  const own = slotOf(s, admission.base, named, aliasOf(run, args, at));
  const state = holderState(s, own, args);
  const isOver = own.entry === false && (state === "dead" || state === "completed");
  const gives = isOver && offsetOf(run.shape, "k") > 0;
  if (state !== false && !gives) {
    if (isChanged(slot, what, own.id)) return true;
    except(admission, position, [1, own.id, state]);
    return false;
  }
  if (what === HELD_BACK) return true;
  if (gives) {
    named.finished[named.finished.length] = { id: own.id, group: own.fields[GROUP], dedup: own.fields[DEDUP] };
    readStoredPlace(s, admission.base, own.fields);
    readNames(s, admission.base, own.id, own.fields[DEDUP], true);
    if (what === FRESH) except(admission, position, [4, own.id, state]);
  }
  own.id = "";
  own.fields = [false];
  return true;
}

/** Judges one row that carries a name and whose own id is new. */
function judgeRow(
  s: Server,
  admission: Admission,
  named: Named,
  run: Run,
  args: Bytes[],
  at: number,
  position: number,
): void {
  const dedupAt = offsetOf(run.shape, "d");
  const slot = dedupAt > 0 ? slotOf(s, admission.base, named, args[at + dedupAt]) : false;
  const mode = modeOf(run, args, at);
  const what = slot === false ? FRESH : decide(slot, mode, holderState(s, slot, args));
  if (slot !== false && what === FOLLOW) seekNext(s, admission.base, slot);
  if (aliasOf(run, args, at) !== "" && !passAlias(s, admission, named, run, args, at, slot, what, position)) return;
  if (slot === false || what === FRESH) {
    admitNew(s, admission, named, run, args, at, slot, "");
  } else if (what === REPLACE) {
    replace(s, admission, named, run, args, at, slot, position);
  } else if (what === FOLLOW) {
    follow(s, admission, named, run, args, at, slot, position);
  } else {
    except(admission, position, [2, slot.id]);
    if (mode === "extend" || mode === "slide") slot.ms = msOf(run, args, at);
  }
}

/**
 * Notes the limit that a row asks for its lane, when neither the queue nor a row before has given it one. Answers false
 * when there is no room for it.
 */
function noteLimit(s: Server, admission: Admission, named: Named, run: Run, args: Bytes[], at: number): boolean {
  const offset = offsetOf(run.shape, "l");
  if (offset === 0 || run.lane === 0) return true;
  const lane = args[at + run.lane];
  const limits = `${admission.base}glimit`;
  if (named.limited[`l:${lane}`] === true || s.call("HEXISTS", limits, lane) === 1) return true;
  if (s.call("HLEN", limits) + named.limits.length / 2 >= LANE_SETTINGS_MAX) return false;
  // Read before the first write, as lowering a lane to its limit touches them.
  s.call("HGET", `${admission.base}gactive`, lane);
  s.call("LLEN", `${admission.base}ring`);
  named.limited[`l:${lane}`] = true;
  named.limits[named.limits.length] = lane;
  named.limits[named.limits.length] = args[at + offset];
  return true;
}

/**
 * Judges one row of a run whose rows carry a name, and whose own id is new. Answers the refusal of the whole act, empty
 * for none.
 *
 * @cold
 */
export function judgeNamed(s: Server, admission: Admission, run: Run, args: Bytes[], at: number, pos: number): Bytes {
  let named = admission.named;
  if (named === false) {
    named = { slots: {}, used: [], entries: [], known: {}, finished: [], loose: [], limits: [], limited: {} };
    admission.named = named;
  }
  if (!noteLimit(s, admission, named, run, args, at)) return SETTINGS_FULL;
  judgeRow(s, admission, named, run, args, at, pos);
  return "";
}

/**
 * Decides where the jobs of named rows wait, and reads what writing them will meet.
 *
 * @cold
 */
export function placeNamed(s: Server, admission: Admission, args: Bytes[]): void {
  const named = admission.named;
  if (named === false) return;
  for (const entry of named.entries) {
    const due = dueOf(s, entry.run, args, entry.at);
    entry.due = due < 0 || entry.latest < 0 ? due : Math.min(due, entry.latest);
    if (entry.follows === "") {
      entry.state = place(s, admission, entry.run, args, entry.at, entry.id, entry.due);
    } else {
      const later = admission.later;
      const size = later.length;
      entry.state = "scheduled";
      later[size] = PARKED_AT;
      later[size + 1] = entry.id;
    }
    admission.admitted[entry.id] = entry.state;
  }
  if (named.entries.length > 0) {
    s.call("ZCARD", `${admission.base}schedule`);
    s.call("ZCARD", `${admission.base}ttl`);
  }
  if (named.finished.length > 0) {
    for (const set of ["active", "dead", "completed", "expiry"]) s.call("ZCARD", admission.base + set);
  }
}

/** Takes a job that is replaced from where it waited, unless it waits there still. */
function leaveOldPlace(s: Server, base: Bytes, entry: Entry, args: Bytes[]): void {
  const stored = entry.stored;
  const later = entry.state === "scheduled";
  if (stored[STATE] === "scheduled") {
    if (!later) s.call("ZREM", `${base}schedule`, entry.id);
    return;
  }
  const group = stored[GROUP];
  const lane = entry.run.lane > 0 ? args[entry.at + entry.run.lane] : false;
  if (later || group !== lane) stopWaiting(s, base, entry.id, group);
}

/** Lets the job that a new one follows know of it, whoever holds the name of both by the end of the act. */
function tellLeader(s: Server, base: Bytes, entry: Entry): void {
  const call = s.call;
  const leader = `${base}job:${entry.follows}`;
  // A job that a window admitted bears no name, and without this field no end of a job looks who follows it.
  if (call("HEXISTS", leader, "dedup") === 0) call("HSET", leader, "dedup", "");
  call("HSET", leader, "next", entry.id);
}

/** Writes the row of a new job, or gives a row that is replaced a fresh life: what its last one left says nothing. */
function writeEntry(s: Server, admission: Admission, entry: Entry, args: Bytes[]): void {
  const at = entry.at;
  const stored = entry.stored;
  const fields: Bytes[] = ["state", entry.state];
  if (stored.length === 0) {
    fields[2] = "attempts";
    fields[3] = "0";
  } else {
    // With an owner, the late holder of a lapsed lease could settle the new data with its old token.
    s.call("HDEL", entry.row, "owner", "last_error", "progress", "stalled", "deferred", "cancel", "held", "due");
    s.call("HDEL", entry.row, "group", "name", "priority", "opts", "cost", "follow_at");
    unlimitTime(s, admission.base, entry.id);
    const attempts = stored[ATTEMPTS];
    if (attempts !== false && attempts !== "0") {
      fields[2] = "deferred";
      fields[3] = attempts;
    }
  }
  fields[fields.length] = "payload";
  fields[fields.length] = args[at + 1];
  addLetters(fields, entry.run, args, at);
  // A row that has an alias has this field as well, perhaps empty: it is what every end of a job looks at.
  if (entry.dedup !== "" || entry.alias !== "") {
    fields[fields.length] = "dedup";
    fields[fields.length] = entry.dedup;
  }
  if (entry.alias !== "") {
    fields[fields.length] = "alias";
    fields[fields.length] = entry.alias;
  }
  s.call("HSET", entry.row, ...fields);
  const due = admission.dues[entry.id];
  if (due !== undefined) s.call("HSET", entry.row, "due", due);
  if (entry.latest >= 0) s.call("HSET", entry.row, "latest", entry.latest);
  if (entry.follows !== "") {
    s.call("HSET", entry.row, "follows", entry.follows);
    if (entry.due >= 0) s.call("HSET", entry.row, "follow_at", entry.due);
    if (stored.length === 0) tellLeader(s, admission.base, entry);
  }
  const expire = entry.run.expire;
  if (expire > 0) limitTime(s, admission.base, entry.id, entry.due, args[at + expire]);
  if (stored.length > 0) leaveOldPlace(s, admission.base, entry, args);
}

/** Gives lanes their first limit; one that is at it by now leaves the ring. */
function limitLanes(s: Server, base: Bytes, limits: Bytes[]): void {
  const call = s.call;
  const stop = limits.length;
  for (let i = 0; i < stop; i += 2) {
    const lane = limits[i];
    call("HSET", `${base}glimit`, lane, limits[i + 1]);
    const active = call("HGET", `${base}gactive`, lane);
    if (active !== false && s.num(active) >= s.num(limits[i + 1])) call("LREM", `${base}ring`, 0, lane);
  }
}

/** Writes what becomes of one name. */
function writeSlot(s: Server, slot: Slot): void {
  const call = s.call;
  if (slot.isWritten) {
    if (slot.ms === "") call("SET", slot.key, slot.id);
    else call("SET", slot.key, slot.id, "PXAT", dueIn(s, s.num(slot.ms)));
  } else if (slot.ms !== "") {
    call("PEXPIREAT", slot.key, dueIn(s, s.num(slot.ms)));
  }
}

/**
 * Writes the jobs of named rows, whose members have been added, and their names.
 *
 * @cold
 */
export function writeNamed(s: Server, admission: Admission, args: Bytes[]): void {
  const named = admission.named;
  if (named === false) return;
  const base = admission.base;
  for (const entry of named.entries) writeEntry(s, admission, entry, args);
  limitLanes(s, base, named.limits);
  for (const old of named.finished) erase(s, base, old.id, old.group, old.dedup);
  for (const key of named.loose) s.call("DEL", key);
  for (const slot of named.used) writeSlot(s, slot);
}
