/**
 * Claiming: from where a job waits to `active`, with a raised token.
 *
 * An id whose row is gone, or whose row says that it waits elsewhere, is dropped and the next one is tried; no claim
 * ever makes a row. A claim stops at the budget of an act: 1000 looks, or 1 MiB of payload (one job may be larger).
 */

import type { Bytes } from "../../protocol/bytes.ts";
import type { Server } from "../server.ts";
import { occupyLane } from "./lane.ts";

/** Ids looked at by one act, at most; also the most claimed. */
const LOOKS_MAX = 1000;

/** Payload bytes that one act answers, at most, unless a single job holds more. */
const PAYLOAD_MAX = 1048576;

/** Members popped at once, well below what a call can spread. */
const POP_MAX = 400;

/** What a claim works with and what it gathers. Only the steps of one act see it. */
export interface Claim {
  readonly base: Bytes;
  /** Written to `owner`; the empty text for a claim without a worker, whose rows then carry no owner. */
  readonly worker: Bytes;
  /** Jobs flat: id, token, payload, name, opts, lane, stalled, deferred. */
  readonly jobs: (Bytes | number)[];
  /** Claimed ids, in the order of their claim. */
  readonly ids: Bytes[];
  looks: number;
  payload: number;
  /** Whether the budget ended it while work was left. */
  full: boolean;
}

/** A claim that has nothing yet. */
export function startClaim(base: Bytes, worker: Bytes): Claim {
  return { base, worker, jobs: [], ids: [], looks: 0, payload: 0, full: false };
}

/**
 * Leases one popped id if its row waits for it. Answers whether it did; sets `full` and takes nothing when the payload
 * would pass the budget.
 */
function leaseOne(s: Server, claim: Claim, id: Bytes, lane: Bytes): boolean {
  const call = s.call;
  const row = `${claim.base}job:${id}`;
  const fields = call(
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
  );
  const attempts = fields[1];
  const group = fields[5];
  if (attempts === false || fields[0] !== "pending") return false;
  if (lane !== "" && group !== lane) return false;
  const payload = fields[2] === false ? "" : fields[2];
  if (claim.payload > 0 && claim.payload + payload.length > PAYLOAD_MAX) {
    claim.full = true;
    return false;
  }
  claim.payload += payload.length;
  const token = s.num(attempts) + 1;
  if (claim.worker !== "") {
    call("HSET", row, "state", "active", "attempts", token, "owner", claim.worker);
  } else {
    if (fields[8] !== false) call("HDEL", row, "owner");
    call("HSET", row, "state", "active", "attempts", token);
  }
  if (lane === "" && group !== false) occupyLane(s, claim.base, group);
  const jobs = claim.jobs;
  const at = jobs.length;
  jobs[at] = id;
  jobs[at + 1] = token;
  jobs[at + 2] = payload;
  jobs[at + 3] = fields[3] === false ? "" : fields[3];
  jobs[at + 4] = fields[4] === false ? "" : fields[4];
  jobs[at + 5] = group === false ? "" : group;
  jobs[at + 6] = fields[6] === false ? "" : fields[6];
  jobs[at + 7] = fields[7] === false ? "" : fields[7];
  claim.ids[claim.ids.length] = id;
  return true;
}

/** Puts back what was popped and not taken, from position `from` on. */
function unpop(s: Server, key: Bytes, popped: Bytes[], from: number): void {
  const stop = popped.length;
  for (let i = from; i < stop; i += 2) s.call("ZADD", key, popped[i + 1], popped[i]);
}

/**
 * Claims up to `want` jobs from one sorted set: the flat queue (`lane` empty) or a lane. Answers how many; fewer than
 * `want` means that the set is empty or that the claim is `full`.
 */
export function claimFrom(s: Server, claim: Claim, key: Bytes, lane: Bytes, want: number): number {
  let taken = 0;
  while (taken < want && !claim.full) {
    const room = Math.min(want - taken, POP_MAX, LOOKS_MAX - claim.looks);
    if (room <= 0) {
      claim.full = true;
      return taken;
    }
    const popped = s.call("ZPOPMIN", key, room);
    const stop = popped.length;
    if (stop === 0) return taken;
    let i = 0;
    while (i < stop && !claim.full) {
      if (leaseOne(s, claim, popped[i], lane)) taken += 1;
      if (claim.full) unpop(s, key, popped, i);
      claim.looks += 1;
      i += 2;
    }
    if (stop < room * 2) return taken;
  }
  return taken;
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
  for (let i = ids.length - 1; i >= 0; i -= 1) {
    const at = members.length;
    members[at] = deadline;
    members[at + 1] = ids[i];
    if (at + 2 >= LEASE_MAX * 2) {
      s.call("ZADD", active, ...members);
      members = [];
    }
  }
  if (members.length > 0) s.call("ZADD", active, ...members);
}

/** The claimed jobs as (id, payload, token), which is what the plain claims answer. */
export function plainJobs(claim: Claim): (Bytes | number)[][] {
  const out: (Bytes | number)[][] = [];
  const jobs = claim.jobs;
  const stop = jobs.length;
  for (let i = 0; i < stop; i += 8) out[out.length] = [jobs[i], jobs[i + 2], jobs[i + 1]];
  return out;
}
