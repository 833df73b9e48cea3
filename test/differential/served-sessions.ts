/**
 * The same sessions of several clients at the project's own server and at a real one, compared byte by byte: who waits,
 * who is served by whom and in which order, transactions and what spoils them, watched keys, channels.
 *
 * After each step both servers are asked until what the step caused has been sent, so every byte is compared with the
 * step that it belongs to, and so is what each server tells of its clients.
 */

import fc from "fast-check";
import { expect } from "vitest";
import { FrameClient } from "../server/frame-client.ts";
import { RawClient } from "../server/raw-client.ts";
import { assertRandomly } from "./assert-randomly.ts";

type Call = readonly string[];

/** What one client sends at once, or what is done to it while it waits. */
export interface Step {
  readonly who: number;
  readonly calls: readonly Call[];
  readonly unblocking?: "TIMEOUT" | "ERROR" | undefined;
}

interface Side {
  readonly control: FrameClient;
  readonly clients: readonly RawClient[];
  readonly ids: readonly string[];
  /** Round trips after which all that was sent before has been run, and all replies have come. */
  readonly trips: number;
}

const CLIENTS = 4;
const STEPS_MAX = 40;

/** Fields of `CLIENT LIST` that tell what a connection remembers. */
const FIELDS = ["flags", "sub", "psub", "multi", "watch", "resp", "cmd"];

const list = fc.constantFrom("l1", "l2");
const stream = fc.constantFrom("s1", "s2");
const key = fc.constantFrom("l1", "l2", "s1", "s2", "k");
// A stream counts as written to by more than in the server; docs/operate/serve.md names it.
const watched = fc.constantFrom("l1", "l2", "k");
const item = fc.constantFrom("a", "b", "c");
const channel = fc.constantFrom("c1", "c2", "d1");
const pattern = fc.constantFrom("c*", "d?");
const side = fc.constantFrom("LEFT", "RIGHT");
const group = fc.constantFrom("g", "g", "h");

function call(...parts: readonly (string | fc.Arbitrary<string | readonly string[]>)[]): fc.Arbitrary<Call> {
  return fc
    .tuple(...parts.map((part) => (typeof part === "string" ? fc.constant(part) : part)))
    .map((words) => words.flat());
}

const waits = [
  call("BLPOP", list, "0"),
  call("BLPOP", "l1", "l2", "0"),
  call("BRPOP", "l2", "l1", "1000.5"),
  call("BLPOP", key, key, "0"),
  call("BLMOVE", list, list, side, side, "0"),
  call("BLMOVE", list, key, side, side, "0"),
  call("XREAD", "BLOCK", "0", "STREAMS", stream, "$"),
  call("XREAD", "COUNT", "1", "BLOCK", "0", "STREAMS", "s1", "s2", "$", "0-2"),
  call("XREAD", "BLOCK", "1000000", "STREAMS", "s2", "s1", "0-3", "$"),
];
const read = [
  call("XREADGROUP", "GROUP", group, item, "BLOCK", "0", "STREAMS", stream, ">"),
  call("XREADGROUP", "GROUP", "g", item, "COUNT", "1", "NOACK", "BLOCK", "0", "STREAMS", "s1", "s2", ">", ">"),
  call("XREADGROUP", "GROUP", "g", item, "BLOCK", "0", "STREAMS", stream, "0"),
];
const badWaits = [
  call("BLPOP", list, fc.constantFrom("-1", "x", "inf", "1e400", "", "nan", "0x10000", " 1")),
  call("BLMOVE", list, list, fc.constantFrom("LEFT", "UP"), side, fc.constantFrom("0", "-1", "x")),
  call("XREAD", "BLOCK", fc.constantFrom("-1", "x", "1.5"), "STREAMS", stream, "$"),
  call("BLPOP", "l1"),
];
const writes = [
  call("RPUSH", list, item),
  call("RPUSH", list, item),
  call("LPUSH", list, item, item, item),
  call("LPUSHX", list, item),
  call("LMOVE", list, list, side, side),
  call("LINSERT", list, "BEFORE", item, "d"),
  call("LPOP", list),
  call("DEL", key),
  call("DEL", key, key),
  call("SET", key, "text"),
  call("RENAME", key, key),
  call("COPY", key, key, "REPLACE"),
  call("PEXPIREAT", key, "1"),
  call("INCR", key),
  call("FLUSHALL"),
];
const streamWrites = [
  call("XADD", stream, "0-*", "f", item),
  call("XADD", stream, "0-*", "f", item),
  call("XADD", stream, "NOMKSTREAM", "0-*", "f", item),
  call("XGROUP", "CREATE", stream, group, fc.constantFrom("$", "0"), "MKSTREAM"),
  call("XGROUP", "CREATE", stream, "g", "$", "MKSTREAM"),
  call("XGROUP", "DESTROY", stream, group),
  call("XGROUP", "DELCONSUMER", stream, group, item),
  call("XGROUP", "SETID", stream, group, "0"),
  call("XACK", stream, "g", "0-1"),
  call("XTRIM", stream, "MAXLEN", "0"),
];
const transactions = [
  call("MULTI"),
  call("MULTI"),
  call("EXEC"),
  call("EXEC"),
  call("DISCARD"),
  call("WATCH", watched),
  call("WATCH", watched, watched),
  call("UNWATCH"),
  call("NOSUCH", item),
  call("GET"),
  call("RESET"),
];
const channels = [
  call("SUBSCRIBE", channel),
  call("SUBSCRIBE", channel, channel),
  call("PSUBSCRIBE", pattern),
  call("UNSUBSCRIBE", channel),
  call("UNSUBSCRIBE"),
  call("PUNSUBSCRIBE", pattern),
  call("PUNSUBSCRIBE"),
  call("PUBLISH", channel, item),
  call("PUBLISH", channel, item),
  call("PUBSUB", "NUMSUB", channel, channel),
  call("PUBSUB", "NUMPAT"),
  call("PING"),
  call("PING", item),
];
const reads = [
  call("LRANGE", list, "0", "-1"),
  call("XLEN", stream),
  call("XREAD", "STREAMS", stream, "0"),
  call("TYPE", key),
  call("SELECT", fc.constantFrom("0", "x")),
  call("CLIENT", fc.constantFrom("GETNAME", "NOSUCH")),
  call("ECHO", item),
  call("HELLO", fc.constantFrom("2", "3")),
];

const anyCall = fc.oneof(
  { weight: 5, arbitrary: fc.oneof(...waits) },
  { weight: 4, arbitrary: fc.oneof(...read) },
  { weight: 1, arbitrary: fc.oneof(...badWaits) },
  { weight: 7, arbitrary: fc.oneof(...writes) },
  { weight: 7, arbitrary: fc.oneof(...streamWrites) },
  { weight: 5, arbitrary: fc.oneof(...transactions) },
  { weight: 4, arbitrary: fc.oneof(...channels) },
  { weight: 2, arbitrary: fc.oneof(...reads) },
);

/** Commands from `MULTI` to `EXEC`, sent as one. */
const wholeTransaction = fc
  .array(anyCall, { maxLength: 5 })
  .map((calls): readonly Call[] => [["MULTI"], ...calls, ["EXEC"]]);

const anyStep: fc.Arbitrary<Step> = fc.record({
  who: fc.nat(CLIENTS - 1),
  calls: fc.oneof(
    { weight: 5, arbitrary: fc.array(anyCall, { minLength: 1, maxLength: 1 }) },
    { weight: 2, arbitrary: fc.array(anyCall, { minLength: 2, maxLength: 4 }) },
    { weight: 1, arbitrary: wholeTransaction },
  ),
  unblocking: fc.constantFrom(undefined, undefined, "TIMEOUT" as const, "ERROR" as const),
});

/** Paths of the sockets of two servers. */
export type Paths = readonly [real: string, own: string];

/** Compares random sessions at two servers. */
export async function compareRandomSessions(paths: Paths, resp: 2 | 3, runs: number): Promise<void> {
  const sessions = fc.array(anyStep, { minLength: 1, maxLength: STEPS_MAX, size: "max" });
  await withControls(paths, (controls) =>
    assertRandomly(sessions, runs, (steps) => compareSession(paths, controls, { resp, steps })),
  );
}

/** Compares this session at two servers. */
export async function compareGivenSession(paths: Paths, resp: 2 | 3, steps: readonly Step[]): Promise<void> {
  await withControls(paths, (controls) => compareSession(paths, controls, { resp, steps }));
}

async function withControls(paths: Paths, run: (controls: readonly FrameClient[]) => Promise<void>): Promise<void> {
  const controls = await Promise.all(paths.map((path) => FrameClient.connect(path, 2)));
  try {
    await run(controls);
  } finally {
    for (const control of controls) control.close();
  }
}

async function compareSession(
  paths: Paths,
  controls: readonly FrameClient[],
  { resp, steps }: { readonly resp: 2 | 3; readonly steps: readonly Step[] },
): Promise<void> {
  const sides: Side[] = [];
  for (const [at, path] of paths.entries()) sides.push(await open(path, controls[at] as FrameClient, resp));
  try {
    await compareSteps(sides as [Side, Side], steps);
  } finally {
    for (const each of sides) await leave(each);
  }
}

async function open(path: string, control: FrameClient, resp: 2 | 3): Promise<Side> {
  await control.all([["FLUSHALL"]]);
  const clients: RawClient[] = [];
  const ids: string[] = [];
  for (let at = 0; at < CLIENTS; at++) {
    const client = await RawClient.connect(path);
    client.send([
      ["HELLO", String(resp)],
      ["CLIENT", "ID"],
    ]);
    let text = "";
    while (!/:[0-9]+\r\n$/.test(text) || !text.includes("modules")) {
      await control.all([["PING"]]);
      text += client.take();
    }
    clients.push(client);
    ids.push(/:([0-9]+)\r\n$/.exec(text)?.[1] ?? "");
  }
  return { control, clients, ids, trips: 3 };
}

/** Ends the session, so that none of its clients is there in the next one. */
async function leave({ control, clients, ids }: Side): Promise<void> {
  await control.all([...ids.map((id) => ["CLIENT", "KILL", "ID", id]), ["FLUSHALL"]]);
  for (const client of clients) client.close();
}

async function compareSteps([real, own]: readonly [Side, Side], steps: readonly Step[]): Promise<void> {
  const before: string[] = [];
  const isLeaving = new Set<number>();
  let blocked: readonly boolean[] = [];
  for (const { who, calls, unblocking } of steps) {
    const reason = blocked[who] === true ? unblocking : undefined;
    // In which order a client leaves all of its channels is left open, and when is not known while it waits.
    if (reason === undefined && calls.some(isLeave)) isLeaving.add(who);
    before.push(`${who}: ${reason ?? calls.map((words) => words.join(" ")).join("; ")}`);
    const [theirs, ours] = (await Promise.all(
      [real, own].map((each) => (reason === undefined ? send(each, who, calls) : unblock(each, who, reason))),
    )) as [Outcome, Outcome];
    for (const each of [theirs, ours]) for (const one of isLeaving) each.sent[one] = inLines(each.sent[one] ?? "");
    expect({ before, ...ours }).toEqual({ before, ...theirs });
    blocked = theirs.told.map((fields) => /flags=[a-zA-Z]*b/.test(fields));
    for (const one of isLeaving) if (blocked[one] !== true && !hasBegun(theirs.told[one])) isLeaving.delete(one);
  }
}

function isLeave(words: Call): boolean {
  return words.length === 1 && /UNSUBSCRIBE/.test(words[0] ?? "");
}

/** Whether a client has begun a transaction, in which a command to leave may stand. */
function hasBegun(told: string | undefined): boolean {
  return told === undefined || !/multi=-1/.test(told);
}

interface Outcome {
  /** What each client was sent. */
  readonly sent: string[];
  /** What the server tells of each. */
  readonly told: readonly string[];
}

function send(each: Side, who: number, calls: readonly Call[]): Promise<Outcome> {
  each.clients[who]?.send(calls);
  return outcome(each);
}

async function unblock(each: Side, who: number, reason: string): Promise<Outcome> {
  await each.control.all([["CLIENT", "UNBLOCK", each.ids[who] ?? "", reason]]);
  return outcome(each);
}

async function outcome({ control, clients, ids, trips }: Side): Promise<Outcome> {
  for (let trip = 0; trip < trips; trip++) await control.all([["PING"]]);
  const [all = ""] = await control.all([["CLIENT", "LIST"]]);
  const lines = new Map(all.split("\n").map((line) => [/\bid=([0-9]+) /.exec(line)?.[1] ?? "", line]));
  return {
    sent: clients.map((client) => blotted(client.take())),
    told: ids.map((id) => fieldsOf(lines.get(id) ?? "")),
  };
}

/** What two servers may say differently when they greet a client. */
export function blotted(text: string): string {
  return text
    .replaceAll(/\$2\r\nid\r\n:\d+/g, "<id>")
    .replaceAll(/\$6\r\nserver\r\n\$6\r\n(?:valkey|echomq)/g, "<server>");
}

/** Once a watched key was written to, what is still kept for the transaction is each server's own. */
function fieldsOf(line: string): string {
  const isDirty = /flags=[a-zA-Z]*d/.test(line);
  const fields = FIELDS.filter((name) => !(isDirty && (name === "multi" || name === "watch")));
  return line
    .split(" ")
    .filter((field) => fields.includes(field.slice(0, field.indexOf("="))))
    .join(" ");
}

function inLines(text: string): string {
  return text.split("\r\n").sort().join("\r\n");
}
