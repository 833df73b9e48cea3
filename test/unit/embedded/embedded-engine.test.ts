import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import { isEchoMQError } from "../../../src/protocol/errors.ts";
import type { Verb } from "../../../src/protocol/verbs.generated.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import type { Transition } from "../../../src/transition/server.ts";

const BASE = "emq:{q}:";
const PENDING = `${BASE}pending`;
const ACTIVE = `${BASE}active`;
const WAKE = `${BASE}wake`;
const ID = "JOB00000000001";
const ROW = `${BASE}job:${ID}`;

function setup(options: { wireVersion?: string; transitions?: Partial<Record<Verb, Transition>> } = {}) {
  const ports = createTestPorts();
  const engine = new EmbeddedEngine({ ports, ...options });
  const keys = async () => ((await engine.command(["KEYS", "emq:*"])) as string[]).sort();
  const enqueue = () => engine.act("ENQUEUE", [ROW, PENDING], [ID, "payload"]);
  return { engine, ports, clock: ports.clock, keys, enqueue };
}

/** The code and text of the refusal that a promise ends with. */
async function refusal(promise: Promise<unknown>): Promise<readonly [code: string, text: string]> {
  try {
    await promise;
  } catch (error) {
    if (isEchoMQError(error)) return [error.code, error.message];
    throw error;
  }
  throw new Error("it was not refused");
}

const WRONG_TYPE = "WRONGTYPE Operation against a key holding the wrong kind of value";

describe("acts", () => {
  it("an act runs at once, in the order of the calls, and answers later", async () => {
    const { engine, enqueue } = setup();
    const first = enqueue();
    const second = enqueue();
    const size = engine.command(["ZCARD", PENDING]);
    expect(await Promise.all([first, second, size])).toEqual([1, 0, 1]);
  });

  it("an act sees one instant, also when the clock moves on meanwhile", async () => {
    const instants: number[] = [];
    const ports = createTestPorts();
    const claim: Transition = (s) => {
      instants.push(s.now());
      ports.clock.shift(5);
      instants.push(s.now());
      return 1;
    };
    const engine = new EmbeddedEngine({ ports, transitions: { CLAIM: claim } });
    await engine.act("CLAIM", [], []);
    expect(instants[0]).toBe(instants[1]);
  });

  it("absent things come as null at every depth", async () => {
    const { engine } = setup({ transitions: { CLAIM: () => [false, [1, false, "text", []]] } });
    expect(await engine.act("CLAIM", [], [])).toEqual([null, [1, null, "text", []]]);
  });

  it("a refusal carries the server's text and the code of its first word", async () => {
    const { engine, enqueue } = setup();
    await enqueue();
    const stale = engine.act("COMPLETE", [ACTIVE, ROW, BASE], [ID, "7"]);
    expect(await refusal(stale)).toEqual(["stale", "EMQSTALE complete token mismatch"]);
    expect((await refusal(engine.act("CLAIM", [PENDING, ACTIVE, BASE], ["0"])))[0]).toBe("refused");
  });

  it("a verb without an act is refused as an unknown command", async () => {
    const { engine } = setup({ transitions: {} });
    expect((await refusal(engine.act("CLAIM", [], [])))[1]).toMatch(/^ERR unknown command/);
  });

  it("an act that fails half-way leaves no trace and nobody hears of it", async () => {
    const failing: Transition = (s) => {
      s.call("HSET", ROW, "state", "active", "extra", "1");
      s.call("ZPOPMIN", PENDING, 1);
      s.call("LPUSH", WAKE, "1");
      s.call("PUBLISH", "channel", "never");
      throw new TypeError("a fault of the act");
    };
    const { engine: broken, clock } = setup({ transitions: { CLAIM: failing } });
    await broken.command(["ZADD", PENDING, "0", ID]);
    let heard = 0;
    await broken.subscribe("channel", () => heard++);
    broken.listenForWake(WAKE, { onToken: () => heard++, onLost: () => heard++ }).arm();
    const [code, text] = await refusal(broken.act("CLAIM", [], []));
    expect(code).toBe("internal");
    expect(text).toContain("a fault of the act");
    await clock.settle();
    expect(heard).toBe(0);
    expect(await broken.command(["KEYS", "emq:*"])).toEqual([PENDING]);
  });

  it("an act that meets a value of another type half-way is refused and taken back", async () => {
    const { engine, enqueue, keys } = setup();
    await enqueue();
    await engine.command(["SET", ROW, "no hash"]);
    const claimed = engine.act("CLAIM", [PENDING, ACTIVE, BASE], ["1000"]);
    expect(await refusal(claimed)).toEqual(["refused", WRONG_TYPE]);
    expect(await engine.command(["ZRANGE", PENDING, "0", "-1"])).toEqual([ID]);
    expect(await keys()).toEqual([ROW, PENDING]);
  });
});

describe("types of keys", () => {
  it("a declared key of another type refuses an act that would write, also where the act never meets it", async () => {
    const add: Transition = (s, keys, args) => s.call("ZADD", keys[1] ?? "", 0, args[0] ?? "");
    const { engine, keys } = setup({ transitions: { CLAIM: add } });
    await engine.command(["SET", ACTIVE, "no sorted set"]);
    expect(await refusal(engine.act("CLAIM", [ACTIVE, PENDING, BASE], [ID]))).toEqual(["refused", WRONG_TYPE]);
    expect(await keys()).toEqual([ACTIVE]);
  });

  it("so does a key that the verb may derive from the base, in this queue and no other", async () => {
    const add: Transition = (s, keys, args) => s.call("ZADD", keys[0] ?? "", 0, args[0] ?? "");
    const { engine } = setup({ transitions: { CLAIM: add } });
    await engine.command(["SET", "emq:{other}:ring", "no list"]);
    expect(await engine.act("CLAIM", [PENDING, ACTIVE, BASE], [ID])).toBe(1);
    await engine.command(["SET", `${BASE}ring`, "no list"]);
    expect(await refusal(engine.act("CLAIM", [PENDING, ACTIVE, BASE], ["JOB2"]))).toEqual(["refused", WRONG_TYPE]);
    await engine.command(["DEL", `${BASE}ring`]);
    expect(await engine.act("CLAIM", [PENDING, ACTIVE, BASE], ["JOB2"])).toBe(1);
  });

  it("an outcome and an earlier refusal win over the type", async () => {
    const { engine, enqueue } = setup();
    await enqueue();
    await engine.command(["DEL", PENDING]);
    await engine.command(["SET", PENDING, "no sorted set"]);
    expect(await enqueue()).toBe(0);
    const wrongKind = engine.act("ENQUEUE", [`${BASE}job:USR00000000001`, PENDING], ["USR00000000001", ""]);
    expect((await refusal(wrongKind))[0]).toBe("kind");
  });

  it("a value that got the right type again refuses nothing", async () => {
    const { engine, enqueue } = setup();
    await engine.command(["SET", PENDING, "no sorted set"]);
    expect((await refusal(enqueue()))[1]).toBe(WRONG_TYPE);
    await engine.command(["DEL", PENDING]);
    await engine.command(["ZADD", PENDING, "0", "JOB00000000000"]);
    expect(await enqueue()).toBe(1);
  });
});

describe("the fence", () => {
  it("a new store is marked with its wire version", async () => {
    const { engine } = setup();
    await engine.ready();
    expect(await engine.command(["GET", "{emq}:version"])).toBe("echomq:4.0.0");
  });

  it("another mark refuses every act after the layout and before anything else, and nothing is written", async () => {
    const { engine, enqueue, keys } = setup({ wireVersion: "echomq:9.0.0" });
    await engine.command(["SET", "{emq}:version", "echomq:3.0.0"]);
    const text = "EMQFENCE wire version is echomq:3.0.0, this server speaks echomq:9.0.0";
    expect(await refusal(enqueue())).toEqual(["fence", text]);
    const wrongKind = engine.act("ENQUEUE", [`${BASE}job:USR00000000001`, PENDING], ["USR00000000001", ""]);
    expect(await refusal(wrongKind)).toEqual(["fence", text]);
    const wrongLayout = engine.act("ENQUEUE", [ROW, "emq:{other}:pending"], [ID, ""]);
    expect((await refusal(wrongLayout))[1]).toMatch(/layout$/);
    expect((await refusal(engine.act("MAXED", [`${BASE}meta`, ACTIVE], [])))[0]).toBe("fence");
    expect(await keys()).toEqual([]);
  });

  it("a mark that is gone is claimed by the first act that writes, and by none that only reads", async () => {
    const { engine, enqueue } = setup();
    await engine.command(["FLUSHALL"]);
    await engine.act("MAXED", [`${BASE}meta`, ACTIVE], []);
    expect(await engine.command(["EXISTS", "{emq}:version"])).toBe(0);
    await enqueue();
    expect(await engine.command(["GET", "{emq}:version"])).toBe("echomq:4.0.0");
  });
});

describe("wake lists", () => {
  function listener(engine: EmbeddedEngine, log: string[], name: string) {
    return engine.listenForWake(WAKE, { onToken: () => log.push(name), onLost: () => log.push(`${name} lost`) });
  }

  it("a token goes to the listener that waits longest, and only to one that is armed", async () => {
    const { engine, clock } = setup();
    const log: string[] = [];
    const [a, b] = [listener(engine, log, "a"), listener(engine, log, "b")];
    await engine.command(["LPUSH", WAKE, "1"]);
    await clock.settle();
    expect(log).toEqual([]);
    await engine.command(["DEL", WAKE]);
    b.arm();
    a.arm();
    a.arm();
    await engine.command(["LPUSH", WAKE, "1", "1", "1"]);
    await clock.settle();
    expect(log).toEqual(["b", "a"]);
    expect(await engine.command(["LLEN", WAKE])).toBe(1);
  });

  it("a token that lies there is taken when a listener is armed, and the empty list vanishes", async () => {
    const { engine, clock } = setup();
    const log: string[] = [];
    await engine.command(["LPUSH", WAKE, "1"]);
    listener(engine, log, "a").arm();
    expect(log).toEqual([]);
    expect(await engine.command(["EXISTS", WAKE])).toBe(0);
    await clock.settle();
    expect(log).toEqual(["a"]);
  });

  it("the act that pushes still finds its token, and it is handed over afterwards", async () => {
    const lengths: number[] = [];
    const pushing: Transition = (s) => {
      s.call("LPUSH", WAKE, "1");
      lengths.push(s.call("LLEN", WAKE));
      return 1;
    };
    const { engine, clock } = setup({ transitions: { QRESUME: pushing } });
    const log: string[] = [];
    listener(engine, log, "a").arm();
    await engine.act("QRESUME", [], []);
    expect(lengths).toEqual([1]);
    expect(await engine.command(["EXISTS", WAKE])).toBe(0);
    await clock.settle();
    expect(log).toEqual(["a"]);
  });

  it("a listener that was disarmed gets nothing, but a token on its way still arrives", async () => {
    const { engine, clock } = setup();
    const log: string[] = [];
    const a = listener(engine, log, "a");
    a.arm();
    a.disarm();
    await engine.command(["LPUSH", WAKE, "1"]);
    await clock.settle();
    expect(log).toEqual([]);
    a.arm();
    a.disarm();
    await clock.settle();
    expect(log).toEqual(["a"]);
  });

  it("closing a place waits for the token on its way and ends everything after it", async () => {
    const { engine, clock } = setup();
    const log: string[] = [];
    const a = listener(engine, log, "a");
    a.arm();
    await engine.command(["LPUSH", WAKE, "1"]);
    await a.close().then(() => log.push("closed"));
    expect(log).toEqual(["a", "closed"]);
    a.arm();
    await engine.command(["LPUSH", WAKE, "1"]);
    await clock.settle();
    await a.close();
    expect(log).toEqual(["a", "closed"]);
  });
});

describe("messages", () => {
  it("reach those who subscribed before they were published, after the act", async () => {
    const { engine, clock } = setup();
    const heard: string[] = [];
    const first = await engine.subscribe("c", (text) => heard.push(`1 ${text}`));
    expect(await engine.command(["PUBLISH", "c", "a"])).toBe(1);
    await engine.subscribe("c", (text) => heard.push(`2 ${text}`));
    expect(await engine.command(["PUBLISH", "other", "x"])).toBe(0);
    expect(await engine.command(["PUBLISH", "c", "\xff\x00"])).toBe(2);
    await clock.settle();
    expect(heard).toEqual(["1 a", "1 \xff\x00", "2 \xff\x00"]);
    await first.close();
    expect(await engine.command(["PUBLISH", "c", "b"])).toBe(1);
    await clock.settle();
    expect(heard).toHaveLength(4);
  });
});

describe("expiry", () => {
  it("takes keys out on time by one background timer, though nobody looks at them", async () => {
    const { engine, clock } = setup();
    await engine.command(["SET", "short", "", "PX", "1000"]);
    await engine.command(["SET", "long", "", "EX", "86400"]);
    expect(clock.timerCount).toBe(1);
    await clock.advance(1000);
    expect(await engine.command(["DBSIZE"])).toBe(3);
    await clock.advance(1);
    expect(await engine.command(["DBSIZE"])).toBe(2);
    await clock.advance(86_400_000);
    expect(await engine.command(["DBSIZE"])).toBe(1);
    expect(clock.timerCount).toBe(0);
  });

  it("takes out any number of keys that expire together", async () => {
    const { engine, clock } = setup();
    for (let at = 0; at < 2500; at++) await engine.command(["SET", `key:${at}`, "", "PX", "10"]);
    await clock.advance(20);
    expect(await engine.command(["DBSIZE"])).toBe(1);
  });

  it("tells the time that is left, and -1 and -2 where there is none", async () => {
    const { engine, clock } = setup();
    await engine.command(["SET", "key", "", "PX", "1500"]);
    await clock.advance(500);
    expect(await engine.command(["PTTL", "key"])).toBe(1000);
    expect(await engine.command(["TTL", "key"])).toBe(1);
    await engine.command(["PERSIST", "key"]);
    expect(await engine.command(["PTTL", "key"])).toBe(-1);
    expect(await engine.command(["PTTL", "none"])).toBe(-2);
  });
});

describe("state", () => {
  it("is ready from the first moment and closed for good", async () => {
    const { engine, clock } = setup();
    const states: string[] = [];
    engine.onState((state) => states.push(state));
    engine.onState((state) => states.push(`not ${state}`))();
    expect(engine.state).toBe("ready");
    await engine.command(["SET", "key", "", "PX", "1000"]);
    await engine.close();
    await engine.close();
    expect(states).toEqual(["closed"]);
    expect(clock.timerCount).toBe(0);
    for (const late of [engine.ready(), engine.command(["PING"]), engine.act("QPAUSE", [], [])]) {
      expect((await refusal(late))[0]).toBe("closed");
    }
    expect((await refusal(engine.subscribe("c", () => {})))[0]).toBe("closed");
  });

  it("hands nothing over once it is closed", async () => {
    const { engine, clock } = setup();
    let heard = 0;
    engine.listenForWake(WAKE, { onToken: () => heard++, onLost: () => heard++ }).arm();
    await engine.subscribe("c", () => heard++);
    const sent = [engine.command(["LPUSH", WAKE, "1"]), engine.command(["PUBLISH", "c", "x"])];
    await Promise.all([...sent, engine.close()]);
    await clock.settle();
    expect(heard).toBe(0);
  });
});

describe("plain commands", () => {
  it("are known by any case of their name and refused in the server's words", async () => {
    const { engine } = setup();
    expect(await engine.command(["ping"])).toBe("PONG");
    expect(await refusal(engine.command(["get"]))).toEqual([
      "refused",
      "ERR wrong number of arguments for 'get' command",
    ]);
    expect((await refusal(engine.command(["constructor"])))[1]).toMatch(/^ERR unknown command/);
    expect((await refusal(engine.command([])))[1]).toMatch(/^ERR unknown command/);
  });

  it("tell the time of the ports' clock", async () => {
    const { engine, clock } = setup();
    const [seconds, micros] = (await engine.command(["TIME"])) as string[];
    expect(Number(seconds) * 1000 + Number(micros) / 1000).toBe(clock.now());
  });

  it("keep every byte", async () => {
    const { engine } = setup();
    const all = Array.from({ length: 256 }, (_, byte) => String.fromCharCode(byte)).join("");
    await engine.command(["HSET", "h", all, all]);
    expect(await engine.command(["HGETALL", "h"])).toEqual([all, all]);
  });
});
