/** What `REPAIR` promises: it puts right what is wrong, and leaves alone what is right. */

import { same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { LEASE_MS, type Trial } from "../trial.ts";

/** The act's answer: 0 right, 1 mended, 2 left. `more` are fields, holders, or the suffix of a further key. */
async function repaired(t: Trial, subject: string, name: string, ...rest: string[]): Promise<unknown> {
  const [mode = "keep", lane = "", ...more] = rest;
  if (subject !== "key") return await t.act("REPAIR", [subject, name, lane, mode, ...more]);
  return await t.act("REPAIR", [subject, name, "", mode], { more });
}

export const repairScenarios: readonly ScenarioDraft[] = [
  {
    name: "repair_lost_job",
    contract: "A job that lies nowhere goes where its state says: it waits, is due, or is leased for half a minute.",
    async run(t) {
      const [waiting, scheduled, active] = t.ids(3);
      for (const [id, state] of [
        [waiting, "pending"],
        [scheduled, "scheduled"],
        [active, "active"],
      ] as const) {
        await t.command("HSET", t.row(id), "state", state, "attempts", "1", "payload", "p", "priority", "4");
        same(await repaired(t, "job", id), 1, `the repair of a lost ${state} job`);
        same(await repaired(t, "job", id), 0, "a second repair");
      }
      same(await t.score("pending", waiting), 4, "the score of the job that waits");
      const now = await t.port.serverNow();
      const due = (await t.score("schedule", scheduled)) ?? Number.POSITIVE_INFINITY;
      same(due <= now, true, "the scheduled job is due");
      const deadline = (await t.score("active", active)) ?? 0;
      same(deadline > now && deadline <= now + 30_000, true, "the active job is leased again");
      same(await t.tokens(), 1, "a worker is woken");
      same(await t.jobs.complete(t.queue, active, 1), "ok", "its holder settles it");
    },
  },
  {
    name: "repair_strays",
    contract: "A job leaves every place but its own, and a member without a row leaves all; lanes follow.",
    async run(t) {
      const id = t.id();
      await t.jobs.admit(t.queue, [{ id, payload: "p", lane: "own" }]);
      await t.command("ZADD", t.key("dead"), "0", id);
      await t.command("ZADD", t.key("g:other:pending"), "0", id);
      await t.command("RPUSH", t.key("ring"), "other");
      same(await repaired(t, "job", id, "keep", "other"), 1, "the repair");
      same(await t.members("g:own:pending"), [id], "its lane");
      same([await t.members("dead"), await t.members("g:other:pending")], [[], []], "the other places");
      same(await t.list("ring"), ["own"], "the ring");
      const ghost = t.id();
      await t.command("ZADD", t.key("pending"), "0", ghost, "0", "no id");
      same([await repaired(t, "job", ghost), await repaired(t, "job", "no id")], [1, 1], "the repair of ghosts");
      same(await t.members("pending"), [], "pending");
    },
  },
  {
    name: "repair_row",
    contract: "Fields that say nothing right go, a missing state comes from where the job lies, attempts begin at 0.",
    async run(t) {
      const id = t.id();
      await t.command(
        "HSET",
        t.row(id),
        "payload",
        "p",
        "priority",
        "x",
        "stalled",
        "0",
        "owner",
        "w",
        "colour",
        "red",
      );
      await t.command("ZADD", t.key("dead"), "7", id);
      same(await repaired(t, "job", id, "destroy", "", "colour", "payload"), 1, "the repair");
      same(await t.fields(id), { payload: "p", state: "dead", attempts: "0" }, "the row");
      same(await t.score("dead", id), 0, "the score");
      same(await repaired(t, "job", id, "destroy", "", "colour"), 0, "a second repair");
    },
  },
  {
    name: "repair_destroys",
    contract: "What may hold a caller's data goes only by `destroy`: a row that nobody can run, and what a row left.",
    async run(t) {
      const [empty, gone] = t.ids(2);
      await t.command("HSET", t.row(empty), "attempts", "1");
      await t.command("ZADD", t.key("active"), "1", empty);
      await t.command("RPUSH", `${t.row(gone)}:logs`, "line");
      const before = await t.snapshot();
      same([await repaired(t, "job", empty), await repaired(t, "job", gone)], [2, 2], "without leave");
      same(await t.snapshot(), before, "the keys");
      same(await repaired(t, "job", empty, "destroy"), 1, "the row without a payload");
      same(await repaired(t, "job", gone, "destroy"), 1, "the side key");
      same(await t.members("tokens"), [empty], "the last token of the row");
      await t.command("DEL", t.key("tokens"));
      same((await t.snapshot()).size, 0, "keys that are left");
    },
  },
  {
    name: "repair_lane",
    contract: "A lane's counter, settings and place on the ring follow from its leased and waiting jobs.",
    async run(t) {
      const rows = t.ids(2).map((id) => ({ id, payload: "p", lane: "tenant" }));
      await t.jobs.admit(t.queue, rows);
      same(await repaired(t, "lane", "tenant"), 0, "a lane that is right");
      await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 1 });
      await t.command("HSET", t.key("gactive"), "tenant", "9");
      await t.command("HSET", t.key("glimit"), "tenant", "2");
      await t.command("HSET", t.key("gweight"), "tenant", "heavy");
      await t.command("DEL", t.key("ring"));
      await t.takeTokens();
      same(await repaired(t, "lane", "tenant"), 1, "the repair");
      same(await t.command("HGET", t.key("gactive"), "tenant"), "1", "the counter");
      same(await t.command("HGET", t.key("gweight"), "tenant"), null, "the weight");
      same(await t.list("ring"), ["tenant"], "the ring");
      same(await t.tokens(), 1, "a worker is woken");
      await t.command("HSET", t.key("glimit"), "tenant", "1");
      await t.command("RPUSH", t.key("ring"), "tenant", "a{b");
      same(
        [await repaired(t, "lane", "tenant"), await repaired(t, "lane", "a{b")],
        [1, 1],
        "at its limit, and no name",
      );
      same(await t.list("ring"), [], "the ring of a lane at its limit");
    },
  },
  {
    name: "repair_held_lane",
    contract: "A scheduled job that holds its lane counts among the active ones when it is named.",
    async run(t) {
      const id = t.id();
      await t.command(
        "HSET",
        t.row(id),
        "state",
        "scheduled",
        "attempts",
        "1",
        "payload",
        "p",
        "group",
        "l",
        "held",
        "1",
      );
      await t.command("ZADD", t.key("schedule"), String((await t.port.serverNow()) + LEASE_MS), id);
      await t.command("HSET", t.key("gactive"), "l", "3");
      same(await repaired(t, "lane", "l", "keep", "", id), 1, "the repair");
      same(await t.command("HGET", t.key("gactive"), "l"), "1", "the counter");
    },
  },
  {
    name: "repair_keys",
    contract: "Wake list, place of the round, counter, rate window, setting and deduplication key are put right alone.",
    async run(t) {
      await t.enqueued();
      await t.command("LPUSH", t.key("wake"), "go");
      await t.command("HSET", t.key("cursor"), "passed", "x");
      await t.command("HSET", t.key("metrics:completed"), "count", "many");
      await t.command("SET", t.key("limiter"), "4");
      await t.command("HSET", t.key("meta"), "max", "all", "concurrency", "3");
      await t.command("SET", t.key("de:order:1"), t.id());
      await t.command("ZADD", t.key("tokens"), "1", t.id());
      await t.command("HSET", t.key("workers"), ...Array.from({ length: 1002 }, (_, at) => [`w${at}`, "{}"]).flat());
      const calls = [
        ["wake", ""],
        ["cursor", ""],
        ["counter", "completed"],
        ["limiter", ""],
        ["setting", "max"],
        ["dedup", "order:1"],
        ["tokens", ""],
        ["workers", ""],
      ] as const;
      for (const [subject, name] of calls) {
        const destroys = subject === "counter" || subject === "setting";
        same(await repaired(t, subject, name), destroys ? 2 : 1, `${subject} without leave`);
        same(await repaired(t, subject, name, "destroy"), destroys ? 1 : 0, `${subject} with it`);
        same(await repaired(t, subject, name, "destroy"), 0, `${subject} once it is right`);
      }
      same(await t.list("wake"), ["1"], "the wake list");
      same(await t.command("HGET", t.key("meta"), "concurrency"), "3", "the other setting");
      for (const type of ["cursor", "metrics:completed", "limiter", "de:order:1", "workers"]) {
        same(await t.exists(t.key(type)), false, type);
      }
      await t.takeTokens();
      same(await repaired(t, "wake", ""), 1, "a token that is missing");
      for (const name of ["other", "keep"]) same(await repaired(t, "counter", name), 0, "a counter that there is not");
      same([await repaired(t, "setting", "paused"), await repaired(t, "dedup", "a{b")], [0, 0], "what is none");
    },
  },
  {
    name: "repair_foreign_key",
    contract: "A further key goes if it still has the type that was seen, and only by `destroy`.",
    async run(t) {
      await t.command("SET", t.key("nonsense"), "1");
      const call = async (type: string, mode: string) => await repaired(t, "key", type, mode, "", "nonsense");
      same([await call("zset", "destroy"), await call("string", "keep")], [0, 2], "another type, and no leave");
      same(await t.exists(t.key("nonsense")), true, "the key");
      same(
        [await call("string", "destroy"), await call("string", "destroy")],
        [1, 0],
        "with leave, and once it is gone",
      );
    },
  },
  {
    name: "repair_bounds",
    contract: "One act takes 1000 fields or holders at most, and a key that is right is refused to no repair.",
    async run(t) {
      const many = Array.from({ length: 1001 }, () => "x");
      const text = "ERR EMQ.REPAIR bad argument more";
      same(await t.refusalOf("REPAIR", ["job", t.id(), "", "keep", ...many]), text, "one too many");
      same(await repaired(t, "job", t.id(), "destroy", "", ...many.slice(1)), 0, "as many as there may be");
    },
  },
];
