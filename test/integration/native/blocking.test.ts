/** Claims of the native half that wait on the server: what wakes them, whom, and what they answer. */

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { nativeModule, whyNoNative } from "../../server/native-module.ts";
import { startReplica, startServer, type TestServer } from "../../server/start-server.ts";
import type { ReplyValue, WireClient } from "../../server/wire-client.ts";
import { until } from "../valkey/setup-engine.ts";
import { act, Calls, Crowd, idOf, idsOf, LONG_MS, script } from "./blocking-world.ts";
import { answerOf, dumpAll } from "./native-world.ts";

const CLOCK = "test:clock";
const NOTHING = [[], -1, 0, []];

const q = new Calls("q");

/** What is sent before somebody waits, who waits, and what then wakes them, in one go. */
type Cause = [name: string, before: string[][], call: string[], causes: string[][]];

/** The keys of acts that know the lanes. */
const limitKeys = q.keys("glimit", "gactive", "ring", "paused", "wake", "");
const settings = q.keys("meta", "limiter", "wake", "");
const limits = (ceiling: number, max: number, durationMs: number) =>
  act("LIMITS", settings, ceiling, max, durationMs, "window", 0, "both");
const rowBytes = ["state", "pending", "attempts", "0", "payload", "x"];
const child = (number: number) => [q.row(number), `${q.base}pending`, q.base];
const turn = q.turn(1, "BLOCK", LONG_MS);
const claim = q.claim("BLOCK", LONG_MS);

const CAUSES: Cause[] = [
  ["ENQUEUE", [], turn, [q.enqueue(1)]],
  ["ENQUEUE for a plain claim", [], claim, [q.enqueue(1)]],
  ["ENQUEUE for a claim of many", [], q.bclaim(5, "BLOCK", LONG_MS), [q.enqueue(1)]],
  ["ENQUEUE by a script", [], turn, [script("ENQUEUE", child(1).slice(0, 2), idOf(1), "x")]],
  ["ADMIT by a script", [], turn, [script("ADMIT", [q.base, `${q.base}pending`], "n", 1, idOf(1), "x", "mail")]],
  [
    "plain commands",
    [],
    turn,
    [
      ["HSET", q.row(1), ...rowBytes],
      ["ZADD", `${q.base}pending`, "0", idOf(1)],
    ],
  ],
  [
    "a script of somebody else",
    [["HSET", q.row(1), ...rowBytes]],
    turn,
    [["EVAL", "return redis.call('ZADD', KEYS[1], 0, ARGV[1])", "1", `${q.base}pending`, idOf(1)]],
  ],
  [
    "a set that is renamed",
    [
      ["HSET", q.row(1), ...rowBytes],
      ["ZADD", `${q.base}other`, "0", idOf(1)],
    ],
    turn,
    [["RENAME", `${q.base}other`, `${q.base}pending`]],
  ],
  ["work of a lane", [], turn, [q.admit("lane", 1)]],
  ["a job that falls due", [q.schedule(1, 300)], turn, []],
  ["a job that is scheduled and falls due", [], turn, [q.schedule(1, 100)]],
  ["a job that is scheduled before another one", [q.schedule(2, 600_000)], turn, [q.schedule(1, 100)]],
  [
    "a promotion, for who takes flat work",
    [q.schedule(1, 0)],
    claim,
    [act("PROMOTE", q.keys("schedule", "pending", ""), 10)],
  ],
  ["the end of a pause", [act("QPAUSE", q.keys("meta")), q.enqueue(1)], turn, [act("QRESUME", q.keys("meta", "wake"))]],
  [
    "a lease that ends below the ceiling",
    [limits(1, 0, 1000), q.enqueue(2), q.claim(), q.enqueue(1)],
    turn,
    [q.complete(2)],
  ],
  [
    "a ceiling that is raised",
    [limits(1, 0, 1000), q.enqueue(2), q.claim(), q.enqueue(1)],
    claim,
    [limits(2, 0, 1000)],
  ],
  ["a rate with room again", [limits(0, 1, 300), q.enqueue(2), q.claim(), q.enqueue(1)], turn, []],
  [
    "a rate with room again, for who takes flat work",
    [limits(0, 1, 300), q.enqueue(2), q.claim(), q.enqueue(1)],
    claim,
    [],
  ],
  [
    "a lane that is resumed",
    [q.admit("lane", 1), act("GPAUSE", q.keys("paused", "ring"), "lane")],
    turn,
    [act("GRESUME", q.keys("paused", "ring", "glimit", "gactive", "wake", ""), "lane")],
  ],
  [
    "a place in a full lane",
    [act("GLIMIT", limitKeys, "lane", 1), q.admit("lane", 0, 1), q.turn(2)],
    turn,
    [q.complete(0)],
  ],
  [
    "a limit of a lane that is lifted",
    [act("GLIMIT", limitKeys, "lane", 1), q.admit("lane", 0, 1), q.turn(2)],
    turn,
    [act("GLIMIT", limitKeys, "lane", 0)],
  ],
  [
    "the last child of a flow",
    [act("FLOW", [...child(1), q.row(2)], "", idOf(1), "x", 1, "fp", "", idOf(2), "x"), q.claim()],
    turn,
    [q.complete(2)],
  ],
  [
    "a job that is given back",
    [q.enqueue(1), q.claim()],
    turn,
    [act("GIVEBACK", q.keys("active", `job:${idOf(1)}`, "pending", ""), idOf(1), 1)],
  ],
  [
    "a lease that is reaped",
    [q.enqueue(1), act("CLAIM", q.keys("pending", "active", ""), 1), ["DEBUG", "SLEEP", "0.01"]],
    turn,
    [act("REAP", q.keys("active", "pending", ""), 10)],
  ],
  [
    "a dead job that runs again",
    [
      q.enqueue(1),
      q.claim(),
      act("RETRY", q.keys("active", "schedule", "dead", `job:${idOf(1)}`, ""), idOf(1), 1, 0, 1, "e"),
    ],
    turn,
    [act("REPROCESS", [q.row(1), ...q.keys("dead", "pending", "")], idOf(1))],
  ],
];

const why = whyNoNative();

describe.skipIf(why !== undefined)(`a claim that blocks${why === undefined ? "" : ` (${why})`}`, () => {
  let server: TestServer;
  let client: WireClient;
  let crowd: Crowd;

  beforeAll(async () => {
    server = await startServer({
      tcp: true,
      args: ["--loadmodule", nativeModule()],
      config: { "enable-debug-command": "local" },
    });
    client = await server.client();
    crowd = new Crowd(server, client);
  }, 120_000);

  beforeEach(async () => void (await client.command("FLUSHALL")));

  afterEach(async () => await crowd.close());

  afterAll(async () => {
    client?.close();
    await server?.stop();
  });

  /** Sends commands one after another; answers what they came to. */
  async function send(...commands: readonly string[][]): Promise<ReplyValue[]> {
    const replies = [];
    for (const parts of commands) replies.push(await client.command(...parts));
    return replies;
  }

  it.each(CAUSES)("is woken by %s", async (_, before, call, causes) => {
    await send(...before);
    const { reply } = await crowd.wait(call);
    await send(...causes);
    expect(idsOf(await reply)).toEqual([idOf(1)]);
    expect(await client.command("HGET", q.row(1), "state")).toBe("active");
  });

  it.each(CAUSES)("is woken by %s within a transaction", async (_, before, call, causes) => {
    await send(...before);
    const { reply } = await crowd.wait(call);
    if (causes.length > 0) await send(["MULTI"], ...causes, ["EXEC"]);
    expect(idsOf(await reply)).toEqual([idOf(1)]);
  });

  it("is woken by two databases that change places", async () => {
    const { reply } = await crowd.wait(turn);
    await send(["SELECT", "1"], q.enqueue(1), ["SELECT", "0"]);
    expect(await crowd.waiting()).toBe(1);
    await send(["SWAPDB", "0", "1"]);
    expect(idsOf(await reply)).toEqual([idOf(1)]);
  });

  it("is not woken by another queue, another database, or work that may not run", async () => {
    await send(["HSET", `${q.base}meta`, "paused", "1"]);
    const { reply } = await crowd.wait(turn);
    await send(new Calls("other").enqueue(1), ["SELECT", "1"], q.enqueue(1), ["SELECT", "0"], q.enqueue(1));
    expect(await crowd.waiting()).toBe(1);
    await send(["HDEL", `${q.base}meta`, "paused"]);
    expect(idsOf(await reply)).toEqual([idOf(1)]);
    expect(await client.command("ZCARD", "emq:{other}:pending")).toBe(1);
  });

  it("serves who waits in the order in which they came, one job each, whatever brings the jobs", async () => {
    const calls = [turn, claim, q.bclaim(1, "BLOCK", LONG_MS), turn, claim];
    const waiting = [];
    for (const call of calls) waiting.push(await crowd.wait(call));
    const [first, second, ...others] = waiting.map(({ reply }) => reply);
    await send(q.enqueue(1));
    expect(idsOf((await first) as ReplyValue)).toEqual([idOf(1)]);
    await crowd.untilWaiting(4);
    await send(["MULTI"], q.enqueue(2), q.enqueue(3), ["EXEC"]);
    expect(idsOf((await second) as ReplyValue)).toEqual([idOf(2)]);
    expect(idsOf((await others[0]) as ReplyValue)).toEqual([idOf(3)]);
    await crowd.untilWaiting(2);
    await send(q.admit("", 4, 5, 6));
    expect(idsOf((await others[1]) as ReplyValue)).toEqual([idOf(4)]);
    expect(idsOf((await others[2]) as ReplyValue)).toEqual([idOf(5)]);
    expect(await client.command("ZRANGE", `${q.base}pending`, "0", "-1")).toEqual([idOf(6)]);
  });

  it("gives many who wait one job each, and each job to one", async () => {
    const numbers = Array.from({ length: 40 }, (_, at) => at + 1);
    const waiting = [];
    for (const _ of numbers) waiting.push(await crowd.wait(turn));
    await send(q.admit("", ...numbers.slice(0, 25)), q.admit("lane", ...numbers.slice(25)));
    const replies = await Promise.all(waiting.map(({ reply }) => reply));
    expect(replies.map((reply) => idsOf(reply).length)).toEqual(numbers.map(() => 1));
    expect(replies.flatMap(idsOf).sort()).toEqual(numbers.map(idOf));
  });

  it("does not hold up a turn by a claim that came first and takes flat work alone", async () => {
    const flat = await crowd.wait(claim);
    const whole = await crowd.wait(turn);
    await send(q.admit("lane", 1));
    expect(idsOf(await whole.reply)).toEqual([idOf(1)]);
    await crowd.untilWaiting(1);
    await send(q.enqueue(2));
    expect(idsOf(await flat.reply)).toEqual([idOf(2)]);
  });

  it("leaves its place when its connection ends, and its call to the next one", async () => {
    const first = await crowd.wait(turn);
    const second = await crowd.wait(turn);
    const third = await crowd.wait(turn);
    first.client.close();
    await crowd.untilWaiting(2);
    // The one that is called is gone before it can answer.
    await send(["MULTI"], q.enqueue(1), ["CLIENT", "KILL", "ID", second.id], ["EXEC"]);
    expect(idsOf(await third.reply)).toEqual([idOf(1)]);
    expect(await client.command("HGET", q.row(1), "attempts")).toBe("1");
  });

  it("goes past more ids without a row than one act looks at", async () => {
    const { reply } = await crowd.wait(turn);
    const ghosts = Array.from({ length: 2500 }, (_, at) => ["0", `GHOST${at}`]).flat();
    await send(["MULTI"], ["ZADD", `${q.base}pending`, ...ghosts], q.enqueue(1), ["EXEC"]);
    expect(idsOf(await reply)).toEqual([idOf(1)]);
  });

  it("goes on waiting when the queue is deleted", async () => {
    const { reply } = await crowd.wait(turn);
    await send(["FLUSHALL"], q.schedule(2, 600_000), ["UNLINK", `${q.base}schedule`], ["FLUSHDB"]);
    expect(await crowd.waiting()).toBe(1);
    await send(q.enqueue(1));
    expect(idsOf(await reply)).toEqual([idOf(1)]);
  });

  it("settles before it waits, and answers at once what it has to tell", async () => {
    await send(q.enqueue(1), q.enqueue(2), q.claim(), q.claim());
    const { reply } = await crowd.wait(q.turn(1, "c", 1, idOf(1), 1, "BLOCK", LONG_MS));
    expect(await client.command("EXISTS", q.row(1))).toBe(0);
    await send(q.enqueue(3));
    expect(idsOf(await reply)).toEqual([idOf(3)]);
    const stale = q.turn(1, "c", 1, idOf(2), 7, "BLOCK", LONG_MS);
    expect(await answerOf(client, stale)).toEqual([[0, "EMQSTALE complete token mismatch"], -1, 0, []]);
    const full = q.turn(0, "c", 1, idOf(2), 1, "BLOCK", LONG_MS);
    expect(await answerOf(client, full)).toEqual(NOTHING);
    await send(q.enqueue(4), q.enqueue(5));
    const both = q.turn(1, "c", 1, idOf(3), 1, "BLOCK", LONG_MS);
    expect(idsOf(await answerOf(client, both))).toEqual([idOf(4)]);
    expect(await client.command("EXISTS", q.row(3))).toBe(0);
  });

  it("tells a worker whether it is to take no jobs, at once if so", async () => {
    const told = ["w", "1", "1000", "1", "[]", "BLOCK", LONG_MS];
    const { reply } = await crowd.wait(q.turn(1, ...told));
    await send(q.enqueue(1));
    expect(await reply).toEqual([[], -1, 0, [idOf(1), 1, "x", "", "", "", "", ""], 0]);
    await send(act("WPAUSE", q.keys("workers", ""), "worker", "on"));
    expect(await answerOf(client, q.turn(1, ...told))).toEqual([...NOTHING, 1]);
    await send(act("WPAUSE", q.keys("workers", ""), "worker", "off"));
    expect(await answerOf(client, q.turn(1, "w", "1", "1000", "1", "[]", "BLOCK", 1))).toEqual([...NOTHING, 0]);
  });

  it("answers nothing when its time is over, or when it is told that it is", async () => {
    expect(await answerOf(client, q.claim("BLOCK", 5))).toEqual([]);
    expect(await answerOf(client, q.bclaim(3, "BLOCK", 5))).toEqual([]);
    expect(await answerOf(client, q.turn(1, "BLOCK", 5))).toEqual(NOTHING);
    const [over, ended] = [await crowd.wait(turn), await crowd.wait(turn)];
    await send(["CLIENT", "UNBLOCK", over.id], ["CLIENT", "UNBLOCK", ended.id, "ERROR"]);
    expect(await over.reply).toEqual(NOTHING);
    expect(await ended.reply).toMatch(/^UNBLOCKED /);
    // Both may wait again, and the first of them is served.
    const again = answerOf(over.client, turn);
    await crowd.untilWaiting(1);
    await send(q.enqueue(1));
    expect(idsOf(await again)).toEqual([idOf(1)]);
  });

  it("tells a turn whose time is over how long it is until something falls due", async () => {
    await send(q.schedule(1, 600_000));
    const [exceptions, dueMs, moved, jobs] = (await answerOf(client, q.turn(1, "BLOCK", 5))) as ReplyValue[];
    expect([exceptions, moved, jobs]).toEqual([[], 0, []]);
    expect(dueMs).toBeGreaterThan(0);
    expect(dueMs).toBeLessThanOrEqual(600_000);
  });

  it("waits for nothing in a transaction, in a script, and with no time to wait", async () => {
    await send(["MULTI"], turn, claim);
    expect(await client.command("EXEC")).toEqual([NOTHING, []]);
    expect(await client.command("EVAL", "return redis.call(unpack(ARGV))", "0", ...turn)).toEqual(NOTHING);
    expect(await answerOf(client, q.turn(1, "BLOCK", 0))).toEqual(NOTHING);
    await send(q.enqueue(1), ["MULTI"], claim);
    expect(idsOf(await client.command("EXEC"))).toEqual([idOf(1)]);
  });

  it.each([
    [q.claim("BLOCK"), "ERR wrong number of arguments for 'EMQ.CLAIM' command"],
    [q.claim("block", 5), "ERR wrong number of arguments for 'EMQ.CLAIM' command"],
    [q.claim("5", "BLOCK", "x"), "ERR wrong number of arguments for 'EMQ.CLAIM' command"],
    [q.claim("BLOCK", -1), "ERR EMQ.CLAIM bad argument block_ms"],
    [q.claim("BLOCK", "01"), "ERR EMQ.CLAIM bad argument block_ms"],
    [q.bclaim(1, "BLOCK", 2_147_483_649), "ERR EMQ.BCLAIM bad argument block_ms"],
    [q.turn(1, "BLOCK", "for ever"), "ERR EMQ.TURN bad argument block_ms"],
    [act("CLAIM", q.keys("pending", "active"), 1, "BLOCK", "x"), "ERR EMQ.CLAIM takes 3 keys"],
    [
      act("CLAIM", q.keys("pending", "active", "meta"), 1, "BLOCK", LONG_MS),
      "ERR EMQ.CLAIM keys do not match the wire-4 layout",
    ],
    [
      act("REAP", q.keys("active", "pending", ""), 1, "BLOCK", 5),
      "ERR wrong number of arguments for 'EMQ.REAP' command",
    ],
  ])("is refused as %j before anything is done", async (parts, text) => {
    expect(await answerOf(client, parts)).toBe(text);
    expect(await client.command("DBSIZE")).toBe(0);
  });

  it("is no form of a script", async () => {
    const keys = q.keys("pending", "active", "");
    const text = "ERR wrong number of arguments for 'EMQ.CLAIM' command";
    expect(await answerOf(client, script("CLAIM", keys, 1000, "BLOCK", 5))).toBe(text);
    const turnKeys = q.keys("pending", "active", "schedule", "wake", "");
    expect(await answerOf(client, script("TURN", turnKeys, "w", 1000, 1, "BLOCK", 5))).toMatch(
      /^ERR EMQ.TURN bad argument /,
    );
  });

  it("answers an error that the act gives when it is woken, and holds up nobody", async () => {
    const [first, second] = [await crowd.wait(turn), await crowd.wait(turn)];
    await send(["SET", `${q.base}active`, "foreign"], q.enqueue(1));
    expect(await first.reply).toMatch(/^WRONGTYPE /);
    expect(await second.reply).toMatch(/^WRONGTYPE /);
    expect(await client.command("ZRANGE", `${q.base}pending`, "0", "-1")).toEqual([idOf(1)]);
  });
});

describe.skipIf(why !== undefined)("what a claim writes that has waited", () => {
  it("is what one writes that has not, on the server, on a replica without the module and after a restart", async () => {
    const args = ["--loadmodule", nativeModule(), "clock-key", CLOCK];
    const config = { appendonly: "yes" };
    const server = await startServer({ tcp: true, args, config });
    const replica = await startReplica(server);
    const client = await server.client();
    const crowd = new Crowd(server, client);
    try {
      const dumps: string[][] = [];
      for (const waits of [false, true]) {
        await client.command("FLUSHALL");
        await client.command("SET", CLOCK, "1700000000000");
        const words = waits ? ["BLOCK", LONG_MS] : [];
        const calls = [q.turn(2, ...words), q.claim(...words), q.bclaim(2, ...words)];
        const causes = [q.admit("lane", 1, 2), q.enqueue(3), q.admit("", 4, 5, 6)];
        for (const [at, call] of calls.entries()) {
          const reply = waits ? (await crowd.wait(call)).reply : undefined;
          await client.command(...(causes[at] as string[]));
          await (reply ?? client.command(...call));
        }
        dumps.push(await dumpAll(client));
      }
      expect(dumps[1]).toEqual(dumps[0]);
      expect(dumps[0]?.length).toBeGreaterThan(8);
      const reader = await replica.client();
      const dump = async () => JSON.stringify(await dumpAll(reader)) === JSON.stringify(dumps[0]) || "keys differ";
      await until(dump);
      reader.close();
      await crowd.close();
      await server.restart();
      const after = await server.client();
      expect(await dumpAll(after)).toEqual(dumps[0]);
      after.close();
    } finally {
      client.close();
      await replica.stop();
      await server.stop();
    }
  }, 120_000);
});
