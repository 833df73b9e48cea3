import { describe, expect, it } from "vitest";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { WakeHub } from "../../../src/valkey/wake-hub.ts";
import { FakeSession } from "./fake-session.ts";

const bytes = (...parts: string[]): Buffer[] => parts.map((part) => Buffer.from(part));

async function setup(beatMs = 1000, onRedirect?: (text: string) => void) {
  let readonlyCount = 0;
  const ports = createTestPorts();
  const commands: { text: string; resolve(reply: unknown): void; reject(error: Error): void }[] = [];
  let starts = 0;
  const hub = new WakeHub({
    ports,
    beatMs,
    ...(onRedirect === undefined ? {} : { onRedirect }),
    start: () => {
      starts += 1;
    },
    onReadonly: () => {
      readonlyCount += 1;
    },
    run: (parts) =>
      new Promise((resolve, reject) => {
        commands.push({ text: parts.join(" "), resolve, reject });
      }),
  });
  const session = new FakeSession();
  /** Prepares and raises a session of this id. */
  const rise = async (fresh: FakeSession, id: number) => {
    await hub.prepare((parts) => Promise.resolve(parts[1] === "ID" ? id : "OK"));
    hub.onUp(fresh);
    await ports.clock.settle();
  };
  const told: string[] = [];
  const listen = (key: string, name = key) =>
    hub.listen(key, { onToken: () => void told.push(name), onLost: () => void told.push(`${name} lost`) });
  const texts = () => commands.map(({ text }) => text);
  const answer = async (reply: unknown) => {
    commands.shift()?.resolve(reply);
    await ports.clock.settle();
  };
  const refuse = async (error: Error) => {
    commands.shift()?.reject(error);
    await ports.clock.settle();
  };
  await rise(session, 7);
  return {
    ports,
    hub,
    session,
    rise,
    told,
    listen,
    texts,
    answer,
    refuse,
    starts: () => starts,
    readonlyCount: () => readonlyCount,
  };
}

describe("the wake hub", () => {
  it("waits for nothing until somebody is armed, then for all who are, with one command", async () => {
    const { session, listen, ports, starts } = await setup();
    const [a, b] = [listen("a"), listen("b")];
    listen("c");
    await ports.clock.settle();
    expect([session.texts, starts()]).toEqual([[], 0]);
    a.arm();
    b.arm();
    await ports.clock.settle();
    expect(session.texts).toEqual(["BLPOP a b 5.000"]);
    expect(starts()).toBeGreaterThan(0);
  });

  it("waits for five beats and five seconds at most, in three decimals and never the zero that waits for ever", async () => {
    for (const [beatMs, text] of [
      [1, "BLPOP a 0.005"],
      [50, "BLPOP a 0.250"],
      [1000, "BLPOP a 5.000"],
      [5000, "BLPOP a 5.000"],
    ] as const) {
      const { session, listen, ports } = await setup(beatMs);
      listen("a").arm();
      await ports.clock.settle();
      expect(session.texts).toEqual([text]);
    }
  });

  it("waits again after a wait without a token", async () => {
    const { session, listen, ports, told } = await setup();
    listen("a").arm();
    await ports.clock.settle();
    session.answer(null);
    await ports.clock.settle();
    expect([session.texts, told]).toEqual([["BLPOP a 5.000"], []]);
  });

  it("repeats the unblocking until the wait has come back, because the two travel on different sockets", async () => {
    const { session, listen, ports, texts, answer } = await setup();
    listen("a").arm();
    await ports.clock.settle();
    listen("b").arm();
    await ports.clock.settle();
    expect(texts()).toEqual(["CLIENT UNBLOCK 7"]);
    await answer(0);
    await ports.clock.advance(1);
    expect(texts()).toEqual(["CLIENT UNBLOCK 7"]);
    await answer(1);
    session.answer(null);
    await ports.clock.advance(1000);
    expect(session.texts).toEqual(["BLPOP a b 5.000"]);
    expect(texts()).toEqual([]);
  });

  it("says it again when the command socket fails, and waits for a beat once the server forbids it", async () => {
    const { session, listen, ports, texts, refuse } = await setup();
    listen("a").arm();
    await ports.clock.settle();
    listen("b").arm();
    await ports.clock.settle();
    await refuse(new EchoMQError("disconnected", "gone"));
    expect(texts()).toEqual([]);
    await ports.clock.advance(1);
    expect(texts()).toEqual(["CLIENT UNBLOCK 7"]);
    await refuse(new EchoMQError("refused", "ERR unknown command 'CLIENT'"));
    expect(ports.logger.messages("info")).toEqual(["Waits end at the beat only: ERR unknown command 'CLIENT'"]);
    session.answer(null);
    await ports.clock.settle();
    expect(session.texts).toEqual(["BLPOP a b 1.000"]);
    listen("c").arm();
    await ports.clock.advance(1000);
    expect([session.texts, texts()]).toEqual([["BLPOP a b 1.000"], []]);
  });

  it("waits for a beat where the server tells no id to end the wait by", async () => {
    const { hub, listen, ports } = await setup();
    hub.onDown();
    await hub.prepare(() => Promise.reject(new EchoMQError("permission", "NOPERM")));
    const session = new FakeSession();
    hub.onUp(session);
    listen("a").arm();
    await ports.clock.settle();
    expect(session.texts).toEqual(["BLPOP a 1.000"]);
  });

  it("says nothing of a command socket that is closed for good", async () => {
    const { listen, ports, refuse } = await setup();
    listen("a").arm();
    await ports.clock.settle();
    listen("b").arm();
    await ports.clock.settle();
    await refuse(new EchoMQError("closed", "closed"));
    await ports.clock.advance(1000);
    expect(ports.logger.lines).toEqual([]);
  });

  it("delivers a token that came in place of the answer to the unblocking", async () => {
    const { session, listen, ports, told } = await setup();
    const a = listen("a");
    a.arm();
    await ports.clock.settle();
    listen("b").arm();
    await ports.clock.settle();
    session.answer(bytes("a", "1"));
    await ports.clock.settle();
    expect(told).toEqual(["a"]);
    expect(session.texts).toEqual(["BLPOP b 5.000"]);
  });

  it("puts the list that was served last at the end, so that it starves no other", async () => {
    const { session, listen, ports } = await setup();
    const a = listen("a");
    a.arm();
    listen("b").arm();
    await ports.clock.settle();
    session.answer(bytes("a", "1"));
    a.arm();
    await ports.clock.settle();
    expect(session.texts).toEqual(["BLPOP b a 5.000"]);
  });

  it("ends no wait for a listener that is armed again at once", async () => {
    const { session, listen, ports, texts } = await setup();
    const a = listen("a");
    a.arm();
    await ports.clock.settle();
    a.disarm();
    await ports.clock.advance(5);
    a.arm();
    await ports.clock.advance(100);
    expect(texts()).toEqual([]);
    a.disarm();
    await ports.clock.advance(10);
    expect(texts()).toEqual(["CLIENT UNBLOCK 7"]);
    session.answer(null);
    await ports.clock.settle();
    expect(session.texts).toEqual([]);
  });

  it("gives a token for a list that nobody is armed at any more to whoever is open there", async () => {
    const { session, listen, ports, told } = await setup();
    const a = listen("a", "first");
    listen("a", "second");
    a.arm();
    await ports.clock.settle();
    const closed = a.close();
    await closed;
    session.answer(bytes("a", "1"));
    expect(told).toEqual(["second"]);
  });

  it("gives a last token to the very place that is closing, and only then ends its close", async () => {
    const { session, listen, ports, told } = await setup();
    const a = listen("a");
    a.arm();
    await ports.clock.settle();
    const closed = a.close().then(() => void told.push("closed"));
    await ports.clock.settle();
    expect(told).toEqual([]);
    session.answer(bytes("a", "1"));
    await closed;
    expect(told).toEqual(["a", "closed"]);
    await ports.clock.settle();
    expect(session.texts).toEqual([]);
  });

  it("tells everybody of a loss, lets those go who close, and kills the lost connection if it is still the same", async () => {
    const { hub, session, rise, listen, ports, told, texts, answer } = await setup();
    const a = listen("a");
    const leaving = listen("a", "leaving");
    listen("b");
    a.arm();
    await ports.clock.settle();
    const closed = leaving.close();
    session.die();
    hub.onDown();
    await closed;
    expect(told).toEqual(["a lost", "b lost"]);
    const next = new FakeSession();
    await rise(next, 8);
    expect(texts()).toEqual(["CLIENT LIST ID 7"]);
    await answer("id=7 addr=x name=somebody:else age=1 \n");
    expect(texts()).toEqual([]);
    expect(next.texts).toEqual(["BLPOP a 5.000"]);

    next.die();
    hub.onDown();
    await rise(new FakeSession(), 9);
    const name = /echomq:\S+/.exec(await nameOf(hub))?.[0];
    expect(name).toMatch(/^echomq:test:1:1:\w+:blocking$/);
    expect(texts()).toEqual(["CLIENT LIST ID 8"]);
  });

  it("puts a token back that nobody is left for", async () => {
    const { hub, session, listen, ports, told, texts } = await setup();
    listen("a").arm();
    await ports.clock.settle();
    const closed = hub.close();
    session.answer(bytes("a", "1"));
    await closed;
    expect(told).toEqual([]);
    expect(texts()).toEqual(["CLIENT UNBLOCK 7", "LPUSH a 1"]);
  });

  it("closes in time although the wait does not come back", async () => {
    const { hub, listen, ports } = await setup();
    listen("a").arm();
    await ports.clock.settle();
    let isClosed = false;
    const closed = hub.close().then(() => {
      isClosed = true;
    });
    await ports.clock.advance(299);
    expect(isClosed).toBe(false);
    await ports.clock.advance(1);
    await closed;
  });

  it("keeps on when a listener fails", async () => {
    const { hub, session, ports, listen, told } = await setup();
    const bad = hub.listen("a", {
      onToken() {
        throw new Error("of the listener's own making");
      },
      onLost() {},
    });
    bad.arm();
    listen("b").arm();
    await ports.clock.settle();
    session.answer(bytes("a", "1"));
    await ports.clock.settle();
    session.answer(bytes("b", "1"));
    expect(told).toEqual(["b"]);
    expect(ports.logger.messages("error")).toEqual(["A wake listener failed."]);
  });

  it("tells that another server answers for its list, and waits a beat before it asks again", async () => {
    const redirects: string[] = [];
    const { session, listen, ports, texts } = await setup(50, (text) => redirects.push(text));
    listen("a").arm();
    await ports.clock.settle();
    session.refuse("MOVED 1 there:2");
    await ports.clock.advance(40);
    expect([redirects, session.texts, texts()]).toEqual([["MOVED 1 there:2"], [], []]);
    await ports.clock.advance(10);
    expect(session.texts).toEqual(["BLPOP a 0.250"]);
    expect(ports.logger.lines).toEqual([]);
  });

  it("says once a minute, not once a beat, that the server refuses to wait, and asks for another server if need be", async () => {
    const { ports, session, listen, texts, readonlyCount } = await setup();
    listen("a").arm();
    await ports.clock.settle();
    for (let beats = 0; beats < 30; beats++) {
      session.refuse(beats % 2 === 0 ? "NOREPLICAS not enough good replicas." : "READONLY replica.");
      await ports.clock.advance(1000);
    }
    expect(session.texts).toEqual(["BLPOP a 5.000"]);
    expect(ports.logger.messages("warn")).toEqual([
      "The server refused to wait for work: NOREPLICAS not enough good replicas.",
      "The server refused to wait for work: READONLY replica.",
    ]);
    // A busy server says nothing of the list, so the list is not looked at.
    expect([readonlyCount(), texts()]).toEqual([15, []]);
  });
});

/** The name that the hub gives to its next session. */
async function nameOf(hub: WakeHub): Promise<string> {
  let name = "";
  await hub.prepare((parts) => {
    if (parts[1] === "SETNAME") name = parts[2] ?? "";
    return Promise.resolve(1);
  });
  return name;
}
