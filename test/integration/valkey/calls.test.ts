/** What goes to a server and comes back: bytes, acts, refusals, scripts that were lost. */

import { describe, expect, it } from "vitest";
import { WIRE_VERSION } from "../../../src/protocol/wire-version.ts";
import { useServer } from "../../server/use-server.ts";
import { errorOf, openEngine, until, WAYS } from "./setup-engine.ts";

const ALL_BYTES = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join("");
const JOB_ID = (number: number): string => `JOB${String(number).padStart(11, "0")}`;

describe.each(WAYS)("calls by %s", (_name, way) => {
  const server = useServer();
  const setup = async (queue: string) => {
    await server().command("FLUSHALL");
    const engine = openEngine({ connection: { ...way, url: server().url } });
    await engine.ready();
    const enqueue = (number: number, payload = "{}") =>
      engine.act(
        "ENQUEUE",
        [`emq:{${queue}}:job:${JOB_ID(number)}`, `emq:{${queue}}:pending`],
        [JOB_ID(number), payload],
      );
    return { engine, enqueue, queue };
  };

  it("brings back every byte value, NUL and invalid UTF-8 included", async () => {
    const { engine, enqueue } = await setup("bytes");
    expect(await enqueue(1, ALL_BYTES)).toBe(1);
    const claimed = await engine.act("CLAIM", ["emq:{bytes}:pending", "emq:{bytes}:active", "emq:{bytes}:"], ["30000"]);
    expect(claimed).toEqual([JOB_ID(1), ALL_BYTES, 1]);
    await engine.command(["SET", ALL_BYTES, ALL_BYTES]);
    expect(await engine.command(["KEYS", "\u0000*"])).toEqual([ALL_BYTES]);
  });

  it("gives replies the same form on every protocol", async () => {
    const { engine } = await setup("forms");
    await engine.command(["HSET", "h", "a", "1", "b", "\u00ff"]);
    await engine.command(["ZADD", "z", "1.5", "m", "inf", "n"]);
    await engine.command(["SADD", "s", "x"]);
    expect(await engine.command(["HGETALL", "h"])).toEqual(["a", "1", "b", "\u00ff"]);
    expect(await engine.command(["ZSCORE", "z", "m"])).toBe("1.5");
    expect(await engine.command(["ZSCORE", "z", "n"])).toBe("inf");
    expect(await engine.command(["GET", "absent"])).toBeNull();
    expect(await engine.command(["SMEMBERS", "s"])).toEqual(["x"]);
    expect(await engine.command(["SISMEMBER", "s", "x"])).toBe(1);
    expect(await engine.command(["PING"])).toBe("PONG");
    expect(await engine.command(["INFO", "server"])).toMatch(/^# Server\r\n/);
    expect(await engine.command(["EVAL", "return {1,{2,'x'},false}", "0"])).toEqual([1, [2, "x"], null]);
  });

  it("sends a reading verb so that a server may refuse it nothing", async () => {
    const { engine, enqueue, queue } = await setup("reads");
    await enqueue(1);
    await server().command("CONFIG", "RESETSTAT");
    await engine.act("COUNTS", [`emq:{${queue}}:`, `emq:{${queue}}:pending`], []);
    expect(await server().command("INFO", "commandstats")).toContain("cmdstat_evalsha_ro:");
  });

  it("throws a refusal with its code and the server's text", async () => {
    const { engine, enqueue } = await setup("refusals");
    expect(await errorOf(enqueue(1).then(() => engine.act("CLAIM", ["a", "b", "c"], ["1"])))).toMatchObject({
      code: "refused",
      message: "ERR EMQ.CLAIM keys do not match the wire-4 layout",
    });
    const act = engine.act("ENQUEUE", ["emq:{q}:job:CAR00000000001", "emq:{q}:pending"], ["CAR00000000001", "{}"]);
    expect(await errorOf(act)).toMatchObject({ code: "kind", message: "EMQKIND job id must be JOB-namespaced" });
    expect(await errorOf(engine.command(["LPUSH"]))).toMatchObject({ code: "refused" });
  });

  it("refuses commands that would change the socket which all share", async () => {
    const { engine } = await setup("shared");
    for (const parts of [["SUBSCRIBE", "c"], ["select", "1"], ["BLPOP", "l", "0"], ["MULTI"]]) {
      expect(await errorOf(engine.command(parts))).toMatchObject({ code: "unsupported" });
    }
    expect(await engine.command(["PING"])).toBe("PONG");
  });

  it("repairs two hundred acts in flight when the scripts are flushed under them, each once", async () => {
    const { engine, enqueue } = await setup("storm");
    await enqueue(1);
    await server().command("CONFIG", "RESETSTAT");
    const acts: Promise<unknown>[] = [];
    const order: number[] = [];
    for (let number = 2; number < 202; number++) {
      if (number === 100) acts.push(engine.command(["SCRIPT", "FLUSH"]));
      acts.push(enqueue(number).then((reply) => order.push(number) && reply));
    }
    const replies = await Promise.all(acts);
    expect(replies.filter((reply) => reply === 1)).toHaveLength(200);
    // Every act ran once, those behind the gap in their order, and the script was loaded once for all of them.
    expect(await engine.command(["ZCARD", "emq:{storm}:pending"])).toBe(201);
    expect(order).toEqual(Array.from({ length: 200 }, (_, at) => at + 2));
    const statistics = String(await server().command("INFO", "commandstats"));
    expect(statistics).toMatch(/cmdstat_script\|load:calls=1,/);
    expect(statistics).toMatch(
      /cmdstat_evalsha:calls=302,usec=\d+,usec_per_call=[\d.]+,rejected_calls=0,failed_calls=102/,
    );
  });

  it("leaves acts of other verbs and plain commands in their order while scripts are missing", async () => {
    const { engine, enqueue } = await setup("order");
    await engine.command(["SCRIPT", "FLUSH"]);
    const replies = await Promise.all([
      engine.command(["RPUSH", "list", "1"]),
      enqueue(1),
      engine.command(["RPUSH", "list", "2"]),
      engine.act("CLAIM", ["emq:{none}:pending", "emq:{none}:active", "emq:{none}:"], ["1000"]),
      engine.command(["RPUSH", "list", "3"]),
    ]);
    expect(replies).toEqual([1, 1, 2, [], 3]);
    expect(await engine.command(["LRANGE", "list", "0", "-1"])).toEqual(["1", "2", "3"]);
  });

  it("says in time that a script may not be loaded, rather than trying for ever", async () => {
    await setup("norights");
    await server().command("ACL", "SETUSER", "nl", "on", ">pw", "~*", "&*", "+@all", "-script|load");
    const engine = openEngine({ connection: { ...way, url: server().url, username: "nl", password: "pw" } });
    await server().command("SCRIPT", "FLUSH");
    const act = engine.act("CLAIM", ["emq:{q}:pending", "emq:{q}:active", "emq:{q}:"], ["1000"]);
    expect(await errorOf(act)).toMatchObject({ code: "permission" });
  });

  it("waits for a busy server until the time of the call is over", async () => {
    const { engine } = await setup("busy");
    await server().command("CONFIG", "SET", "min-replicas-to-write", "1");
    const enqueued = engine.command(["SET", "k", "v"]);
    await server().command("CONFIG", "SET", "min-replicas-to-write", "0");
    expect(await enqueued).toBe("OK");

    await server().command("CONFIG", "SET", "min-replicas-to-write", "1");
    const hasty = openEngine({ connection: { ...way, url: server().url }, commandTimeoutMs: 400 });
    await hasty.ready();
    const error = await errorOf(hasty.command(["SET", "k", "w"]));
    await server().command("CONFIG", "SET", "min-replicas-to-write", "0");
    // Which of the two depends on whether it rested or was on its way at that instant.
    expect(error).toMatchObject({ code: expect.stringMatching(/^(server_busy|timeout)$/), retryable: true });
    expect(await engine.command(["GET", "k"])).toBe("v");
  });

  it("gives a call up when its time is over, and goes on", async () => {
    await setup("late");
    const engine = openEngine({ connection: { ...way, url: server().url }, commandTimeoutMs: 50 });
    await engine.ready();
    server().freeze();
    const error = await errorOf(engine.command(["SET", "late", "1"]));
    server().thaw();
    expect(error).toMatchObject({ code: "timeout", retryable: true });
    // A busy machine may let a first call run out of its short time as well.
    await until(async () => (await engine.command(["PING"]).catch(() => "")) === "PONG");
  });

  it("refuses more calls than may be pending, and takes new ones when some have ended", async () => {
    await setup("full");
    const engine = openEngine({ connection: { ...way, url: server().url }, maxPending: 3 });
    await engine.ready();
    const calls = [1, 2, 3].map(() => engine.command(["PING"]));
    expect(await errorOf(engine.command(["PING"]))).toMatchObject({ code: "overloaded", retryable: true });
    await Promise.all(calls);
    expect(await engine.command(["PING"])).toBe("PONG");
  });

  it("works in the database that the connection names", async () => {
    await setup("db");
    const engine = openEngine({ connection: { ...way, url: `${server().url}?db=3` } });
    await engine.command(["SET", "here", "1"]);
    expect(await server().command("GET", "here")).toBeNull();
    expect(await engine.command(["GET", "{emq}:version"])).toBe(WIRE_VERSION);
  });
});
