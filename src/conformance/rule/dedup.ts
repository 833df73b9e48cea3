/**
 * Names of jobs: a deduplication id holds others back only while its job lives, and what it then does is what its mode
 * says; an alias names a job for as long as its row exists.
 */

import type { Reply } from "../../engine/engine.ts";
import { bytesFrom } from "../../protocol/bytes.ts";
import { isEchoMQError } from "../../protocol/errors.ts";
import type { Verb } from "../../protocol/verbs.generated.ts";
import { holds, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS, type Trial } from "../trial.ts";

/** Long enough that no slow server ends it within a scenario, in ms. */
const LONG_MS = 600_000;

/** One row of an `ADMIT`: its letters with their values in order, and its payload. */
interface Row {
  readonly id?: string;
  readonly payload?: string;
  readonly letters: readonly (readonly [letter: string, value: string])[];
}

/** Admits one row; answers its id and its verdict, `undefined` when it was simply admitted. */
async function admit(t: Trial, { id = t.id(), payload = "p", letters }: Row): Promise<[id: string, verdict?: Reply]> {
  const shape = letters.map(([letter]) => letter).join("");
  const reply = await t.act("ADMIT", [shape, "1", id, payload, ...letters.map(([, value]) => value)]);
  const exceptions = reply as Reply[];
  if (exceptions.length === 0) return [id];
  same(exceptions[0], 0, "the position of the exception");
  return [id, exceptions[1] as Reply];
}

/** A row of the deduplication id `x`. */
function named(mode: string, more: readonly (readonly [string, string])[] = [], payload = "p"): Row {
  return { payload, letters: [["d", "x"], ["m", mode], ...more] };
}

/** Admits a row that must be admitted, and answers its id. */
async function admitted(t: Trial, row: Row): Promise<string> {
  const [id, verdict] = await admit(t, row);
  same(verdict, undefined, "the verdict of a row that nothing holds back");
  return id;
}

async function holder(t: Trial): Promise<string | undefined> {
  return await t.jobs.getDedup(t.queue, "x");
}

/** Claims the first job and ends it in the given way. */
async function end(t: Trial, id: string, how: "complete" | "die"): Promise<void> {
  const job = await t.claimed();
  same(job.id, id, "the job that is claimed");
  if (how === "complete") same(await t.jobs.complete(t.queue, id, job.attempts), "ok", "COMPLETE");
  else await t.jobs.retry(t.queue, id, job.attempts, { delayMs: 1, maxAttempts: 1, error: "e" });
}

const LANE = "lane-a";

/** An active job, the one that follows it, a dead one and one that waits, each with names, all of one lane. */
type Cast = readonly [active: string, follower: string, dead: string, waiting: string];

/** Makes the scene from nothing by plain commands. */
async function arrange(t: Trial, [active, follower, dead, waiting]: Cast): Promise<void> {
  const keys = [...(await t.snapshot()).keys(), t.key("nothing")];
  const row = (id: string, state: string, ...more: string[]) =>
    ["HSET", t.row(id), "state", state, "attempts", "1", "payload", "p", "group", LANE, ...more] as const;
  const commands = [
    ["DEL", ...keys],
    row(active, "active", "dedup", "x", "alias", "a", "next", follower),
    row(follower, "scheduled", "dedup", "x", "alias", "b", "follows", active),
    row(dead, "dead", "dedup", "", "alias", "d"),
    row(waiting, "pending", "dedup", "w"),
    ["ZADD", t.key("active"), "9007199254740000", active],
    ["ZADD", t.key("schedule"), "9007199254740991", follower],
    ["ZADD", t.key("dead"), "0", dead],
    ["ZADD", t.key(`g:${LANE}:pending`), "0", waiting],
    ["RPUSH", t.key("ring"), LANE],
    ["HSET", t.key("gactive"), LANE, "1"],
    ["HSET", t.key("glimit"), LANE, "9"],
    ["SET", t.key("de:x"), active],
    ["SET", t.key("de:a"), active],
    ["SET", t.key("de:b"), follower],
    ["SET", t.key("de:d"), dead],
    ["SET", t.key("de:w"), waiting],
    ["HSET", t.key("metrics:completed"), "count", "1"],
    ["HSET", t.key("metrics:failed"), "count", "1"],
  ];
  for (const command of commands) await t.command(...command);
}

/** Acts that admit, replace or end jobs of the scene. */
function namedActs(t: Trial, [active]: Cast): readonly (readonly [verb: Verb, args: string[], id: string])[] {
  const one = (shape: string, ...values: string[]): readonly [Verb, string[], string] => [
    "ADMIT",
    [shape, "1", t.id(), "q", ...values],
    "",
  ];
  return [
    one("dm", "x", "follow"),
    one("idm", "1", "w", "replace"),
    one("gdmj", LANE, "w", "replace", "b2"),
    one("k", "d"),
    one("gdkl", "lane-b", "y", "d", "1"),
    ["COMPLETE", [active, "1"], active],
    ["RETRY", [active, "1", "1", "1", "e"], active],
    ["REMOVE", [active, ""], active],
  ];
}

/** `done`, or the first word of what refused an act. */
async function wordOf(t: Trial, verb: Verb, args: readonly string[], id: string): Promise<string> {
  try {
    await t.act(verb, args, { id });
    return "done";
  } catch (error) {
    if (!isEchoMQError(error)) throw error;
    return error.message.split(" ", 1)[0] ?? "";
  }
}

/** Takes a waiting job away as nobody who knows of names would. */
async function lose(t: Trial, id: string): Promise<void> {
  await t.command("DEL", t.row(id));
  await t.command("ZREM", t.key("pending"), id);
}

export const dedupScenarios: readonly ScenarioDraft[] = [
  {
    name: "c27_dedup_while_it_lives",
    contract: "A name is held while its job waits, runs or is scheduled, and by nobody once that is over, also unseen.",
    async run(t) {
      const first = await admitted(t, { letters: [["d", "x"]] });
      same(await t.fields(first), { state: "pending", attempts: "0", payload: "p", dedup: "x" }, "its row");
      same(await holder(t), first, "the key of its name");
      const before = await t.snapshot();
      same((await admit(t, { letters: [["d", "x"]] }))[1], [2, first], "while it is pending");
      same(await t.snapshot(), before, "what a job that is held back leaves");
      const { attempts } = await t.claimed();
      same((await admit(t, { letters: [["d", "x"]] }))[1], [2, first], "while it is active");
      await t.jobs.retry(t.queue, first, attempts, { delayMs: LEASE_MS, maxAttempts: 5, error: "e" });
      same((await admit(t, { letters: [["d", "x"]] }))[1], [2, first], "while it is scheduled");
      same(await t.jobs.removeJob(t.queue, first), "ok", "REMOVE");
      same(await holder(t), undefined, "the key after the removal");
      for (const how of ["complete", "die"] as const) {
        await end(t, await admitted(t, { letters: [["d", "x"]] }), how);
        same(await holder(t), undefined, `the key after ${how}`);
      }
      const lost = await admitted(t, { letters: [["d", "x"]] });
      await lose(t, lost);
      const next = await admitted(t, { letters: [["d", "x"]] });
      same(await holder(t), next, "the holder after the last one was lost");
      await t.command("HSET", t.row(next), "state", "dead");
      await t.command("ZREM", t.key("pending"), next);
      await t.command("ZADD", t.key("dead"), "0", next);
      await admitted(t, { letters: [["d", "x"]] });
    },
  },
  {
    name: "c27_dedup_own_job",
    contract: "The end of a job releases its own names only, and leaves those that another job has taken since.",
    async run(t) {
      const first = await admitted(t, named("short"));
      const { attempts } = await t.claimed();
      const second = await admitted(t, named("short"));
      same(await holder(t), second, "the holder");
      same(await t.jobs.complete(t.queue, first, attempts), "ok", "COMPLETE of the first");
      same(await holder(t), second, "the holder after the end of the first");
    },
  },
  {
    name: "dedup_replace",
    contract:
      "A job that waits takes data, options, place and time of the new one, under its own id; one that runs none.",
    async run(t) {
      const first = await admitted(t, {
        letters: [
          ["n", "old"],
          ["p", "7"],
          ["o", "{}"],
          ["d", "x"],
        ],
      });
      await t.command("HSET", t.row(first), "last_error", "e", "stalled", "2", "progress", "1");
      same((await admit(t, named("replace", [], "p2")))[1], [3, first], "while it is pending");
      same(await t.fields(first), { state: "pending", attempts: "0", payload: "p2", dedup: "x" }, "its row");
      same(await t.score("pending", first), 0, "its score");
      const later: Row = {
        payload: "p3",
        letters: [
          ["g", "lane-a"],
          ["i", String(LONG_MS)],
          ["d", "x"],
          ["m", "replace"],
        ],
      };
      same((await admit(t, later))[1], [3, first], "into the schedule");
      same([await t.members("pending"), await t.members("schedule")], [[], [first]], "where it is then");
      const inLane: Row = {
        payload: "p4",
        letters: [
          ["g", "lane-b"],
          ["d", "x"],
          ["m", "replace"],
        ],
      };
      same((await admit(t, inLane))[1], [3, first], "into a lane");
      same([await t.members("schedule"), await t.members("g:lane-b:pending")], [[], [first]], "where it is then");
      same(await t.list("ring"), ["lane-b"], "the ring");
      same((await admit(t, named("replace", [], "p5")))[1], [3, first], "out of the lane");
      same([await t.members("g:lane-b:pending"), await t.list("ring")], [[], []], "the lane and the ring");
      same(await t.members("pending"), [first], "the flat queue");
      const { attempts } = await t.claimed();
      same((await admit(t, named("replace", [], "p6")))[1], [2, first], "while it is active");
      same(await t.field(first, "payload"), "p5", "its payload");
      await t.jobs.giveBack(t.queue, first, attempts);
      same((await admit(t, named("replace", [], "p7")))[1], [3, first], "after it was given back");
      same(await t.field(first, "deferred"), "1", "what its first claim counts as");
    },
  },
  {
    name: "dedup_replace_lapsed",
    contract: "The late holder of a lapsed lease cannot settle the data that have replaced those it was given.",
    async run(t) {
      const first = await admitted(t, named("replace"));
      const { attempts } = await t.claimed(1);
      await t.advance(2);
      same(await t.jobs.reap(t.queue), 1, "REAP");
      same((await admit(t, named("replace", [], "p2")))[1], [3, first], "the replacement");
      same(await t.jobs.complete(t.queue, first, attempts), "state", "COMPLETE of the late holder");
      const next = await t.claimed();
      same([next.id, next.attempts], [first, 2], "the next claim");
    },
  },
  {
    name: "dedup_window",
    contract: "A window holds back for its time whatever becomes of its job; a bound of a name ends with the job too.",
    async run(t) {
      const first = await admitted(t, named("throttle", [["t", String(LONG_MS)]]));
      same(await t.field(first, "dedup"), null, "the name in a row whose end does not end the window");
      await end(t, first, "complete");
      same((await admit(t, named("throttle", [["t", String(LONG_MS)]])))[1], [2, first], "after its job");
      await t.command("DEL", t.key("de:x"));
      await end(t, await admitted(t, named("keep", [["t", String(LONG_MS)]])), "complete");
      const short = await admitted(t, named("keep", [["t", "1"]]));
      await t.advance(5);
      const next = await admitted(t, named("throttle", [["t", "5"]]));
      holds(next !== short, "a name is free after its time although its job waits");
      await t.advance(10);
      await admitted(t, named("throttle", [["t", "5"]]));
    },
  },
  {
    name: "dedup_extend",
    contract: "Each job that is held back begins the time anew, in the modes that say so.",
    async run(t) {
      for (const mode of ["extend", "slide", "keep", "replace", "debounce"]) {
        await t.command("DEL", t.key("de:x"));
        const first = await admitted(t, named(mode, [["t", "1000"]]));
        const code = mode === "replace" || mode === "debounce" ? 3 : 2;
        same((await admit(t, named(mode, [["t", String(LONG_MS)]])))[1], [code, first], mode);
        const left = (await t.command("PTTL", t.key("de:x"))) as number;
        const isRenewed = mode !== "keep" && mode !== "replace";
        holds(isRenewed ? left > 1000 : left <= 1000, `${mode} leaves ${left} ms`);
      }
    },
  },
  {
    name: "dedup_debounce",
    contract: "Each job puts the waiting one off, to no later than its bound; once that one runs, a new one begins.",
    async run(t) {
      const wait = (ms: number, payload: string): Row => ({
        payload,
        letters: [
          ["i", String(ms)],
          ["d", "x"],
          ["m", "debounce"],
          ["w", "5000"],
        ],
      });
      const first = await admitted(t, wait(1000, "a"));
      const begun = Number(await t.field(first, "latest"));
      const due = async () => (await t.score("schedule", first)) ?? 0;
      const firstDue = await due();
      same((await admit(t, wait(2000, "b")))[1], [3, first], "the second");
      holds((await due()) > firstDue, "the second puts it off");
      same((await admit(t, wait(LONG_MS, "c")))[1], [3, first], "the third");
      same([await due(), Number(await t.field(first, "latest"))], [begun, begun], "the bound");
      same(await t.jobs.release(t.queue, first), "ok", "RELEASE");
      same((await t.claimed()).id, first, "the job that is claimed");
      const next = await admitted(t, wait(1000, "d"));
      same(await holder(t), next, "the holder");
    },
  },
  {
    name: "dedup_follow",
    contract: "A job that is added while another runs is parked until the end of that one, and then takes its name.",
    async run(t) {
      for (const how of ["complete", "die", "remove"] as const) {
        const first = await admitted(t, named("follow"));
        same((await admit(t, named("follow")))[1], [2, first], "while it waits");
        const { attempts } = await t.claimed();
        const second = await admitted(t, named("follow", [], "b"));
        same(await t.field(first, "next"), second, "the job that follows");
        same(await t.field(second, "follows"), first, "whom it follows");
        same(await t.score("schedule", second), Number.MAX_SAFE_INTEGER, "its score");
        same((await admit(t, named("follow", [], "c")))[1], [3, second], "the third");
        same(await holder(t), first, "the holder");
        await t.takeTokens();
        if (how === "complete") same(await t.jobs.complete(t.queue, first, attempts), "ok", how);
        else if (how === "remove") same(await t.jobs.removeJob(t.queue, first), "ok", how);
        else await t.jobs.retry(t.queue, first, attempts, { delayMs: 1, maxAttempts: 1, error: "e" });
        same([await holder(t), await t.tokens()], [second, 1], `the holder, and tokens, after ${how}`);
        same(await t.jobs.promote(t.queue, 10), 1, "PROMOTE");
        const next = await t.claimed();
        same([next.id, bytesFrom(next.payload)], [second, "c"], "the job that runs then");
        same(await t.field(second, "follows"), null, "whom it follows then");
        await t.jobs.complete(t.queue, second, next.attempts);
        same(await holder(t), undefined, "the key at the end");
      }
    },
  },
  {
    name: "dedup_follow_window",
    contract: "A job that a window admitted lets the one that was added to follow it run, however it ends.",
    async run(t) {
      for (const how of ["complete", "die", "turn"] as const) {
        const first = await admitted(t, named("throttle", [["t", String(LONG_MS)]]));
        const { attempts } = await t.claimed();
        const second = await admitted(t, named("follow"));
        await t.takeTokens();
        if (how === "complete") same(await t.jobs.complete(t.queue, first, attempts), "ok", how);
        else if (how === "die") {
          await t.jobs.retry(t.queue, first, attempts, { delayMs: 1, maxAttempts: 1, error: "e" });
        } else {
          const settlements = [{ op: "c", id: first, token: attempts }] as const;
          await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 0, settlements });
        }
        same([await t.tokens(), await t.field(second, "follows")], [1, null], `tokens and leader after ${how}`);
        await t.jobs.promote(t.queue, 1);
        same((await t.claimed()).id, second, `the job that runs after ${how}`);
        await t.jobs.complete(t.queue, second, 1);
        same(await holder(t), first, "the window, which outlasts both");
        await t.command("DEL", t.key("de:x"));
      }
    },
  },
  {
    name: "dedup_follow_lost_name",
    contract: "A job runs after the one that it follows also when a later row of the same act has taken their name.",
    async run(t) {
      const first = await admitted(t, named("latest", [], "a"));
      const { attempts } = await t.claimed();
      const [second, third] = [t.id(), t.id()];
      await t.act("ADMIT", ["dm", "2", second, "b", "x", "latest", third, "c", "x", "short"]);
      same([await holder(t), await t.field(first, "next")], [third, second], "holder and follower");
      await t.jobs.complete(t.queue, first, attempts);
      same(await t.field(second, "follows"), null, "the leader of the follower");
      await t.jobs.promote(t.queue, 1);
      same([(await t.claimed()).id, (await t.claimed()).id].sort(), [second, third].sort(), "what runs then");
    },
  },
  {
    name: "dedup_follow_turn",
    contract: "A turn that ends a job claims the one that follows it in the same act, when that is due.",
    async run(t) {
      const first = await admitted(t, named("latest", [], "a"));
      same((await admit(t, named("latest", [], "b")))[1], [3, first], "while it waits");
      const { attempts } = await t.claimed();
      const second = await admitted(t, named("latest"));
      const { jobs } = await t.jobs.turn(t.queue, {
        worker: "w",
        leaseMs: LEASE_MS,
        want: 1,
        settlements: [{ op: "c", id: first, token: attempts }],
      });
      same(
        jobs.map(({ id }) => id),
        [second],
        "what the turn claims",
      );
      const due: Row = {
        letters: [
          ["i", String(LONG_MS)],
          ["d", "x"],
          ["m", "latest"],
        ],
      };
      const third = await admitted(t, due);
      await t.jobs.complete(t.queue, second, 1);
      const score = (await t.score("schedule", third)) ?? 0;
      holds(score > (await t.port.serverNow()) && score < Number.MAX_SAFE_INTEGER, "a delay is kept after the end");
    },
  },
  {
    name: "dedup_alias",
    contract: "An alias names a job while its row exists, dead or alive; a finished one gives way when it is asked to.",
    async run(t) {
      const alias = (letter: string): Row => ({ letters: [[letter, "a"]] });
      const first = await admitted(t, alias("j"));
      const birth = { state: "pending", attempts: "0", payload: "p", dedup: "", alias: "a" };
      same(await t.fields(first), birth, "its row");
      same((await admit(t, alias("j")))[1], [1, first, "pending"], "while it is pending");
      same((await admit(t, alias("k")))[1], [1, first, "pending"], "while it is pending, though it may be replaced");
      await end(t, first, "die");
      same((await admit(t, alias("j")))[1], [1, first, "dead"], "while it is dead");
      const [second, verdict] = await admit(t, alias("k"));
      same(verdict, [4, first, "dead"], "in place of the dead one");
      same([await t.exists(t.row(first)), await t.members("dead")], [false, []], "what is left of it");
      same(await t.jobs.getDedup(t.queue, "a"), second, "whom the alias names");
      await end(t, second, "complete");
      same(await t.jobs.getDedup(t.queue, "a"), undefined, "whom it names at the end");
      const lost = await admitted(t, alias("j"));
      await lose(t, lost);
      await admitted(t, alias("j"));
    },
  },
  {
    name: "dedup_alias_and_id",
    contract: "An alias and a deduplication id of one job end at their own times, and move with the data of a job.",
    async run(t) {
      const both = (alias: string, mode = "keep"): Row => ({
        letters: [
          ["d", "x"],
          ["m", mode],
          ["j", alias],
        ],
      });
      const first = await admitted(t, both("a"));
      same((await admit(t, both("a")))[1], [1, first, "pending"], "the same alias");
      same((await admit(t, both("b")))[1], [2, first], "the same id");
      same((await admit(t, both("b", "replace")))[1], [3, first], "a replacement of another alias");
      same(await t.jobs.getDedup(t.queue, "a"), undefined, "whom the old alias names");
      same(await t.jobs.getDedup(t.queue, "b"), first, "whom the new alias names");
      same((await admit(t, both("b", "replace")))[1], [3, first], "a replacement of the same alias");
      const { attempts } = await t.claimed();
      const second = await admitted(t, both("b", "follow"));
      same(await t.jobs.getDedup(t.queue, "b"), first, "whom the alias names while its job runs");
      await t.jobs.retry(t.queue, first, attempts, { delayMs: 1, maxAttempts: 1, error: "e" });
      same([await holder(t), await t.jobs.getDedup(t.queue, "b")], [second, second], "whom both name afterwards");
      same(await t.jobs.removeJob(t.queue, first), "ok", "REMOVE of the dead one");
      same(await t.jobs.getDedup(t.queue, "b"), second, "whom the alias names without the dead one");
    },
  },
  {
    name: "dedup_one_act",
    contract: "Rows of one act see one another as those of acts that follow.",
    async run(t) {
      const [a, b, c, d, e, f] = t.ids(6);
      const args = ["d", "2", a, "1", "x", b, "2", "x", "dm", "1", c, "3", "x", "replace"];
      const more = ["dmj", "2", d, "4", "x", "replace", "q", e, "5", "y", "keep", "q", "", "1", f, "6"];
      same(
        await t.act("ADMIT", [...args, ...more]),
        [1, [2, a], 2, [3, a], 3, [3, a], 4, [1, a, "pending"]],
        "verdicts",
      );
      same(await t.members("pending"), [a, f], "pending");
      const row = { state: "pending", attempts: "0", payload: "4", dedup: "x", alias: "q" };
      same(await t.fields(a), row, "the row");
      same(await t.jobs.getDedup(t.queue, "y"), undefined, "the name of the duplicate");
      const rest = await t.snapshot();
      same(await t.act("ADMIT", ["dj", "1", t.id(), "7", "y", "q"]), [0, [1, a, "pending"]], "a further duplicate");
      same(await t.snapshot(), rest, "what it leaves");
    },
  },
  {
    name: "dedup_lane_limit",
    contract: "A row gives its lane a limit if it has none, and leaves one that it has, also from a row before it.",
    async run(t) {
      const row: Row = {
        letters: [
          ["g", "lane-a"],
          ["l", "1"],
        ],
      };
      await admitted(t, row);
      await admitted(t, row);
      const turn = { worker: "w", leaseMs: LEASE_MS, want: 5 } as const;
      same((await t.jobs.turn(t.queue, turn)).jobs.length, 1, "jobs that run at once");
      same(await t.command("HGET", t.key("glimit"), "lane-a"), "1", "the limit");
      await t.command("HSET", t.key("glimit"), "lane-b", "7");
      await admitted(t, {
        letters: [
          ["g", "lane-b"],
          ["l", "1"],
        ],
      });
      same(await t.command("HGET", t.key("glimit"), "lane-b"), "7", "the limit that was there");
      await admitted(t, { letters: [["g", "lane-c"]] });
      same((await t.jobs.turn(t.queue, turn)).jobs.length, 2, "jobs of the lanes with room");
      await t.act("ADMIT", ["gl", "2", t.id(), "p", "lane-c", "1", t.id(), "p", "lane-c", "2"]);
      same(await t.command("HGET", t.key("glimit"), "lane-c"), "1", "the limit of the first row that gave one");
      same(await t.command("LPOS", t.key("ring"), "lane-c"), null, "the place of the full lane on the ring");
    },
  },
  {
    name: "dedup_lane_limit_full",
    contract: "Where 100000 lanes have a limit, a row that gives one more is refused with its whole act.",
    async run(t) {
      const names = Array.from({ length: 100_000 }, (_, at) => `l${at}`);
      for (let from = 0; from < names.length; from += 1000) {
        await t.command("HSET", t.key("glimit"), ...names.slice(from, from + 1000).flatMap((name) => [name, "1"]));
      }
      const refusal = await t.refusalOf("ADMIT", ["", "1", t.id(), "p", "gl", "1", t.id(), "p", "lane-a", "1"]);
      same(refusal, "EMQFULL settings of lanes", "the refusal");
      same(await t.members("pending"), [], "what was admitted");
      await t.command("DEL", t.key("glimit"));
    },
  },
  {
    name: "dedup_foreign_types",
    contract: "An act that admits, replaces or ends a job with names and meets a foreign type changes nothing.",
    expectFindings: ["key-type"],
    async run(t) {
      const jobs = t.ids(4) as unknown as Cast;
      await arrange(t, jobs);
      const before = await t.snapshot();
      const lane = `g:${LANE}:pending`;
      const sets = ["pending", "active", "schedule", "dead", "completed", "expiry", "ring", "glimit", "gactive", lane];
      const rows = [0, 1, 2, 3].map((at) => `job:${jobs[at]}`);
      const targets = [
        ...sets,
        "meta",
        "metrics:completed",
        ...["x", "w", "a", "b", "d"].map((n) => `de:${n}`),
        ...rows,
      ];
      for (const [verb, args, id] of namedActs(t, jobs)) {
        for (const target of targets) {
          await arrange(t, jobs);
          const isText = target.startsWith("de:");
          await t.command("DEL", t.key(target));
          await t.command(isText ? "RPUSH" : "SET", t.key(target), "x");
          const answer = await wordOf(t, verb, args, id);
          if (answer === "done") continue;
          const where = `${verb} with ${args.join(" ")}, which met ${target}`;
          same(answer, "WRONGTYPE", `the refusal of ${where}`);
          const after = await t.snapshot();
          const keys = [...new Set([...before.keys(), ...after.keys()])].filter((key) => key !== t.key(target));
          const changed = keys.filter((key) => before.get(key) !== after.get(key));
          same(changed, [], `keys that changed by ${where}`);
        }
        await arrange(t, jobs);
        same(await wordOf(t, verb, args, id), "done", `${verb} with ${args.join(" ")}`);
      }
      await arrange(t, jobs);
      await t.command("DEL", t.key("pending"));
      await t.command("SET", t.key("pending"), "x");
    },
  },
  {
    name: "dedup_bad",
    contract: "A bad word, time, name or shape refuses the act before anything is written.",
    async run(t) {
      const before = await t.snapshot();
      const bad: readonly (readonly [what: string, ...args: string[]])[] = [
        ["dedup", "d", "1", t.id(), "p", "a{b"],
        ["dedup", "d", "1", t.id(), "p", ""],
        ["mode", "dm", "1", t.id(), "p", "x", "always"],
        ["mode", "dm", "1", t.id(), "p", "x", ""],
        ["dedup_ms", "dt", "1", t.id(), "p", "x", "0"],
        ["dedup_ms", "dm", "1", t.id(), "p", "x", "throttle"],
        ["dedup_ms", "dm", "1", t.id(), "p", "x", "extend"],
        ["max_wait_ms", "dmw", "1", t.id(), "p", "x", "debounce", "-1"],
        ["alias", "j", "1", t.id(), "p", "x".repeat(257)],
        ["alias", "k", "1", t.id(), "p", ""],
        ["limit", "gl", "1", t.id(), "p", "lane-a", "0"],
        ["shape", "l", "1", t.id(), "p", "1"],
        ["shape", "m", "1", t.id(), "p", "keep"],
        ["shape", "jk", "1", t.id(), "p", "a", "a"],
        ["shape", "jd", "1", t.id(), "p", "a", "a"],
      ];
      for (const [what, ...args] of bad) {
        same(await t.refusalOf("ADMIT", args), `ERR EMQ.ADMIT bad argument ${what}`, args.join(" "));
      }
      const many = (count: number) => ["j", String(count), ...t.ids(count).flatMap((id) => [id, "p", id])];
      const refusal = await t.refusalOf("ADMIT", ["", "1", t.id(), "p", ...many(251)]);
      same(refusal, "ERR EMQ.ADMIT bad argument count", "251 rows with names");
      same(await t.snapshot(), before, "what was written");
      same(await t.act("ADMIT", ["", "1", t.id(), "p", ...many(250)]), [], "250 rows with names");
    },
  },
  {
    name: "dedup_two_names",
    contract: "A job that two names hold, and that one act replaces by both, has the last values and waits once.",
    async run(t) {
      const [one, first, second] = t.ids(3);
      await t.act("ADMIT", ["dj", "1", one, "p", "d1", "d2"]);
      const rows = [first, "q", "lane-a", "d1", "replace", second, "r", "lane-b", "d2", "replace"];
      same(await t.act("ADMIT", ["gdm", "2", ...rows]), [0, [3, one], 1, [3, one]], "the verdicts");
      same([await t.field(one, "payload"), await t.field(one, "group")], ["r", "lane-b"], "its values");
      same([await t.members("g:lane-a:pending"), await t.members("g:lane-b:pending")], [[], [one]], "where it waits");
      same([await t.list("ring"), await t.members("pending")], [["lane-b"], []], "ring and flat queue");
    },
  },
];
