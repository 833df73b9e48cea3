/** What streams promise: order, honest refusals, windows in time, and readers that lose nothing and never hang. */

import type { Reply } from "../../engine/engine.ts";
import type { Bytes } from "../../protocol/bytes.ts";
import { isEchoMQError } from "../../protocol/errors.ts";
import { idParts } from "../../protocol/id.ts";
import { entryIdOf, firstRecordIdAt } from "../../protocol/record-id.ts";
import { isGroupGone, StreamGroup } from "../../queue/stream-group.ts";
import { entriesOf, type StreamRecord } from "../../queue/stream-record.ts";
import { type RecordDraft, Streams, windowCeiling, windowFloor } from "../../queue/streams.ts";
import { fail, holds, same } from "../expectation.ts";
import type { ScenarioDraft } from "../scenario.ts";
import type { Trial } from "../trial.ts";

/** So long is no record of a scenario without being settled, in ms. */
const LONG_MS = 600_000;

export const streamScenarios: readonly ScenarioDraft[] = [
  {
    row: 74,
    name: "stream_verbs",
    contract: "The commands on streams answer alike, and share a connection with a subscription.",
    async run(t) {
      await addAndRange(t);
      await readAndClaim(t);
      await addInOrder(t);
      await shareWithSubscription(t);
    },
  },
  {
    row: 75,
    name: "stream_append",
    contract: "Records stand in the order of their ids, of one kind, and one that is not above the newest is refused.",
    async run(t) {
      const streams = new Streams(t.engine);
      const drafts = range(5).map((at): RecordDraft => ({ id: t.port.mint("EVT"), fields: { seq: `v${at + 1}` } }));
      for (const draft of drafts) same(await streams.append(t.queue, "wl", draft), "appended", "an append");
      const read = await streams.read(t.queue, "wl");
      const receipts = drafts.map(({ id }) => id);
      same(ids(read), receipts, "ids that are read");
      same(receipts.toSorted(), receipts, "the receipts in the order of their bytes");
      same(
        read.map(({ fields }) => fields),
        drafts.map(({ fields }) => fields),
        "fields that are read",
      );

      const foreign = t.port.mint("ORD");
      const refusal = await codeOf(streams.append(t.queue, "kd", { id: foreign, fields: {} }));
      same([refusal, await t.exists(t.key("stream:kd"))], ["kind", false], "a record of another kind");
      same(await streams.append(t.queue, "kd", { id: t.port.mint("EVT"), fields: {} }), "appended", "one of its own");

      const [older, newer] = [t.port.mint("EVT"), t.port.mint("EVT")];
      same(await streams.append(t.queue, "nm", { id: newer, fields: { k: "v" } }), "appended", "the newer one");
      same(await streams.append(t.queue, "nm", { id: older, fields: { k: "v" } }), "nonmonotonic", "the older one");
      same(await streams.length(t.queue, "nm"), 1, "the length");
    },
  },
  {
    row: 76,
    name: "stream_group",
    contract: "A group gives a record to one reader, and what that one does not settle, another may take over.",
    async run(t) {
      const [keep, hold] = await appended(t, "rg", 2);
      const key = t.key("stream:rg");
      same(await t.command("XGROUP", "CREATE", key, "grp", "0"), "OK", "the group");
      const given = entriesOf(await t.command("XREADGROUP", "GROUP", "grp", "c1", "COUNT", "10", "STREAMS", key, ">"));
      const byReceipt = new Map(given.map((entry) => [receiptOf(entry), entryOf(entry)]));
      same([...byReceipt.keys()], [keep, hold], "the receipts that are given");
      same(await t.command("XACK", key, "grp", byReceipt.get(keep ?? "") ?? ""), 1, "the acknowledgement");
      const taken = await t.command("XAUTOCLAIM", key, "grp", "c2", "0", "0", "COUNT", "10");
      same((taken as readonly Reply[][])[1]?.map(receiptOf), [hold], "the receipts that are taken over");
    },
  },
  {
    row: 77,
    name: "stream_retention",
    contract: "A trim by length keeps the newest, and one by age keeps what was minted at the instant itself.",
    async run(t) {
      const streams = new Streams(t.engine);
      const six = await appended(t, "ret_ml", 6);
      same(await streams.trim(t.queue, "ret_ml", { maxLength: 2 }), 4, "records removed by length");
      same(ids(await streams.read(t.queue, "ret_ml")), six.slice(4), "records that stay by length");

      const dt = Date.parse("2025-03-01T12:00:00.500Z");
      const minted = await appendedAt(t, "ret_mi", [dt - 3, dt - 2, dt - 1, dt, dt + 1, dt + 2]);
      same(await streams.trim(t.queue, "ret_mi", { from: dt }), 3, "records removed by age");
      same(ids(await streams.read(t.queue, "ret_mi")), minted.slice(3), "records that stay by age");
      same(windowFloor(dt), `${dt}-0`, "the bound of an instant");
    },
  },
  {
    row: 78,
    name: "stream_archived",
    contract: "The mark of what is archived is written, read, replaced and forgotten.",
    async run(t) {
      const streams = new Streams(t.engine);
      const [w1, w2] = [t.port.mint("EVT"), t.port.mint("EVT")];
      same(await streams.getArchived(t.queue, "arc"), undefined, "no mark");
      await streams.putArchived(t.queue, "arc", w1);
      same(await t.command("GET", t.key("stream:arc:archived")), w1, "the key of the mark");
      same(await streams.getArchived(t.queue, "arc"), w1, "the mark");
      await streams.putArchived(t.queue, "arc", w2);
      same(await streams.getArchived(t.queue, "arc"), w2, "the later mark");
      await streams.putArchived(t.queue, "arc_clr", w1);
      same(await streams.getArchived(t.queue, "arc_clr"), w1, "the mark of another stream");
      same(await streams.clearArchived(t.queue, "arc_clr"), true, "forgetting it");
      same(await streams.getArchived(t.queue, "arc_clr"), undefined, "no mark afterwards");
      same(await streams.clearArchived(t.queue, "arc_clr"), false, "forgetting it again");
    },
  },
  {
    row: 79,
    name: "stream_time_travel",
    contract: "A window in time holds exactly the records that were minted within it, both ends included.",
    async run(t) {
      const streams = new Streams(t.engine);
      const t0 = Date.parse("2025-05-01T09:00:00.000Z");
      const offsets = [-3, -2, -1, 0, 100, 300, 301, 302, 303];
      const minted = await appendedAt(
        t,
        "tt",
        offsets.map((ms) => t0 + ms),
      );
      const window = ids(await streams.readWindow(t.queue, "tt", { from: t0, to: t0 + 300 }));
      same(
        window,
        minted.filter((id) => isWithin(id, t0, t0 + 300)),
        "the window",
      );
      same(window, minted.slice(3, 6), "the three within");
      holds((await streams.read(t.queue, "tt")).length > window.length, "the whole is longer than the window");

      const edge = Date.parse("2025-06-10T06:30:00.000Z");
      const edges = await appendedAt(t, "tte", [edge - 1, edge, edge + 250, edge + 251]);
      const two = ids(await streams.readWindow(t.queue, "tte", { from: edge, to: edge + 250 }));
      same(two, edges.slice(1, 3), "the two at the edges");
      same([windowFloor(edge), windowCeiling(edge + 250)], [`${edge}-0`, `${edge + 250}-4194303`], "the bounds");

      const since = Date.parse("2025-07-01T00:00:00.100Z");
      const later = await appendedAt(t, "tts", [since - 2, since - 1, since, since + 50, since + 200]);
      same(ids(await streams.readSince(t.queue, "tts", since)), later.slice(2), "the records since");
    },
  },
  {
    name: "c25_stream_backlog",
    contract:
      "A reader's backlog ends, also when its records fail again or were trimmed away; a missing group is told.",
    async run(t) {
      const streams = new Streams(t.engine);
      const minted = await appended(t, "bl", 5);
      const group = new StreamGroup(t.engine, { queue: t.queue, stream: "bl", group: "g", consumer: "c" });
      same([await group.create("start"), await group.create("end")], [true, false], "making the group twice");
      same(ids(await group.readNew(10)), minted, "what is given");
      await t.command("XDEL", t.key("stream:bl"), entryIdOf(minted[1] ?? ""));
      await streams.trim(t.queue, "bl", { maxLength: 4 });

      const walked: StreamRecord[] = [];
      let pages = 0;
      for (let after: string | undefined = "0"; after !== undefined; pages++) {
        holds(pages < 10, "the walk ends");
        const page = await group.backlog(after, 2);
        walked.push(...page.deliveries);
        same(
          page.deliveries.every(({ attempts }) => attempts === 2),
          true,
          "the second delivery of each",
        );
        after = page.next;
      }
      same(ids(walked), [minted[0], ...minted.slice(2)], "the backlog, settled or not, each once");
      same(await t.command("XPENDING", t.key("stream:bl"), "g").then((reply) => (reply as Reply[])[0]), 4, "pending");

      await streams.remove(t.queue, "bl");
      same(await toldOf(group.readNew(10)), true, "a read of a group that is gone says so");
      same(await toldOf(group.takeOver(0, "0-0", 10)), true, "so does taking over");
    },
  },
  {
    name: "c25_stream_take_over",
    contract: "Taking over walks through all that is pending, however much of it is too fresh, and a renewal protects.",
    async run(t) {
      const minted = await appended(t, "to", 40);
      const at = { queue: t.queue, stream: "to", group: "g" };
      const busy = new StreamGroup(t.engine, { ...at, consumer: "busy" });
      const peer = new StreamGroup(t.engine, { ...at, consumer: "peer" });
      await busy.create("start");
      await busy.readNew(40);
      await t.advance(60);
      const held = minted.slice(0, 30).map((id) => entryIdOf(id));
      same(await busy.renew(held), [], "what was lost before the renewal");

      const taken: StreamRecord[] = [];
      for (let cursor: string | undefined = "0-0"; cursor !== undefined; ) {
        const page = await peer.takeOver(50, cursor, 2);
        taken.push(...page.deliveries);
        cursor = page.next;
      }
      same(ids(taken), minted.slice(30), "what the peer takes over");
      same(
        await busy.renew([held[0] ?? "", entryIdOf(minted[35] ?? "")]),
        [entryIdOf(minted[35] ?? "")],
        "the lost one",
      );
      same(ids(await peer.takeOver(LONG_MS, "0-0", 10).then(({ deliveries }) => deliveries)), [], "nothing so old");
      same(
        await peer.retake([entryIdOf(minted[30] ?? "")]).then(([first]) => first?.attempts),
        3,
        "the third delivery",
      );
      same(await peer.leave(), false, "leaving with records in hand");
      same(await peer.acknowledge(minted.slice(30).map((id) => entryIdOf(id))), 10, "settled");
      same(await peer.leave(), true, "leaving with none");
    },
  },
  {
    name: "c25_stream_batch",
    contract: "A batch append answers for each record, and a refused one stops none behind it.",
    async run(t) {
      const streams = new Streams(t.engine);
      const [a, b, c] = [t.port.mint("EVT"), t.port.mint("EVT"), t.port.mint("EVT")] as const;
      const draft = (id: string): RecordDraft => ({ id, fields: { n: id } });
      const verdicts = await streams.appendMany(t.queue, "ba", [draft(b), draft(a), draft(c), draft(c)]);
      same(verdicts, ["appended", "nonmonotonic", "appended", "nonmonotonic"], "the verdicts");
      same(ids(await streams.read(t.queue, "ba")), [b, c], "what stands");
      same(await streams.appendMany(t.queue, "ba", []), [], "a batch of none");
      await t.command("SET", t.key("stream:text"), "text");
      const [refused] = await streams.appendMany(t.queue, "text", [draft(a)]);
      same(isEchoMQError(refused, "refused") && refused.message.startsWith("WRONGTYPE"), true, "a foreign type");
      await t.command("DEL", t.key("stream:text"));
    },
  },
  {
    name: "stream_of_events",
    contract:
      "A queue that keeps its events appends each to a stream, in bounds of bytes and age, with nobody listening.",
    async run(t) {
      const key = t.key("stream:events");
      const silent = await t.active();
      same(await t.exists(key), false, "a stream of a queue that keeps none");
      await t.command("HSET", t.key("meta"), "events_bytes", "65536", "events_ms", "60000");
      await t.command("SET", t.key("listeners"), "0");
      same(await t.jobs.complete(t.queue, silent.id, silent.attempts), "ok", "the completion");
      const [entry] = (await t.command("XRANGE", key, "-", "+")) as readonly Reply[];
      const fields = (entry as readonly Reply[])[1] as readonly Bytes[];
      same(
        fields.filter((_, at) => at !== 1),
        ["sum", "event", "completed", "job", silent.id, "attempts", "1"],
        "the event",
      );
      holds(Number(fields[1]) > 0, "the bytes told so far");

      const big = "e".repeat(5000);
      for (let round = 0; round < 60; round++) {
        const job = await t.active();
        await t.jobs.retry(t.queue, job.id, job.attempts, { delayMs: 0, maxAttempts: 1, error: big });
      }
      const kept = (await t.command("XRANGE", key, "-", "+")) as readonly Reply[];
      const sums = kept.map((each) => Number(((each as readonly Reply[])[1] as readonly Bytes[])[1]));
      holds((sums.at(-1) ?? 0) > 65_536, "more was told than fits");
      holds((sums.at(-1) ?? 0) - (sums[0] ?? 0) <= 65_536, "what is kept fits");
      const texts = kept.flatMap((each) => (each as readonly Reply[])[1] as readonly Bytes[]);
      holds(
        texts.every((text) => text.length <= 1024),
        "every text is cut",
      );
      await t.command("HDEL", t.key("meta"), "events_bytes", "events_ms");
      const before = kept.length;
      const last = await t.active();
      await t.jobs.complete(t.queue, last.id, last.attempts);
      same(await t.command("XLEN", key), before, "the length after the end");
    },
  },
];

/** Part one: an entry comes back as it was added. */
async function addAndRange(t: Trial): Promise<void> {
  const key = t.key("stream:s");
  const id = await t.command("XADD", key, "*", "field", "value");
  holds(typeof id === "string" && /^\d+-\d+$/.test(id), "an id of two numbers");
  same(await t.command("XRANGE", key, "-", "+"), [[id, ["field", "value"]]], "the entries");
}

/** Part two: groups give, acknowledge and hand over. */
async function readAndClaim(t: Trial): Promise<void> {
  const key = t.key("stream:s:g");
  const read = async (): Promise<readonly Reply[]> =>
    entriesOf(await t.command("XREADGROUP", "GROUP", "grp", "c1", "COUNT", "10", "STREAMS", key, ">"));
  const first = await t.command("XADD", key, "*", "k", "v");
  same(await t.command("XGROUP", "CREATE", key, "grp", "0"), "OK", "the group");
  same((await read()).map(entryOf), [first], "what is given first");
  same(await t.command("XACK", key, "grp", String(first)), 1, "the acknowledgement");
  const second = await t.command("XADD", key, "*", "k2", "v2");
  same((await read()).map(entryOf), [second], "what is given next");
  const taken = (await t.command("XAUTOCLAIM", key, "grp", "c2", "0", "0")) as readonly Reply[];
  same(taken.length, 3, "the parts of the answer");
  same((taken[1] as readonly Reply[]).map(entryOf), [second], "what is taken over");
}

/** Part three: what is sent at once stands in the order of the calls. */
async function addInOrder(t: Trial): Promise<void> {
  const key = t.key("stream:batch");
  const values = ["v1", "v2", "v3", "v4"];
  const added = await Promise.all(values.map((value) => t.command("XADD", key, "*", "seq", value)));
  const entries = values.map((value, at) => [added[at], ["seq", value]]);
  same(await t.command("XRANGE", key, "-", "+"), entries, "the entries");
}

/** Part four: a subscription and streams share a connection. */
async function shareWithSubscription(t: Trial): Promise<void> {
  const key = t.key("stream:ps");
  const channel = t.key("events");
  const connection = await t.port.open();
  try {
    const { engine } = connection;
    const heard: Bytes[] = [];
    const subscription = await engine.subscribe(channel, (payload) => heard.push(payload));
    const id = await engine.command(["XADD", key, "*", "k", "v"]);
    same(await t.command("PUBLISH", channel, "ping"), 1, "receivers");
    same(await engine.command(["XRANGE", key, "-", "+"]), [[id, ["k", "v"]]], "the entries");
    same(await engine.command(["XGROUP", "CREATE", key, "g", "0"]), "OK", "the group");
    const given = entriesOf(await engine.command(["XREADGROUP", "GROUP", "g", "c", "STREAMS", key, ">"]));
    same(given.map(entryOf), [id], "what is given");
    same(await engine.command(["XACK", key, "g", String(id)]), 1, "the acknowledgement");
    await t.until(() => heard.includes("ping"), "the message");
    await subscription.close();
  } finally {
    await connection.close();
  }
}

/** Appends records under fresh ids; answers these. */
async function appended(t: Trial, stream: string, count: number): Promise<string[]> {
  const drafts = range(count).map((at): RecordDraft => ({ id: t.port.mint("EVT"), fields: { n: String(at) } }));
  return await appendedDrafts(t, stream, drafts);
}

/** Appends one record for each instant, in its order; answers their ids. */
async function appendedAt(t: Trial, stream: string, instants: readonly number[]): Promise<string[]> {
  const drafts = instants.map((at): RecordDraft => ({ id: firstRecordIdAt(at), fields: { at: String(at) } }));
  return await appendedDrafts(t, stream, drafts);
}

async function appendedDrafts(t: Trial, stream: string, drafts: readonly RecordDraft[]): Promise<string[]> {
  const verdicts = await new Streams(t.engine).appendMany(t.queue, stream, drafts);
  same(
    verdicts,
    drafts.map(() => "appended"),
    `appends to ${stream}`,
  );
  return drafts.map(({ id }) => id);
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at);
}

function ids(records: readonly StreamRecord[]): (string | undefined)[] {
  return records.map(({ id }) => id);
}

function entryOf(entry: Reply): string {
  return String((entry as readonly Reply[])[0]);
}

/** The branded id in the first field of an entry. */
function receiptOf(entry: Reply): string {
  const [name, receipt] = (entry as readonly Reply[])[1] as readonly Bytes[];
  return name === "id" ? String(receipt) : fail(`the first field of an entry is ${name}, not id`);
}

function isWithin(id: string, from: number, to: number): boolean {
  const { ms } = idParts(id);
  return ms >= from && ms <= to;
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return "accepted";
  } catch (error) {
    return isEchoMQError(error) ? error.code : String(error);
  }
}

/** Whether a call is refused because its group is gone. */
async function toldOf(promise: Promise<unknown>): Promise<boolean> {
  try {
    await promise;
    return false;
  } catch (error) {
    return isGroupGone(error);
  }
}
