/** The proxy of the fault tests does what a test tells it and nothing else. */

import { describe, expect, it, onTestFinished } from "vitest";
import { SCRIPTS } from "../../src/valkey/scripts.generated.ts";
import { DELAYED_BYTES_MAX, startFaultProxy } from "./fault-proxy.ts";
import { useServer } from "./use-server.ts";
import { type ReplyValue, WireClient } from "./wire-client.ts";
import { frameEnd, redirected, renumbered } from "./wire-frame.ts";

describe("the end of a frame", () => {
  it.each([
    "+OK\r\n",
    "$3\r\n\r\n+\r\n",
    "$-1\r\n",
    "*-1\r\n",
    "*0\r\n",
    "*2\r\n*1\r\n:1\r\n$0\r\n\r\n",
    "_\r\n",
    "#t\r\n",
    ",1.5\r\n",
    "%1\r\n+k\r\n~2\r\n:1\r\n:2\r\n",
    "|1\r\n+ttl\r\n:3\r\n*1\r\n:1\r\n",
    ">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nx\r\n",
    "!3\r\nERR\r\n",
    "=7\r\ntxt:abc\r\n",
  ])("is found in both protocols, and not before it is there: %j", (text) => {
    const frame = Buffer.from(text, "latin1");
    expect(frameEnd(Buffer.concat([frame, frame]), 0)).toBe(frame.length);
    expect(frameEnd(Buffer.concat([frame, frame]), frame.length)).toBe(2 * frame.length);
    for (let length = 0; length < frame.length; length++)
      expect(frameEnd(frame.subarray(0, length), 0)).toBeUndefined();
  });
});

describe("the proxy of faults", () => {
  const server = useServer();
  const setup = async () => {
    await server().command("FLUSHALL");
    const proxy = await startFaultProxy({ path: server().socketPath });
    onTestFinished(() => proxy.close());
    const connect = async () => {
      const client = await WireClient.connect(proxy.port);
      onTestFinished(() => client.close());
      return client;
    };
    return { proxy, connect, client: await connect() };
  };
  /** Whether an answer has come when another connection has had one meanwhile. */
  const isAnswered = async (answer: Promise<unknown>) => {
    let came = false;
    answer.then(
      () => {
        came = true;
      },
      () => {
        came = true;
      },
    );
    for (let turns = 0; turns < 20; turns++) await server().command("PING");
    return came;
  };
  const ended = (promise: Promise<ReplyValue>) => promise.then(String, (error: Error) => error.message);

  it("passes everything as it is, also large and in many pieces", async () => {
    const { client } = await setup();
    const large = "x".repeat(5_000_000);
    const answers = await Promise.all([
      client.command("SET", "k", large),
      client.command("GET", "k"),
      client.command("RPUSH", "list", "a", "", "c\r\n$3\r\n"),
      client.command("LRANGE", "list", "0", "-1"),
      ended(client.command("GET", "list")),
      client.command("GET", "none"),
    ]);
    expect(answers[1] === large).toBe(true);
    expect(answers.slice(2)).toEqual([3, ["a", "", "c\r\n$3\r\n"], expect.stringMatching(/^WRONGTYPE/), null]);
  });

  it("answers in the place of the server in the order of the wire, so often as it is told", async () => {
    const { client, proxy } = await setup();
    proxy.inject({ does: "answer", error: "OOM full", to: { name: "SET" }, times: 1 });
    const all = [
      ended(client.command("INCR", "n")),
      ended(client.command("SET", "k", "v")),
      ended(client.command("INCR", "n")),
      ended(client.command("SET", "k", "w")),
    ];
    expect(await Promise.all(all)).toEqual(["1", "OOM full", "2", "OK"]);
    expect(await server().command("GET", "k")).toBe("w");
  });

  it("knows an act by its script, and a connection by what it does", async () => {
    const { client, proxy, connect } = await setup();
    proxy.inject({ does: "answer", error: "READONLY it is", to: { verb: ["TURN", "ADMIT"] } });
    expect(await ended(client.command("EVALSHA", SCRIPTS.TURN.sha, "0"))).toBe("READONLY it is");
    expect(await ended(client.command("EVALSHA", SCRIPTS.CLAIM.sha, "0"))).toMatch(/^NOSCRIPT/);
    const blocking = await connect();
    await blocking.command("BLPOP", "none", "0.001");
    const named = await connect();
    await named.command("CLIENT", "SETNAME", "echomq:h:1:x:blocking");
    const listening = await connect();
    await listening.command("SUBSCRIBE", "c");
    const counts = (["command", "blocking", "subscriber"] as const).map((kind) => proxy.links(kind).length);
    expect(counts).toEqual([1, 2, 1]);
  });

  it("loses the reply of what the server did, and the connection with it", async () => {
    const { client, proxy } = await setup();
    const loss = proxy.inject({ does: "lose-reply", to: { name: "SET" }, leaves: "cut", times: 1 });
    const earlier = ended(client.command("PING"));
    expect(await ended(client.command("SET", "k", "v"))).toMatch(/closed|ECONNRESET/);
    expect(await earlier).toBe("PONG");
    expect([await server().command("GET", "k"), loss.struck]).toEqual(["v", 1]);
    await expect.poll(() => proxy.links().length, { timeout: 20_000 }).toBe(0);
  });

  it("falls silent for good, and hides the end of one side from the other", async () => {
    const { client, proxy, connect } = await setup();
    await client.command("PING");
    const silence = proxy.inject({ does: "silence" });
    const asked = ended(client.command("SET", "k", "v"));
    const born = await connect();
    const unheard = ended(born.command("PING"));
    expect(await isAnswered(Promise.race([asked, unheard]))).toBe(false);
    silence.lift();
    expect(await isAnswered(Promise.race([asked, unheard]))).toBe(false);
    expect(await server().command("GET", "k")).toBeNull();
    client.close();
    const clients = String(await server().command("CLIENT", "LIST", "TYPE", "NORMAL"));
    expect(clients.trim().split("\n").length).toBeGreaterThanOrEqual(2);
    expect(await (await connect()).command("PING")).toBe("PONG");
  });

  it("stalls one direction or both, and then lets everything through in order", async () => {
    const { client, proxy } = await setup();
    for (const direction of ["up", "down", undefined] as const) {
      const stall = proxy.inject({ does: "stall", ...(direction === undefined ? {} : { direction }) });
      const all = [client.command("RPUSH", "list", "a"), client.command("RPUSH", "list", "b")];
      expect(await isAnswered(Promise.race(all))).toBe(false);
      stall.lift();
      const [first, second] = (await Promise.all(all)) as [number, number];
      expect(second - first).toBe(1);
    }
    expect(await server().command("LRANGE", "list", "0", "-1")).toEqual(["a", "b", "a", "b", "a", "b"]);
  });

  it("delays what goes by without changing its order, up to a bound", async () => {
    const { client, proxy } = await setup();
    const delay = proxy.inject({ does: "delay", ms: 30, direction: "down" });
    const startedAt = performance.now();
    const slow = client.command("INCR", "n");
    await slow;
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(29);
    const late = client.command("INCR", "n");
    delay.lift();
    expect(await Promise.all([late, client.command("INCR", "n")])).toEqual([2, 3]);
    await client.command("SET", "k", "x".repeat(DELAYED_BYTES_MAX + 1));
    proxy.inject({ does: "delay", ms: 1000 });
    expect(await ended(client.command("GET", "k"))).toMatch(/closed|ECONNRESET/);
  });

  it("swallows tokens and messages and nothing else", async () => {
    const { client, proxy, connect } = await setup();
    const wakes = proxy.inject({ does: "mute", what: "wakes" });
    const messages = proxy.inject({ does: "mute", what: "messages" });
    const listening = await connect();
    expect(await listening.command("SUBSCRIBE", "c")).toEqual(["subscribe", "c", 1]);
    const blocked = client.command("BLPOP", "list", "0");
    await server().command("RPUSH", "list", "token");
    await server().command("PUBLISH", "c", "lost");
    expect(await blocked).toBeNull();
    expect(await server().command("LLEN", "list")).toBe(0);
    expect(await listening.command("UNSUBSCRIBE", "c")).toEqual(["unsubscribe", "c", 0]);
    expect([wakes.struck, messages.struck]).toEqual([1, 1]);
    wakes.lift();
    await server().command("RPUSH", "list", "token");
    expect(await client.command("BLPOP", "list", "0")).toEqual(["list", "token"]);
  });

  it("refuses connections, cuts them, and leads new ones elsewhere", async () => {
    const { client, proxy, connect } = await setup();
    await client.command("PING");
    const refusal = proxy.inject({ does: "refuse" });
    const refused = connect().then((late) => late.command("PING"));
    expect(await ended(refused)).toMatch(/closed|ECONNRESET|EPIPE/);
    expect(await client.command("PING")).toBe("PONG");
    proxy.cut();
    expect(await ended(client.command("PING"))).toMatch(/closed|ECONNRESET/);
    refusal.lift();
    const other = await startFaultProxy({ path: server().socketPath });
    onTestFinished(() => other.close());
    proxy.target = { port: other.port };
    await (await connect()).command("PING");
    expect([proxy.acceptedCount, other.acceptedCount]).toEqual([3, 1]);
  });

  it("translates the ports that a cluster tells its clients, and nothing else that looks like one", () => {
    const ports = new Map([[7001, 17_001]]);
    expect(redirected("-MOVED 12 127.0.0.1:7001\r\n", ports)).toBe("-MOVED 12 127.0.0.1:17001\r\n");
    expect(redirected("-MOVED 7001 127.0.0.1:7002\r\n", ports)).toBe("-MOVED 7001 127.0.0.1:7002\r\n");
    const frame = "*3\r\n:7001\r\n$5\r\n:7001\r\n$0\r\n\r\n";
    expect(renumbered(Buffer.from(frame), ports).toString()).toBe("*3\r\n:17001\r\n$5\r\n:7001\r\n$0\r\n\r\n");
  });
});
