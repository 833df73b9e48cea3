/** What `ADMIT` promises: many jobs in one act, all or none for a bad row, each field as given, duplicates told. */

import { holds, same } from "../expectation.ts";
import { ORDERS } from "../orders.ts";
import type { ScenarioDraft } from "../scenario.ts";
import { bytesIn, LEASE_MS, type Trial } from "../trial.ts";

export const admitScenarios: readonly ScenarioDraft[] = [
  {
    name: "admit",
    contract: "A plain row is born with exactly three fields, in one act with all others, in mint order.",
    async run(t) {
      const ids = t.ids(3);
      const outcomes = await t.jobs.admit(
        t.queue,
        ids.toReversed().map((id) => ({ id, payload: `p-${id}` })),
      );
      same(
        outcomes.map(({ outcome }) => outcome),
        ["added", "added", "added"],
        "the outcomes",
      );
      same(await t.members("pending"), ids, "pending");
      for (const id of ids) same(await t.fields(id), { state: "pending", attempts: "0", payload: `p-${id}` }, "a row");
    },
  },
  {
    name: "admit_letters",
    contract: "Each letter of a shape stores its field and places the job; no field says nothing.",
    async run(t) {
      const row = async (shape: string, ...values: string[]) => {
        const id = t.id();
        same(await t.act("ADMIT", [shape, "1", id, "p", ...values]), [], `ADMIT of shape ${shape}`);
        return id;
      };
      const birth = { state: "pending", attempts: "0", payload: "p" };
      same(await t.fields(await row("")), birth, "no letter");
      same(await t.fields(await row("n", "mail")), { ...birth, name: "mail" }, "n");
      same(await t.fields(await row("n", "")), birth, "n, the empty name");
      same(await t.fields(await row("n", "default")), birth, "n, the name default");
      same(await t.fields(await row("p", "0")), birth, "p, the priority 0");
      const urgent = await row("p", "2097152");
      same(await t.fields(urgent), { ...birth, priority: "2097152" }, "p");
      same(await t.score("pending", urgent), 2_097_152, "its score");
      same(await t.fields(await row("o", '{"a":1}')), { ...birth, opts: '{"a":1}' }, "o");
      same(await t.fields(await row("o", "")), birth, "o, empty");
      const inLane = await row("g", "lane-a");
      same(await t.fields(inLane), { ...birth, group: "lane-a" }, "g");
      same([await t.score("g:lane-a:pending", inLane), await t.list("ring")], [0, ["lane-a"]], "its lane and the ring");
      const at = await row("a", "1234");
      same([await t.fields(at), await t.score("schedule", at)], [{ ...birth, state: "scheduled" }, 1234], "a");
      const before = await t.port.serverNow();
      const later = (await t.score("schedule", await row("i", "5000"))) ?? 0;
      holds(later >= before + 5000 && later <= (await t.port.serverNow()) + 5000, `i is the server's now and 5000`);
      const all = await row("npgoa", "mail", "7", "lane-b", "{}", "99");
      const fields = { group: "lane-b", name: "mail", priority: "7", opts: "{}" };
      same(await t.fields(all), { ...birth, state: "scheduled", ...fields }, "all letters");
    },
  },
  {
    name: "admit_any_order",
    contract: "An id that stands twice in an act is admitted once, wherever it stands and in whatever order ids come.",
    async run(t) {
      const admitted = new Map<string, string>();
      for (const [shape, ...values] of [
        ["n", "mail"],
        ["p", "0"],
        ["x", "86400000"],
      ] as const) {
        for (const order of ORDERS) {
          const ids = t.ids(3).toSorted();
          const rows = order.map((at, position) => [ids[at] ?? "", `p${position}`] as const);
          const twins = rows.flatMap(([id], position) =>
            rows.findIndex(([other]) => other === id) < position ? [position, [0, "pending"]] : [],
          );
          const plain = rows.slice(0, 3).flat();
          const more = rows.slice(3).flatMap((row) => [...row, ...values]);
          same(await t.act("ADMIT", ["", "3", ...plain, shape, "1", ...more]), twins, `${shape} ${order.join(" ")}`);
          for (const [id, payload] of rows.toReversed()) admitted.set(id, payload);
        }
      }
      same(await t.members("pending"), [...admitted.keys()].sort(), "pending");
      const { jobs } = await t.jobs.turn(t.queue, { worker: "w", leaseMs: LEASE_MS, want: 1000 });
      same(new Map(jobs.map(({ id, payload }) => [id, bytesIn(payload)])), admitted, "the payloads");
    },
  },
  {
    name: "admit_runs",
    contract: "Runs of different shapes are admitted together, and positions count over all of them.",
    async run(t) {
      const [first, second, third] = t.ids(3);
      const taken = await t.dead();
      const args = [
        "",
        "2",
        first,
        "a",
        taken,
        "b",
        "p",
        "1",
        second,
        "c",
        "5",
        "n",
        "2",
        taken,
        "d",
        "x",
        third,
        "e",
        "y",
      ];
      same(await t.act("ADMIT", args), [1, [0, "dead"], 3, [0, "dead"]], "the exceptions");
      same(await t.members("pending"), [first, third, second], "pending");
      same(await t.field(taken, "payload"), "work", "the payload of the job that was there");
    },
  },
  {
    name: "admit_duplicates",
    contract:
      "A duplicate is told with the state of the job that is there, also one of the same act; nothing of it changes.",
    async run(t) {
      const [pending, scheduled, inLane, twin] = t.ids(4);
      const active = (await t.active()).id;
      await t.jobs.admit(t.queue, [
        { id: pending, payload: "p" },
        { id: scheduled, payload: "p", dueInMs: LEASE_MS },
        { id: inLane, payload: "p", lane: "lane-a" },
      ]);
      const ids = [pending, active, scheduled, inLane, twin, twin];
      const outcomes = await t.jobs.admit(
        t.queue,
        ids.map((id) => ({ id, payload: "other" })),
      );
      const states = ["pending", "active", "scheduled", "pending", undefined, "pending"];
      same(
        outcomes.map(({ state }) => state),
        states,
        "the states of the outcomes",
      );
      same(await t.field(pending, "payload"), "p", "the payload of the first");
      const last = await t.jobs.admit(
        t.queue,
        [...t.ids(2), pending].map((id) => ({ id, payload: "other" })),
      );
      same(last[2]?.state, "pending", "the state of a duplicate in the last row");
      const late = t.id();
      const rows = [late, late].map((id) => ({ id, payload: "p", dueInMs: LEASE_MS }));
      same((await t.jobs.admit(t.queue, rows))[1]?.state, "scheduled", "the state of a scheduled twin");
      same((await t.members("schedule")).length, 2, "scheduled jobs");
    },
  },
  {
    name: "admit_whole",
    contract: "One bad value or one id of another kind refuses the whole act before anything is written.",
    async run(t) {
      const [good, other] = t.ids(2);
      const before = await t.snapshot();
      const foreign = t.port.mint("ORD");
      const kind = "EMQKIND job id must be JOB-namespaced";
      same(await t.refusalOf("ADMIT", ["", "2", good, "p", foreign, "p"]), kind, "an id of another kind");
      same(await t.refusalOf("ADMIT", ["", "1", good, "p", "p", "1", foreign, "p", "5"]), kind, "in a later run");
      const bad = { priority: ["p", "-1"], lane: ["g", ""], name: ["n", "x".repeat(257)], due: ["a", "soon"] } as const;
      for (const [name, [shape, value]] of Object.entries(bad)) {
        const text = await t.refusalOf("ADMIT", ["", "1", good, "p", shape, "1", other, "p", value]);
        same(text, `ERR EMQ.ADMIT bad argument ${name}`, `a bad ${name}`);
      }
      for (const shape of ["no", "np"]) {
        const rows = [good, "p", "short", "1", other, "p", "x".repeat(257), "1"];
        const text = await t.refusalOf("ADMIT", [shape, "2", ...rows]);
        same(text, "ERR EMQ.ADMIT bad argument name", `a long name in the second row of ${shape}`);
      }
      same(await t.refusalOf("ADMIT", ["p", "1", foreign, "p", "-1"]), "ERR EMQ.ADMIT bad argument priority", "both");
      same(await t.snapshot(), before, "what was written");
    },
  },
  {
    name: "admit_bounds",
    contract:
      "A thousand rows are one act, a thousand and one are refused; one job may be larger than the payload budget.",
    async run(t) {
      const rows = (count: number) => t.ids(count).flatMap((id) => [id, "p"]);
      same(await t.act("ADMIT", ["", "1000", ...rows(1000)]), [], "a thousand rows");
      same(await t.jobs.pendingSize(t.queue), 1000, "pending");
      const count = "ERR EMQ.ADMIT bad argument count";
      same(await t.refusalOf("ADMIT", ["", "1001", ...rows(1001)]), count, "a thousand and one");
      same(await t.refusalOf("ADMIT", ["", "600", ...rows(600), "", "401", ...rows(401)]), count, "in two runs");
      const large = "x".repeat(2 ** 20);
      const payload = "ERR EMQ.ADMIT bad argument payload";
      same(await t.refusalOf("ADMIT", ["", "2", t.id(), large, t.id(), "p"]), payload, "two rows above the budget");
      same(await t.act("ADMIT", ["", "1", t.id(), `${large}p`]), [], "one row above the budget");
    },
  },
  {
    name: "admit_lanes",
    contract: "A lane comes onto the ring with its first job, once, unless it is paused or at its limit.",
    expectFindings: ["lane-active"],
    async run(t) {
      await t.command("SADD", t.key("paused"), "held");
      await t.command("HSET", t.key("glimit"), "full", "2", "free", "2");
      await t.command("HSET", t.key("gactive"), "full", "2", "free", "1");
      const lanes = ["a", "b", "a", "held", "full", "free", "b"];
      await admitLanes(t, lanes);
      await admitLanes(t, lanes);
      same(await t.list("ring"), ["a", "b", "free"], "the ring");
      same((await t.members("g:held:pending")).length, 2, "jobs of the paused lane");
      same((await t.members("g:a:pending")).length, 4, "jobs of the first lane");
    },
  },
  {
    name: "admit_stale_member",
    contract: "A stale member of the same id is taken over, and its lane comes onto no second place of the ring.",
    async run(t) {
      const [first, second] = t.ids(2);
      await t.jobs.admit(t.queue, [{ id: first, payload: "p", lane: "lane-a" }]);
      await t.command("DEL", t.row(first));
      await t.command("ZADD", t.key("pending"), "9", second);
      await t.jobs.admit(t.queue, [
        { id: first, payload: "p", lane: "lane-a", priority: 3 },
        { id: second, payload: "p" },
      ]);
      same([await t.list("ring"), await t.score("g:lane-a:pending", first)], [["lane-a"], 3], "ring and score");
      same(await t.score("pending", second), 0, "the score of the flat job");
    },
  },
  {
    name: "admit_wrong_type",
    contract: "A foreign type at any key that the act writes refuses it before the first write.",
    async run(t) {
      const rows = ["", "1", t.id(), "p", "g", "1", t.id(), "p", "lane-a", "a", "1", t.id(), "p", "5"];
      for (const type of ["pending", "schedule", "g:lane-a:pending", "ring", "meta", "glimit"]) {
        await t.command("SET", t.key(type), "foreign");
        const before = await t.snapshot();
        const text = await t.refusalOf("ADMIT", rows);
        holds(text.startsWith("WRONGTYPE "), `${type}: the refusal begins with WRONGTYPE, not ${text}`);
        same(await t.snapshot(), before, `what was written beside a foreign ${type}`);
        await t.command("DEL", t.key(type));
      }
      same(await t.act("ADMIT", rows), [], "the same rows afterwards");
    },
  },
];

/** Admits one job into each of these lanes, in one act. */
async function admitLanes(t: Trial, lanes: readonly string[]): Promise<void> {
  await t.jobs.admit(
    t.queue,
    lanes.map((lane) => ({ id: t.id(), payload: "p", lane })),
  );
}
