/** What `ENQUEUE` promises: the record as it is born, one job an id, jobs only, and the order of minting. */

import { holds, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";

export const enqueueScenarios: readonly ScenarioDraft[] = [
  {
    row: 2,
    name: "mint",
    contract: "An admitted job is a row of exactly state, attempts and payload, and a member of pending at 0.",
    async run(t) {
      const id = t.id();
      same(await t.jobs.enqueue(t.queue, id, "cargo"), "enqueued", "enqueue");
      same(await t.fields(id), { state: "pending", attempts: "0", payload: "cargo" }, "the row");
      same(Object.keys(await t.fields(id)), ["state", "attempts", "payload"], "the order of its fields");
      same(await t.score("pending", id), 0, "its score in pending");
    },
  },
  {
    row: 3,
    name: "duplicate",
    contract: "An id is admitted once while its row lives; the second payload changes nothing.",
    async run(t) {
      const id = t.id();
      same(await t.jobs.enqueue(t.queue, id, "once"), "enqueued", "first enqueue");
      same(await t.jobs.enqueue(t.queue, id, "twice"), "duplicate", "second enqueue");
      same(await t.field(id, "payload"), "once", "the payload");
    },
  },
  {
    row: 4,
    name: "kind",
    contract: "An id of another namespace is refused and leaves no row.",
    async run(t) {
      const id = t.port.mint("ORD");
      same(await t.jobs.enqueue(t.queue, id, "cargo"), "kind", "enqueue");
      same(await t.exists(t.row(id)), false, "a row");
    },
  },
  {
    row: 5,
    name: "order",
    contract: "Pending jobs of one priority stand in the order of their minting.",
    async run(t) {
      const ids = await t.enqueuedMany(3);
      const members = await t.command("ZRANGE", t.key("pending"), "+", "-", "BYLEX", "REV");
      same(members, ids.toReversed(), "pending from the newest on");
      same(await t.jobs.browse(t.queue, 10), ids.toReversed(), "browse");
    },
  },
  {
    name: "enqueue_again",
    contract: "An id whose job is over may be admitted again, and starts clean.",
    async run(t) {
      const { id, attempts } = await t.active("first");
      same(await t.jobs.addLog(t.queue, id, "line"), 1, "a log line");
      same(await t.jobs.complete(t.queue, id, attempts), "ok", "complete");
      same(await t.jobs.enqueue(t.queue, id, "second"), "enqueued", "enqueue again");
      same(await t.fields(id), { state: "pending", attempts: "0", payload: "second" }, "the row");
      same(await t.jobs.getLogs(t.queue, id), [], "its logs");
    },
  },
  {
    name: "enqueue_many",
    contract: "Many jobs are admitted in the order given, each alone; none given is an empty answer.",
    async run(t) {
      const [first, second] = t.ids(2);
      const foreign = t.port.mint("ORD");
      const items = [first, foreign, second, first].map((id) => ({ id, payload: id }));
      const outcomes = await t.jobs.enqueueMany(t.queue, items);
      same(outcomes, ["enqueued", "kind", "enqueued", "duplicate"], "the outcomes");
      same(await t.members("pending"), [first, second], "pending");
      same(await t.jobs.enqueueMany(t.queue, []), [], "the outcomes of none");
    },
  },
  {
    name: "enqueue_wrong_type",
    contract: "A foreign type at pending refuses the act with the server's text, and no row is born.",
    expectFindings: ["key-type"],
    async run(t) {
      const id = t.id();
      await t.command("SET", t.key("pending"), "foreign");
      const text = await t.refusalOf("ENQUEUE", [id, "cargo"]);
      holds(text.startsWith("WRONGTYPE "), `the refusal begins with WRONGTYPE, not ${text}`);
      same(await t.exists(t.row(id)), false, "a row");
    },
  },
];
