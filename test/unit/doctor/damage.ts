/**
 * Seeded damage, one kind each: what the doctor must find, where, and which jobs must run once it has been mended.
 *
 * It is done by plain commands, as half-finished migrations, other speakers and operators do, so any engine can be hurt
 * in the same way.
 */

import type { FindingCode } from "../../../src/doctor/finding.ts";
import type { Engine, Reply } from "../../../src/engine/engine.ts";
import { createMinter } from "../../../src/protocol/mint.ts";

/** A queue that can be hurt. */
export class Patient {
  readonly engine: Engine;
  readonly queue: string;
  readonly #mint: (namespace: string) => string;

  constructor(engine: Engine, queue: string) {
    this.engine = engine;
    this.queue = queue;
    this.#mint = createMinter({ node: 1, clock: () => engine.ports.clock.now() });
  }

  key(suffix: string): string {
    return `emq:{${this.queue}}:${suffix}`;
  }

  /** Runs a command whose first argument is the part of a key after the base. */
  async run(name: string, suffix: string, ...rest: string[]): Promise<Reply> {
    return await this.engine.command([name, this.key(suffix), ...rest]);
  }

  /** An id of no job. */
  id(): string {
    return this.#mint("JOB");
  }

  /** A job's row as an act would write it; it lies nowhere yet. */
  async row(fields: Record<string, string> = {}): Promise<string> {
    const id = this.id();
    const row = { state: "pending", attempts: "0", payload: "p", ...fields };
    await this.run("HSET", `job:${id}`, ...Object.entries(row).flat());
    return id;
  }

  async put(set: string, score: number, id: string): Promise<void> {
    await this.run("ZADD", set, String(score), id);
  }

  /** A job that waits, in a lane or not. */
  async waiting(lane?: string): Promise<string> {
    if (lane === undefined) {
      const id = await this.row();
      await this.put("pending", 0, id);
      return id;
    }
    const id = await this.row({ group: lane });
    await this.put(`g:${lane}:pending`, 0, id);
    return id;
  }
}

/** One kind of damage. */
export interface Damage {
  readonly code: FindingCode;
  /** What was done. */
  readonly what: string;
  /** The part of the key after the base that the finding names; `ID` stands for the first id that the seed answers. */
  readonly suffix: string;
  /** Whether mending it deletes something. */
  readonly destroys?: boolean;
  /** Hurts the queue; answers the ids that it is about, of which those that can run must run afterwards. */
  seed(patient: Patient): Promise<readonly string[]>;
}

/** A deadline that no test outlives. */
const FAR = 9_000_000_000_000;

/** A waiting job in a lane, and a place of the round. */
async function seedCursor(patient: Patient, ...pairs: string[]): Promise<string[]> {
  const id = await patient.waiting("lane");
  await patient.run("RPUSH", "ring", "lane");
  await patient.run("HSET", "cursor", ...pairs);
  return [id];
}

/** Every kind, at least one for each code that a queue at rest can have. */
export const DAMAGE: readonly Damage[] = [
  {
    code: "key-known",
    what: "a key of no known type",
    suffix: "nonsense",
    destroys: true,
    seed: async (p) => {
      await p.run("SET", "nonsense", "1");
      return [];
    },
  },
  {
    code: "key-known",
    what: "the base key itself",
    suffix: "",
    destroys: true,
    seed: async (p) => {
      await p.run("SET", "", "1");
      return [];
    },
  },
  {
    code: "key-known",
    what: "a row whose id is none",
    suffix: "job:short",
    destroys: true,
    seed: async (p) => {
      await p.run("HSET", "job:short", "state", "dead");
      return [];
    },
  },
  {
    code: "key-type",
    what: "a set where the ring belongs",
    suffix: "ring",
    destroys: true,
    seed: async (p) => {
      const id = await p.waiting("lane");
      await p.run("SADD", "ring", "lane");
      return [id];
    },
  },
  {
    code: "key-type",
    what: "a text where pending jobs belong",
    suffix: "pending",
    destroys: true,
    seed: async (p) => {
      const id = await p.row();
      await p.run("SET", "pending", "x");
      return [id];
    },
  },
  {
    code: "key-type",
    what: "a text where a lane's jobs belong",
    suffix: "g:lane:pending",
    destroys: true,
    seed: async (p) => {
      const id = await p.row({ group: "lane" });
      await p.run("SET", "g:lane:pending", "x");
      return [id];
    },
  },
  {
    code: "key-type",
    what: "a list where a row belongs",
    suffix: "job:ID",
    destroys: true,
    seed: async (p) => {
      const id = p.id();
      await p.run("RPUSH", `job:${id}`, "x");
      await p.put("pending", 0, id);
      return [id];
    },
  },
  {
    code: "row-empty",
    what: "a row without a payload, as a foreign claim makes it",
    suffix: "job:ID",
    destroys: true,
    seed: async (p) => {
      const id = await p.row({ attempts: "1", state: "active" });
      await p.run("HDEL", `job:${id}`, "payload");
      await p.put("active", FAR, id);
      return [id];
    },
  },
  {
    code: "row-fields",
    what: "a field that no row has",
    suffix: "job:ID",
    destroys: true,
    seed: async (p) => {
      const id = await p.waiting();
      await p.run("HSET", `job:${id}`, "colour", "red");
      return [id];
    },
  },
  {
    code: "row-fields",
    what: "a state that is no word of the wire",
    suffix: "job:ID",
    seed: async (p) => {
      const id = await p.row({ state: "paused" });
      await p.put("schedule", 1, id);
      return [id];
    },
  },
  {
    code: "row-fields",
    what: "a row without attempts",
    suffix: "job:ID",
    seed: async (p) => {
      const id = await p.waiting();
      await p.run("HDEL", `job:${id}`, "attempts");
      return [id];
    },
  },
  {
    code: "row-fields",
    what: "a lane that can have no name",
    suffix: "job:ID",
    seed: async (p) => {
      const id = await p.row({ group: "a}b" });
      await p.put("pending", 0, id);
      return [id];
    },
  },
  {
    code: "row-numbers",
    what: "a token that is not canonical",
    suffix: "job:ID",
    seed: async (p) => {
      const id = await p.row({ attempts: "01" });
      await p.put("pending", 0, id);
      return [id];
    },
  },
  {
    code: "row-numbers",
    what: "a counter that counts nothing",
    suffix: "job:ID",
    seed: async (p) => {
      const id = await p.row({ stalled: "0" });
      await p.put("pending", 0, id);
      return [id];
    },
  },
  {
    code: "row-numbers",
    what: "a priority beyond its range",
    suffix: "job:ID",
    seed: async (p) => {
      const id = await p.row({ priority: "2097153" });
      await p.put("pending", 2_097_153, id);
      return [id];
    },
  },
  {
    code: "row-owner",
    what: "a dead job with a holder",
    suffix: "job:ID",
    seed: async (p) => {
      const id = await p.row({ state: "dead", owner: "w" });
      await p.put("dead", 0, id);
      return [id];
    },
  },
  {
    code: "row-owner",
    what: "a pending job with a holder",
    suffix: "job:ID",
    seed: async (p) => {
      const id = await p.row({ owner: "w" });
      await p.put("pending", 0, id);
      return [id];
    },
  },
  ...["pending", "scheduled", "dead", "completed"].map(
    (state): Damage => ({
      code: "row-place",
      what: `a ${state} job that lies nowhere`,
      suffix: "job:ID",
      seed: async (p) => [await p.row({ state })],
    }),
  ),
  {
    code: "row-place",
    what: "an active job that is leased to nobody",
    suffix: "job:ID",
    seed: async (p) => [await p.row({ state: "active", attempts: "1", owner: "w" })],
  },
  {
    code: "row-place",
    what: "a job in two sets",
    suffix: "job:ID",
    seed: async (p) => {
      const id = await p.waiting();
      await p.put("active", FAR, id);
      return [id];
    },
  },
  {
    code: "row-place",
    what: "an active job among the dead",
    suffix: "job:ID",
    seed: async (p) => {
      const id = await p.row({ state: "active", attempts: "1" });
      await p.put("dead", 0, id);
      return [id];
    },
  },
  {
    code: "row-place",
    what: "a lane's job in the flat queue",
    suffix: "job:ID",
    seed: async (p) => {
      const id = await p.row({ group: "lane" });
      await p.put("pending", 0, id);
      return [id];
    },
  },
  {
    code: "row-place",
    what: "a job in its lane and in another one",
    suffix: "job:ID",
    seed: async (p) => {
      const id = await p.waiting("lane");
      await p.put("g:other:pending", 0, id);
      await p.run("RPUSH", "ring", "lane", "other");
      return [id];
    },
  },
  {
    code: "row-place",
    what: "a waiting parent that can be claimed",
    suffix: "job:ID",
    seed: async (p) => {
      const id = await p.row({ state: "awaiting_children" });
      await p.run("SET", `job:${id}:dependencies`, "1");
      await p.put("pending", 0, id);
      return [id];
    },
  },
  {
    code: "row-place",
    what: "a waiting parent that no list names",
    suffix: "job:ID",
    seed: async (p) => {
      const id = await p.row({ state: "awaiting_children" });
      await p.run("SET", `job:${id}:dependencies`, "1");
      return [id];
    },
  },
  {
    code: "lane-rest",
    what: "a lane that rests without a rate",
    suffix: "rest",
    seed: async (p) => {
      const id = await p.waiting("lane");
      await p.put("rest", FAR, "lane");
      return [id];
    },
  },
  {
    code: "row-expires",
    what: "a time to live that is not listed",
    suffix: "ttl",
    seed: async (p) => {
      const id = await p.row({ expires: String(FAR) });
      await p.put("pending", 0, id);
      return [id];
    },
  },
  {
    code: "row-expires",
    what: "a time to live that is listed too late",
    suffix: "ttl",
    seed: async (p) => {
      const id = await p.row({ state: "scheduled", expires: String(FAR) });
      await p.put("schedule", 1, id);
      await p.put("ttl", FAR + 1, id);
      return [id];
    },
  },
  {
    code: "row-numbers",
    what: "a cost and a time to live that are no numbers",
    suffix: "job:ID",
    seed: async (p) => {
      const id = await p.row({ cost: "2097152", expires: "soon" });
      await p.put("pending", 0, id);
      return [id];
    },
  },
  {
    code: "flow-count",
    what: "a parent that counts more children than are open",
    suffix: "job:ID:dependencies",
    seed: async (p) => {
      const id = await p.row({ state: "awaiting_children" });
      await p.put("awaiting", 1, id);
      await p.run("SET", `job:${id}:dependencies`, "3");
      await p.run("HSET", `job:${id}:children`, p.id(), "fp\0", p.id(), "id\0far");
      return [id];
    },
  },
  {
    code: "flow-count",
    what: "a parent whose children have all ended and that still waits",
    suffix: "job:ID:dependencies",
    seed: async (p) => {
      const child = p.id();
      const id = await p.row({ state: "awaiting_children" });
      await p.put("awaiting", 1, id);
      await p.run("SET", `job:${id}:dependencies`, "1");
      await p.run("HSET", `job:${id}:children`, child, "fp\0");
      await p.run("HSET", `job:${id}:processed`, child, "r");
      return [id];
    },
  },
  {
    code: "flow-count",
    what: "a waiting parent that has lost its count",
    suffix: "job:ID:dependencies",
    seed: async (p) => {
      const id = await p.row({ state: "awaiting_children" });
      await p.put("awaiting", 1, id);
      return [id];
    },
  },
  {
    code: "member-row",
    what: "a member without a row",
    suffix: "pending",
    seed: async (p) => {
      await p.put("pending", 0, p.id());
      return [];
    },
  },
  {
    code: "member-row",
    what: "a lane's member without a row",
    suffix: "g:lane:pending",
    seed: async (p) => {
      await p.put("g:lane:pending", 0, p.id());
      await p.run("RPUSH", "ring", "lane");
      return [];
    },
  },
  {
    code: "member-row",
    what: "an end of what is gone already",
    suffix: "expiry",
    seed: async (p) => {
      await p.put("expiry", FAR, p.id());
      return [];
    },
  },
  {
    code: "row-place",
    what: "a job that is to go although it waits",
    suffix: "expiry",
    seed: async (p) => {
      const id = await p.waiting();
      await p.put("expiry", 1, id);
      return [id];
    },
  },
  {
    code: "member-row",
    what: "a member that is no id",
    suffix: "dead",
    seed: async (p) => {
      await p.put("dead", 0, "nonsense");
      return [];
    },
  },
  {
    code: "member-score",
    what: "a score that is not the priority",
    suffix: "pending",
    seed: async (p) => {
      const id = await p.row();
      await p.put("pending", 3, id);
      return [id];
    },
  },
  {
    code: "member-score",
    what: "a score in a lane that is not the priority",
    suffix: "g:lane:pending",
    seed: async (p) => {
      const id = await p.row({ group: "lane", priority: "5" });
      await p.put("g:lane:pending", 4, id);
      await p.run("RPUSH", "ring", "lane");
      return [id];
    },
  },
  {
    code: "member-score",
    what: "a dead job with a score",
    suffix: "dead",
    seed: async (p) => {
      const id = await p.row({ state: "dead" });
      await p.put("dead", 1, id);
      return [id];
    },
  },
  {
    code: "member-score",
    what: "a deadline that is no whole number",
    suffix: "active",
    seed: async (p) => {
      const id = await p.row({ state: "active", attempts: "1" });
      await p.put("active", 1.5, id);
      return [id];
    },
  },
  {
    code: "lane-active",
    what: "a count without active jobs, which keeps a lane at its limit",
    suffix: "gactive",
    seed: async (p) => {
      const id = await p.waiting("lane");
      await p.run("HSET", "gactive", "lane", "1");
      await p.run("HSET", "glimit", "lane", "1");
      return [id];
    },
  },
  {
    code: "lane-active",
    what: "a count of nothing",
    suffix: "gactive",
    seed: async (p) => {
      await p.run("HSET", "gactive", "lane", "0");
      return [];
    },
  },
  {
    code: "lane-active",
    what: "an ordered lane that is held by nobody",
    suffix: "gactive",
    seed: async (p) => {
      const id = await p.waiting("lane");
      await p.run("SADD", "gordered", "lane");
      await p.run("HSET", "glimit", "lane", "1");
      await p.run("HSET", "gactive", "lane", "1");
      return [id];
    },
  },
  {
    code: "lane-active",
    what: "active jobs without a count",
    suffix: "gactive",
    seed: async (p) => {
      const id = await p.row({ state: "active", group: "lane", attempts: "1" });
      await p.put("active", FAR, id);
      return [id];
    },
  },
  {
    code: "lane-settings",
    what: "a limit of nothing",
    suffix: "glimit",
    seed: async (p) => {
      const id = await p.waiting("lane");
      await p.run("RPUSH", "ring", "lane");
      await p.run("HSET", "glimit", "lane", "0");
      return [id];
    },
  },
  {
    code: "lane-settings",
    what: "an ordered lane without the limit that keeps its order",
    suffix: "glimit",
    seed: async (p) => {
      const id = await p.waiting("lane");
      await p.run("RPUSH", "ring", "lane");
      await p.run("SADD", "gordered", "lane");
      return [id];
    },
  },
  {
    code: "lane-settings",
    what: "an ordered lane with another limit",
    suffix: "glimit",
    seed: async (p) => {
      await p.run("SADD", "gordered", "lane");
      await p.run("HSET", "glimit", "lane", "2");
      return [];
    },
  },
  {
    code: "row-follows",
    what: "a job behind one that has no row",
    suffix: "job:ID",
    seed: async (p) => {
      const follows = p.id();
      const id = await p.row({ state: "scheduled", follows, dedup: "d" });
      await p.put("schedule", Number.MAX_SAFE_INTEGER, id);
      return [id];
    },
  },
  {
    code: "row-follows",
    what: "a job behind one that is over",
    suffix: "job:ID",
    seed: async (p) => {
      const follows = await p.row({ state: "dead", attempts: "1", finished_at: "1" });
      await p.put("dead", 0, follows);
      const id = await p.row({ state: "scheduled", follows, dedup: "d", follow_at: "5" });
      await p.run("HSET", `job:${follows}`, "next", id);
      await p.put("schedule", Number.MAX_SAFE_INTEGER, id);
      return [id];
    },
  },
  {
    code: "row-follows",
    what: "a job behind one that lets another run",
    suffix: "job:ID",
    seed: async (p) => {
      const follows = await p.waiting();
      const id = await p.row({ state: "scheduled", follows, dedup: "d" });
      await p.put("schedule", Number.MAX_SAFE_INTEGER, id);
      return [id];
    },
  },
  {
    code: "lane-settings",
    what: "a weight that is no number",
    suffix: "gweight",
    seed: async (p) => {
      await p.run("HSET", "gweight", "lane", "heavy");
      return [];
    },
  },
  {
    code: "lane-settings",
    what: "a paused lane that can have no name",
    suffix: "paused",
    seed: async (p) => {
      await p.run("SADD", "paused", "a{b");
      return [];
    },
  },
  {
    code: "lane-ring",
    what: "a lane without work on the ring",
    suffix: "ring",
    seed: async (p) => {
      await p.run("RPUSH", "ring", "lane");
      return [];
    },
  },
  {
    code: "lane-ring",
    what: "a lane with work off the ring",
    suffix: "ring",
    seed: async (p) => [await p.waiting("lane")],
  },
  {
    code: "lane-ring",
    what: "a lane twice on the ring",
    suffix: "ring",
    seed: async (p) => {
      const id = await p.waiting("lane");
      await p.run("RPUSH", "ring", "lane", "lane");
      return [id];
    },
  },
  {
    code: "lane-ring",
    what: "a paused lane on the ring",
    suffix: "ring",
    seed: async (p) => {
      await p.waiting("lane");
      await p.run("RPUSH", "ring", "lane");
      await p.run("SADD", "paused", "lane");
      return [];
    },
  },
  ...["logs", "dependencies", "processed", "result"].map(
    (type): Damage => ({
      code: "side-key",
      what: `${type} of a job that is gone`,
      suffix: `job:ID:${type}`,
      destroys: true,
      seed: async (p) => {
        const id = p.id();
        if (type === "logs") await p.run("RPUSH", `job:${id}:logs`, "line");
        else if (type === "processed") await p.run("HSET", `job:${id}:processed`, "a", "b");
        else await p.run("SET", `job:${id}:${type}`, "1");
        return [id];
      },
    }),
  ),
  {
    code: "dedup-holder",
    what: "a deduplication key whose holder is gone",
    suffix: "de:order:7",
    seed: async (p) => {
      await p.run("SET", "de:order:7", p.id());
      return [];
    },
  },
  {
    code: "wake-tokens",
    what: "more tokens than anybody pushes",
    suffix: "wake",
    seed: async (p) => {
      await p.run("LPUSH", "wake", ...new Array<string>(65).fill("1"));
      return [];
    },
  },
  {
    code: "wake-tokens",
    what: "a token that is none",
    suffix: "wake",
    seed: async (p) => {
      await p.run("LPUSH", "wake", "go");
      return [];
    },
  },
  {
    code: "repeat-place",
    what: "a scheduler that has lost its next occurrence",
    suffix: "cron",
    seed: async (p) => {
      const id = await p.waiting();
      await p.run("HSET", "cron:s", "every_ms", "1000", "template", "p");
      return [id];
    },
  },
  {
    code: "repeat-place",
    what: "an occurrence of a repeat without a record",
    suffix: "repeat",
    seed: async (p) => {
      const id = await p.waiting();
      await p.run("ZADD", "repeat", "5", "r");
      return [id];
    },
  },
  {
    code: "cursor-value",
    what: "a place of the round that is no number",
    suffix: "cursor",
    seed: async (p) => await seedCursor(p, "passed", "1", "credit", "much"),
  },
  {
    code: "cursor-value",
    what: "a share of the round that is no number",
    suffix: "cursor",
    seed: async (p) => await seedCursor(p, "passed", "1", "credit", "-2", "share", "half"),
  },
  {
    code: "counter-value",
    what: "a counter that no act can raise",
    suffix: "metrics:completed",
    destroys: true,
    seed: async (p) => {
      const id = await p.waiting();
      await p.run("HSET", "metrics:completed", "count", "many");
      return [id];
    },
  },
  {
    code: "limiter-stuck",
    what: "a rate window without an end",
    suffix: "limiter",
    seed: async (p) => {
      await p.run("SET", "limiter", "5");
      return [];
    },
  },
  {
    code: "setting-value",
    what: "a ceiling that is no number",
    suffix: "meta",
    destroys: true,
    seed: async (p) => {
      await p.run("HSET", "meta", "concurrency", "all");
      return [];
    },
  },
  {
    code: "setting-value",
    what: "a burst that is no number",
    suffix: "meta",
    destroys: true,
    seed: async (p) => {
      await p.run("HSET", "meta", "burst", "-1");
      return [];
    },
  },
  {
    code: "setting-value",
    what: "a burst that is no number",
    suffix: "meta",
    destroys: true,
    seed: async (p) => {
      await p.run("HSET", "meta", "burst", "-1");
      return [];
    },
  },
  {
    code: "size-bound",
    what: "tokens of removed jobs that never end",
    suffix: "tokens",
    seed: async (p) => {
      await p.put("tokens", 1, p.id());
      return [];
    },
  },
  {
    code: "size-bound",
    what: "more tokens of removed jobs than are kept",
    suffix: "tokens",
    seed: async (p) => {
      for (let at = 0; at < 12_000; at += 1000) {
        const members = Array.from({ length: 1000 }, (_, index) => [String(at + index), `x${at + index}`]);
        await p.run("ZADD", "tokens", ...members.flat());
      }
      await p.run("PEXPIRE", "tokens", "1000000");
      return [];
    },
  },
  {
    code: "size-bound",
    what: "more workers than can be",
    suffix: "workers",
    seed: async (p) => {
      await p.run("HSET", "workers", ...Array.from({ length: 1002 }, (_, at) => [`w${at}`, "{}"]).flat());
      return [];
    },
  },
  {
    code: "lease-overdue",
    what: "a lease that lapsed long ago",
    suffix: "active",
    seed: async (p) => {
      const id = await p.row({ state: "active", attempts: "1", owner: "w" });
      await p.put("active", 1, id);
      return [id];
    },
  },
];
