/**
 * Claiming: from where a job waits to `active`, with a raised token.
 *
 * An id whose row is gone, or whose row says that it waits elsewhere, is dropped and the next one is tried; no claim
 * ever makes a row. A claim stops at the budget of an act: 1000 looks, or 1 MiB of payload (one job may be larger).
 *
 * A job of a lane that must not run yet, because it keeps its place in an ordered lane although it is delayed, goes
 * into the schedule when its turn comes. It holds its lane from then on, if the lane is ordered still.
 *
 * Rows are read before their ids are taken from the set, and a pass ends with its leases. So a row of a foreign type
 * ends the act while each job is still somewhere: waiting, or leased.
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { NUMBER_MAX } from "./bound.ts";
import { tell, UNHEARD } from "./event.ts";
import { enterLane, isOrdered, occupyLane, readLanes } from "./lane.ts";
import { affords, charge, type Gate, openGate, type Rate } from "./limit.ts";
import { scoreOf } from "./row.ts";
import { bookTokens, recallTokens } from "./tokens.ts";
import { endTimed, noteTimed, type Timed } from "./ttl.ts";

/** Ids looked at by one act, at most; also the most claimed. */
const LOOKS_MAX = 1000;

/** Payload bytes that one act answers, at most, unless a single job holds more. */
const PAYLOAD_MAX = 1048576;

/** Members of one pass, well below what a call can spread. */
const PASS_MAX = 400;

/** Flat jobs that one act sends into the lanes of their names, at most: each costs as much as a job that enters. */
const SORT_MAX = 200;

/** Jobs whose time to live is over that one act ends, at most: each costs as much as a settlement. */
const OVERDUE_MAX = 100;

/** What a claim works with and what it gathers. Only the steps of one act see it. */
export interface Claim {
  readonly base: Bytes;
  readonly active: Bytes;
  /** Written to `owner`; the empty text for a claim without a worker, whose rows then carry no owner. */
  readonly worker: Bytes;
  readonly leaseMs: number;
  /** Jobs flat: id, token, payload, name, opts, lane, stalled, deferred. */
  readonly jobs: (Bytes | number)[];
  taken: number;
  looks: number;
  payload: number;
  /** Whether the budget ended it while work was left. */
  full: boolean;
  /** How many tokens of removed jobs the queue remembers; whoever claims asks. */
  tokens: number;
  /** Whether the head of an ordered lane went into the schedule and holds the lane. Whoever serves lanes resets it. */
  held: boolean;
  /** Ids that went into the schedule. */
  readonly late: Bytes[];
  /** What the limits of the queue let through. */
  gate: Gate;
  /** The rate of the lane that is served; whoever serves lanes sets it. */
  laneRate: Rate | false;
  /** Whether the next job costs more than a rate has left. Whoever serves lanes resets it for a lane. */
  short: boolean;
  /** Flat jobs that went into the lanes of their names. */
  sorted: number;
  /** How many entries `ttl` has; whoever claims asks. */
  timed: number;
  /** Jobs that were ended because their time to live is over. */
  overdue: number;
  /** Whether anybody listens to events; whoever claims asks. */
  heard: number;
}

/** A claim that has nothing yet. */
export function startClaim(base: Bytes, active: Bytes, worker: Bytes, leaseMs: number): Claim {
  return {
    base,
    active,
    worker,
    leaseMs,
    jobs: [],
    taken: 0,
    looks: 0,
    payload: 0,
    full: false,
    tokens: 0,
    held: false,
    late: [],
    gate: openGate(0),
    laneRate: false,
    short: false,
    sorted: 0,
    timed: 0,
    overdue: 0,
    heard: UNHEARD,
  };
}

/** Members of one `ZADD`, well below what a call can spread. */
const LEASE_MAX = 200;

/**
 * Writes the leases of everything claimed, with one deadline. From the highest id down: a small `active` is a list that
 * each new member is searched in from its front.
 */
export function writeLeases(s: Server, active: Bytes, ids: Bytes[], leaseMs: number): void {
  const deadline = s.now() + leaseMs;
  let members: (Bytes | number)[] = [];
  let at = 0;
  for (let i = ids.length - 1; i >= 0; i -= 1) {
    members[at] = deadline;
    members[at + 1] = ids[i];
    at += 2;
    if (at >= LEASE_MAX * 2) {
      s.call("ZADD", active, ...members);
      members = [];
      at = 0;
    }
  }
  if (at > 0) s.call("ZADD", active, ...members);
}

/**
 * What one pass is going to lease, found by the same place in each list. Lists of what is put aside are one empty list
 * until the first of their kind: nearly all passes put nothing aside.
 */
interface Pass extends Timed {
  readonly ids: Bytes[];
  readonly rows: Bytes[];
  readonly tokens: number[];
  /** The owners that the rows name, for a claim without a worker alone, which takes them away. */
  readonly owners: (Bytes | false)[];
  /** The lanes of flat jobs whose rows name one. */
  foreign: Bytes[];
  /** Ids that must not run yet, and until when. */
  late: Bytes[];
  dues: Bytes[];
  /** Ids that go into lanes, which lanes, and their priorities. */
  sorted: Bytes[];
  lanes: Bytes[];
  scores: number[];
}

/** Whether the row of a lane's job says that it must not run yet; its `due` is the tenth of the fields. */
function isLate(s: Server, fields: (Bytes | false)[]): boolean {
  const due = fields[9];
  return due !== false && s.int(due, 0, NUMBER_MAX) && s.num(due) > s.now();
}

/**
 * Puts jobs that must not run yet into the schedule. They have left their lane; if it is ordered, there is one, and it
 * holds the lane.
 *
 * @cold
 */
function postpone(s: Server, lease: Claim, pass: Pass, lane: Bytes): void {
  const call = s.call;
  const stop = pass.late.length;
  for (let i = 0; i < stop; i += 1) {
    const id = pass.late[i];
    const row = `${lease.base}job:${id}`;
    if (lease.held) {
      call("HSET", row, "state", "scheduled", "held", "1");
      call("HINCRBY", `${lease.base}gactive`, lane, 1);
    } else call("HSET", row, "state", "scheduled");
    call("HDEL", row, "owner");
    call("ZADD", `${lease.base}schedule`, pass.dues[i], id);
    lease.late[lease.late.length] = id;
  }
}

/**
 * Notes a job that must not run yet, after reading what putting it into the schedule writes to.
 *
 * @cold
 */
function noteLate(s: Server, lease: Claim, pass: Pass, id: Bytes, due: Bytes | false, lane: Bytes): void {
  const at = pass.late.length;
  if (at === 0) {
    s.call("ZCARD", `${lease.base}schedule`);
    pass.late = [];
    pass.dues = [];
  }
  pass.late[at] = id;
  pass.dues[at] = due === false ? "0" : due;
  if (isOrdered(s, lease.base, lane)) lease.held = true;
}

/** The lane of the jobs of a name that has a limit. */
function laneOfName(name: Bytes | false): Bytes {
  return name === false ? "@default" : `@${name}`;
}

/**
 * Notes a flat job whose name has a limit, after reading what putting it into the lane of its name writes to. Answers
 * whether it has one.
 *
 * @cold
 */
function noteSorted(s: Server, lease: Claim, pass: Pass, id: Bytes, name: Bytes | false): boolean {
  const call = s.call;
  const base = lease.base;
  const lane = laneOfName(name);
  if (call("HEXISTS", `${base}rate`, `m${lane}`) === 0) return false;
  readLanes(s, base, [lane], 1);
  const at = pass.sorted.length;
  if (at === 0) {
    pass.scores = [];
    pass.sorted = [];
    pass.lanes = [];
  }
  pass.scores[at] = scoreOf(s, call("HGET", `${base}job:${id}`, "priority"));
  pass.sorted[at] = id;
  pass.lanes[at] = lane;
  return true;
}

/**
 * Lets flat jobs wait in the lanes of their names. They have left the flat queue. The lanes that come onto the ring by
 * it are not in the round of this act, so whoever sorts leaves work behind.
 *
 * @cold
 */
function sortIntoLanes(s: Server, lease: Claim, pass: Pass): void {
  const stop = pass.sorted.length;
  for (let i = 0; i < stop; i += 1) {
    const id = pass.sorted[i];
    s.call("HSET", `${lease.base}job:${id}`, "group", pass.lanes[i]);
    enterLane(s, lease.base, pass.lanes[i], id, pass.scores[i]);
  }
  lease.sorted += stop;
  if (lease.sorted >= SORT_MAX) lease.full = true;
}

/**
 * Writes what a pass has put aside, which has left its set.
 *
 * @cold
 */
function placeAside(s: Server, lease: Claim, pass: Pass, lane: Bytes): void {
  if (pass.late.length > 0) postpone(s, lease, pass, lane);
  if (pass.sorted.length > 0) sortIntoLanes(s, lease, pass);
  if (pass.begun.length + pass.overdue.length > 0) endTimed(s, lease.base, pass);
  lease.overdue += pass.overdue.length;
  if (lease.overdue >= OVERDUE_MAX) lease.full = true;
}

/** Whether a claim takes from a rate. */
function isPaying(lease: Claim): boolean {
  return lease.gate.rate !== false || lease.laneRate !== false;
}

/** Whether what is left of the rates suffices for a job of this cost. The lane is asked first: it alone rests then. */
function suffices(s: Server, lease: Claim, cost: Bytes | false): boolean {
  const ofLane = lease.laneRate;
  const ofQueue = lease.gate.rate;
  if (ofLane !== false && !affords(s, ofLane, cost)) return false;
  return ofQueue === false || affords(s, ofQueue, cost);
}

/** Takes what a job costs from the rates. */
function pay(s: Server, lease: Claim, cost: Bytes | false): void {
  const ofLane = lease.laneRate;
  const ofQueue = lease.gate.rate;
  if (ofLane !== false) charge(s, ofLane, cost);
  if (ofQueue !== false) charge(s, ofQueue, cost);
}

/**
 * Finds out what keeps a waiting job from being leased now, and notes it after reading what it writes to; answers
 * whether there is anything. A job that is too dear for what is left makes the claim `short` and stays where it is;
 * all others leave their set. `fields` are those of its row.
 *
 * @cold
 */
function setAside(s: Server, lease: Claim, pass: Pass, id: Bytes, fields: (Bytes | false)[], lane: Bytes): boolean {
  const pays = isPaying(lease);
  const cost = pays ? s.call("HGET", `${lease.base}job:${id}`, "cost") : false;
  const goes = !pays || suffices(s, lease, cost);
  // Its time to live is over: it is dead after this pass.
  if (lease.timed > 0 && noteTimed(s, lease.base, pass, id, goes)) return true;
  // It goes into the lane of its name.
  const isNamed = lane === "" && fields[5] === false && lease.gate.named;
  if (isNamed && noteSorted(s, lease, pass, id, fields[3])) return true;
  if (lane !== "" && isLate(s, fields)) {
    noteLate(s, lease, pass, id, fields[9], lane);
    return true;
  }
  if (pays && goes) pay(s, lease, cost);
  lease.short = !goes;
  return lease.short;
}

/**
 * Notes the lane that the row of a flat job names, after reading it.
 *
 * @cold
 */
function noteForeign(s: Server, base: Bytes, pass: Pass, group: Bytes): void {
  readLanes(s, base, [group], 1);
  if (pass.foreign.length === 0) pass.foreign = [];
  pass.foreign[pass.foreign.length] = group;
}

/**
 * Counts flat jobs in the lanes that their rows name.
 *
 * @cold
 */
function occupyForeign(s: Server, base: Bytes, groups: Bytes[]): void {
  for (const group of groups) occupyLane(s, base, group);
}

/**
 * Leases ids that have left their set, and completes what the act answers of them, which begins at `from`, with their
 * tokens.
 */
function leaseAll(s: Server, claim: Claim, pass: Pass, lane: Bytes, from: number): void {
  const call = s.call;
  const jobs = claim.jobs;
  const ids = pass.ids;
  const rows = pass.rows;
  const tokens = pass.tokens;
  const worker = claim.worker;
  const stop = ids.length;
  const formers = claim.tokens > 0 ? recallTokens(s, claim.base, ids, tokens) : [];
  let at = from + 1;
  for (let i = 0; i < stop; i += 1) {
    const token = tokens[i];
    if (worker !== "") {
      call("HSET", rows[i], "state", "active", "attempts", token, "owner", worker);
    } else {
      if (pass.owners[i] !== false) call("HDEL", rows[i], "owner");
      call("HSET", rows[i], "state", "active", "attempts", token);
    }
    jobs[at] = token;
    at += 8;
  }
  if (pass.foreign.length > 0) occupyForeign(s, claim.base, pass.foreign);
  if (formers.length > 0) bookTokens(s, claim.base, ids, formers, jobs, from);
  writeLeases(s, claim.active, ids, claim.leaseMs);
  if (lane !== "" && stop > 0) call("HINCRBY", `${claim.base}gactive`, lane, stop);
}

/**
 * Reads the row of a waiting id. Its `attempts` come back as `false` when it cannot be leased: the row is gone or waits
 * elsewhere, or the payload would pass the budget, which also sets `full`.
 */
function readWaiting(s: Server, claim: Claim, row: Bytes, lane: Bytes): (Bytes | false)[] {
  const fields = s.call(
    "HMGET",
    row,
    "state",
    "attempts",
    "payload",
    "name",
    "opts",
    "group",
    "stalled",
    "deferred",
    "owner",
    "due",
  );
  if (fields[0] !== "pending" || (lane !== "" && fields[5] !== lane)) {
    fields[1] = false;
  } else if (fields[1] !== false) {
    const bytes = fields[2] === false ? 0 : fields[2].length;
    if (claim.payload > 0 && claim.payload + bytes > PAYLOAD_MAX) {
      claim.full = true;
      fields[1] = false;
    } else {
      claim.payload += bytes;
    }
  }
  return fields;
}

/**
 * Writes from a place on what the act answers of a job that was never claimed; its token follows when it is leased.
 * `fields` are those of its row.
 */
function answer(jobs: (Bytes | number)[], at: number, id: Bytes, fields: (Bytes | false)[]): void {
  jobs[at] = id;
  jobs[at + 1] = 0;
  jobs[at + 2] = fields[2] === false ? "" : fields[2];
  jobs[at + 3] = fields[3] === false ? "" : fields[3];
  jobs[at + 4] = fields[4] === false ? "" : fields[4];
  jobs[at + 5] = fields[5] === false ? "" : fields[5];
  jobs[at + 6] = "";
  jobs[at + 7] = "";
}

/** Adds the counters of a job that was claimed before to what the act answers of it. */
function answerCounters(jobs: (Bytes | number)[], at: number, stalled: Bytes | false, deferred: Bytes | false): void {
  if (stalled !== false) jobs[at + 6] = stalled;
  if (deferred !== false) jobs[at + 7] = deferred;
}

/**
 * Reads the rows of waiting ids of the flat queue where nothing can be put aside, which is so in nearly all passes,
 * until the claim is full; answers how many ids are to leave the set. A job that was never claimed has neither lapsed
 * nor been put off, so its row is not asked for that; a claim with a worker does not ask for the owner, since it
 * overwrites it.
 */
function readFlat(s: Server, claim: Claim, pass: Pass, waiting: Bytes[]): number {
  const call = s.call;
  const prefix = `${claim.base}job:`;
  const ids = pass.ids;
  const rows = pass.rows;
  const tokens = pass.tokens;
  const jobs = claim.jobs;
  const isOwned = claim.worker !== "";
  const stop = waiting.length;
  let bytes = claim.payload;
  let at = jobs.length;
  let next = 0;
  // Most jobs of one pass were claimed as often as those before them.
  let known = "0";
  let token = 1;
  for (let i = 0; i < stop; i += 1) {
    const id = waiting[i];
    const row = `${prefix}${id}`;
    const fields = isOwned
      ? call("HMGET", row, "state", "attempts", "payload", "name", "opts", "group")
      : call("HMGET", row, "state", "attempts", "payload", "name", "opts", "group", "owner");
    const attempts = fields[1];
    if (fields[0] === "pending" && attempts !== false) {
      const size = fields[2] === false ? 0 : fields[2].length;
      if (bytes > 0 && bytes + size > PAYLOAD_MAX) {
        claim.full = true;
        claim.payload = bytes;
        return i;
      }
      bytes += size;
      if (attempts !== known) {
        // Reckoned here and not later: an `attempts` that is no number must end the act before its ids leave the set.
        token = s.num(attempts) + 1;
        known = attempts;
      }
      ids[next] = id;
      rows[next] = row;
      tokens[next] = token;
      answer(jobs, at, id, fields);
      if (attempts !== "0") {
        const counters = call("HMGET", row, "stalled", "deferred");
        answerCounters(jobs, at, counters[0], counters[1]);
      }
      const group = fields[5];
      if (group !== false) noteForeign(s, claim.base, pass, group);
      if (!isOwned) pass.owners[next] = fields[6];
      at += 8;
      next += 1;
    }
  }
  claim.payload = bytes;
  return stop;
}

/**
 * Reads the rows of waiting ids where some may be put aside, until the claim is full or a head holds its lane; answers
 * how many ids are to leave the set. `mayStand`: each has to be asked, and not those alone that must not run yet.
 *
 * @cold
 */
function readChoosing(s: Server, lease: Claim, pass: Pass, waiting: Bytes[], lane: Bytes, mayStand: boolean): number {
  const prefix = `${lease.base}job:`;
  const ids = pass.ids;
  const stop = waiting.length;
  let looked = 0;
  while (
    looked < stop &&
    !lease.full &&
    !lease.held &&
    !lease.short &&
    lease.sorted + pass.sorted.length < SORT_MAX &&
    lease.overdue + pass.overdue.length < OVERDUE_MAX
  ) {
    const row = prefix + waiting[looked];
    const fields = readWaiting(s, lease, row, lane);
    const attempts = fields[1];
    const looks = mayStand || (lane !== "" && fields[9] !== false);
    if (attempts !== false && looks && setAside(s, lease, pass, waiting[looked], fields, lane)) {
      // It is not leased by this pass.
    } else if (attempts !== false) {
      // Reckoned before its id leaves the set, as in the flat queue.
      const at = ids.length;
      pass.tokens[at] = s.num(attempts) + 1;
      ids[at] = waiting[looked];
      pass.rows[at] = row;
      pass.owners[at] = fields[8];
      if (lane === "" && fields[5] !== false) noteForeign(s, lease.base, pass, fields[5]);
      const place = lease.jobs.length;
      answer(lease.jobs, place, waiting[looked], fields);
      answerCounters(lease.jobs, place, fields[6], fields[7]);
    }
    if (!lease.full && !lease.short) looked += 1;
  }
  return looked;
}

/** Reads the rows of a pass; answers how many ids are to leave the set. */
function readPass(s: Server, claim: Claim, pass: Pass, waiting: Bytes[], lane: Bytes): number {
  const mayStand = claim.timed > 0 || isPaying(claim) || (lane === "" && claim.gate.named);
  if (lane === "" && !mayStand) return readFlat(s, claim, pass, waiting);
  return readChoosing(s, claim, pass, waiting, lane, mayStand);
}

/**
 * Tells which jobs are claimed, before they leave their set.
 *
 * @cold
 */
function tellActive(s: Server, lease: Claim, pass: Pass): void {
  const stop = pass.ids.length;
  for (let i = 0; i < stop; i += 1) {
    const fields = s.call("HMGET", pass.rows[i], "alias", "name", "group");
    const alias = fields[0] === false ? "" : fields[0];
    const name = fields[1] === false ? "" : fields[1];
    const group = fields[2] === false ? "" : fields[2];
    const more = ["name", name, "lane", group, "worker", lease.worker, "alias", alias];
    tell(s, lease.base, "active", pass.ids[i], more);
  }
}

/**
 * Claims up to `want` jobs from one sorted set: the flat queue (`lane` empty) or a lane. Answers how many; fewer than
 * `want` means that the set is empty or that the claim is `full`.
 */
export function claimFrom(s: Server, claim: Claim, key: Bytes, lane: Bytes, want: number): number {
  const call = s.call;
  let taken = 0;
  while (taken < want && !claim.full && !claim.held && !claim.short) {
    const room = Math.min(want - taken, PASS_MAX, LOOKS_MAX - claim.looks);
    if (room <= 0) {
      claim.full = true;
      return taken;
    }
    const waiting = call("ZRANGE", key, 0, room - 1);
    const stop = waiting.length;
    if (stop === 0) return taken;
    const none: never[] = [];
    const pass: Pass = {
      ids: [],
      rows: [],
      tokens: [],
      owners: [],
      foreign: none,
      late: none,
      dues: none,
      sorted: none,
      lanes: none,
      scores: none,
      begun: none,
      overdue: none,
    };
    const from = claim.jobs.length;
    const looked = readPass(s, claim, pass, waiting, lane);
    if (looked > 0) {
      if (claim.heard > 0) tellActive(s, claim, pass);
      call("ZREMRANGEBYRANK", key, 0, looked - 1);
      leaseAll(s, claim, pass, lane, from);
      if (pass.ids.length < looked || pass.begun.length > 0) placeAside(s, claim, pass, lane);
    }
    taken += pass.ids.length;
    claim.taken += pass.ids.length;
    claim.looks += looked;
    if (stop < room) return taken;
  }
  return taken;
}

/** The claimed jobs as (id, payload, token), which is what the plain claims answer. */
export function plainJobs(claim: Claim): (Bytes | number)[][] {
  const out: (Bytes | number)[][] = [];
  const jobs = claim.jobs;
  const stop = jobs.length;
  for (let i = 0; i < stop; i += 8) out[out.length] = [jobs[i], jobs[i + 2], jobs[i + 1]];
  return out;
}
