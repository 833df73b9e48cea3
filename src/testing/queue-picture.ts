/**
 * A queue as its invariants speak of it: rows, members, lanes and settings, taken from a dump whose types are right.
 */

import type { Bytes } from "../protocol/bytes.ts";
import type { KeyDump } from "./dump.ts";

/** A job's record. */
export interface Row {
  readonly id: Bytes;
  /** `job:<id>` */
  readonly suffix: Bytes;
  readonly state: Bytes;
  readonly group: Bytes | undefined;
  readonly fields: ReadonlyMap<Bytes, Bytes>;
}

/** One job's place in one of the sorted sets. */
export interface Member {
  readonly suffix: Bytes;
  readonly id: Bytes;
  readonly score: number;
}

const ROW = /^job:(.{14})$/s;
const LANE = /^g:(.+):pending$/s;

/** The sorted sets whose members are jobs, lanes aside. */
const JOB_SETS = ["pending", "active", "schedule", "dead", "completed"];

export class QueuePicture {
  readonly rows = new Map<Bytes, Row>();
  readonly members: Member[] = [];
  readonly ring: readonly Bytes[];
  readonly wake: readonly Bytes[];
  readonly gactive: ReadonlyMap<Bytes, Bytes>;
  readonly glimit: ReadonlyMap<Bytes, Bytes>;
  readonly gweight: ReadonlyMap<Bytes, Bytes>;
  readonly #paused: ReadonlySet<Bytes>;
  readonly #meta: ReadonlyMap<Bytes, Bytes>;
  readonly #limiter: Bytes | undefined;
  readonly #sizes = new Map<Bytes, number>();
  readonly #places = new Map<Bytes, Bytes[]>();

  constructor(dump: readonly KeyDump[]) {
    const bySuffix = new Map(dump.map((key) => [key.suffix, key]));
    this.ring = itemsOf(bySuffix.get("ring"));
    this.wake = itemsOf(bySuffix.get("wake"));
    this.#paused = new Set(itemsOf(bySuffix.get("paused")));
    this.gactive = fieldsOf(bySuffix.get("gactive"));
    this.glimit = fieldsOf(bySuffix.get("glimit"));
    this.gweight = fieldsOf(bySuffix.get("gweight"));
    this.#meta = fieldsOf(bySuffix.get("meta"));
    const limiter = bySuffix.get("limiter");
    this.#limiter = limiter?.type === "string" ? limiter.value : undefined;
    for (const key of dump) this.#take(key);
  }

  /** Suffixes of the sets that hold a job. */
  placesOf(id: Bytes): readonly Bytes[] {
    return this.#places.get(id) ?? [];
  }

  /** Where a pending job waits: its lane, else the flat queue. */
  waitingPlace(row: Row): Bytes {
    return row.group === undefined ? "pending" : `g:${row.group}:pending`;
  }

  /** Lanes that have waiting work. */
  laneNames(): Bytes[] {
    return [...this.#sizes.keys()].flatMap((suffix) => LANE.exec(suffix)?.[1] ?? []);
  }

  /** Whether lanes are in use at all. */
  get hasLanes(): boolean {
    return this.laneNames().length > 0 || this.ring.length > 0 || this.#paused.size > 0 || this.gactive.size > 0;
  }

  isServable(lane: Bytes): boolean {
    return this.whyNotServable(lane) === undefined;
  }

  /** What keeps a lane off the ring, or `undefined` when it belongs on it. */
  whyNotServable(lane: Bytes): string | undefined {
    if (!this.#sizes.has(`g:${lane}:pending`)) return "it has no waiting work";
    if (this.#paused.has(lane)) return "it is paused";
    const limit = this.glimit.get(lane);
    const active = Number(this.gactive.get(lane) ?? 0);
    return limit !== undefined && active >= Number(limit) ? "it is at its limit" : undefined;
  }

  /** Not paused, below its ceilings, and flat work or a lane on the ring waits. */
  get isClaimable(): boolean {
    if (this.#meta.has("paused")) return false;
    if (this.#isAt("concurrency", this.#sizes.get("active") ?? 0)) return false;
    if (this.#limiter !== undefined && this.#isAt("max", Number(this.#limiter))) return false;
    return this.#sizes.has("pending") || this.ring.length > 0;
  }

  #isAt(setting: string, count: number): boolean {
    const ceiling = this.#meta.get(setting);
    return ceiling !== undefined && count >= Number(ceiling);
  }

  #take(key: KeyDump): void {
    const { suffix } = key;
    const id = ROW.exec(suffix)?.[1];
    if (id !== undefined) {
      const fields = fieldsOf(key);
      this.rows.set(id, { id, suffix, state: fields.get("state") ?? "", group: fields.get("group"), fields });
    }
    if (key.type !== "zset" || !(JOB_SETS.includes(suffix) || LANE.test(suffix))) return;
    this.#sizes.set(suffix, key.members.length);
    for (const [member, score] of key.members) {
      this.members.push({ suffix, id: member, score });
      const places = this.#places.get(member);
      if (places === undefined) this.#places.set(member, [suffix]);
      else places.push(suffix);
    }
  }
}

function itemsOf(key: KeyDump | undefined): readonly Bytes[] {
  return key?.type === "list" || key?.type === "set" ? key.items : [];
}

function fieldsOf(key: KeyDump | undefined): ReadonlyMap<Bytes, Bytes> {
  return new Map(key?.type === "hash" ? key.fields : []);
}
