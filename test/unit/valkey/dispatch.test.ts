import { describe, expect, it } from "vitest";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import { scriptHead } from "../../../src/valkey/call.ts";
import { Dispatcher, type DispatcherOptions } from "../../../src/valkey/dispatch.ts";
import { FakeSession } from "./fake-session.ts";

const SCRIPT = { sha: "abc", text: "return 1" };

function setup(options: Partial<DispatcherOptions> = {}) {
  const ports = createTestPorts();
  const told: string[] = [];
  let readonlyCount = 0;
  const dispatcher = new Dispatcher({
    ports,
    name: "valkey://here",
    offline: "wait",
    timeoutMs: 5000,
    pendingMax: 10,
    whyDown: () => new Error("refused"),
    onReadonly: () => {
      readonlyCount += 1;
    },
    ...options,
  });
  const act = (name: string) =>
    dispatcher.start(
      { head: scriptHead(SCRIPT.sha, false), keys: [name], args: [], script: SCRIPT },
      {
        onDone: (reply) => void told.push(`${name}: ${String(reply)}`),
        onFailed: (error) => void told.push(`${name}: ${error.code}`),
      },
    );
  return { ports, told, dispatcher, act, session: new FakeSession(), readonlyCount: () => readonlyCount };
}

describe("the dispatcher", () => {
  it("keeps calls until there is a session and sends them in their order", () => {
    const { dispatcher, act, session, told } = setup();
    act("a");
    act("b");
    dispatcher.onUp(session);
    act("c");
    expect(session.texts).toEqual(["EVALSHA a", "EVALSHA b", "EVALSHA c"]);
    session.answer(1);
    session.answer(2);
    session.answer(3);
    expect(told).toEqual(["a: 1", "b: 2", "c: 3"]);
    expect(dispatcher.pendingCount).toBe(0);
  });

  it("rejects what was sent when the session is over and sends only what never was", () => {
    const { dispatcher, act, session, told } = setup();
    dispatcher.onUp(session);
    act("sent");
    session.isOpen = false;
    act("unsent");
    session.die();
    dispatcher.onDown(new Error("gone"));
    const next = new FakeSession();
    dispatcher.onUp(next);
    expect(told).toEqual(["sent: disconnected"]);
    expect(next.texts).toEqual(["EVALSHA unsent"]);
  });

  it("gives each call up at its deadline, by whether it was sent, and never later", async () => {
    const { dispatcher, act, session, told, ports } = setup();
    act("waiting");
    await ports.clock.advance(3000);
    dispatcher.onUp(session);
    act("later");
    await ports.clock.advance(1999);
    expect(told).toEqual([]);
    await ports.clock.advance(1);
    expect(told).toEqual(["waiting: timeout"]);
    dispatcher.onDown(undefined);
    expect(told).toEqual(["waiting: timeout", "later: disconnected"]);
    act("offline");
    await ports.clock.advance(5000);
    expect(told.at(-1)).toBe("offline: disconnected");
    expect(ports.clock.timerCount).toBe(0);
  });

  it("gives a call up in time although the clock of its host is set back", async () => {
    const { dispatcher, act, session, told, ports } = setup();
    dispatcher.onUp(session);
    act("before");
    await ports.clock.advance(1000);
    ports.clock.shift(-3_600_000);
    act("after");
    await ports.clock.advance(4000);
    expect(told).toEqual(["before: timeout"]);
    await ports.clock.advance(1000);
    expect(told).toEqual(["before: timeout", "after: timeout"]);
    expect(ports.clock.timerCount).toBe(0);
  });

  it("ends calls that wait for a connection in time although the clock of their host is set back", async () => {
    const { act, told, ports } = setup();
    act("before");
    await ports.clock.advance(1000);
    ports.clock.shift(-3_600_000);
    act("after");
    await ports.clock.advance(5000);
    expect(told).toEqual(["before: disconnected", "after: disconnected"]);
  });

  it("rejects in two seconds what has two seconds, and sends nothing of it later (PB-014)", async () => {
    const { dispatcher, act, session, told, ports } = setup({ timeoutMs: 2000 });
    act("a");
    await ports.clock.advance(1999);
    expect(told).toEqual([]);
    await ports.clock.advance(1);
    expect(told).toEqual(["a: disconnected"]);
    dispatcher.onUp(session);
    await ports.clock.advance(60_000);
    expect([session.texts, told]).toEqual([[], ["a: disconnected"]]);
  });

  it("fails calls at once while there is no session, when asked to", () => {
    const { dispatcher, act, session, told } = setup({ offline: "fail" });
    act("early");
    dispatcher.onUp(session);
    act("sent");
    session.answer(1);
    dispatcher.onDown(undefined);
    act("late");
    expect(told).toEqual(["early: disconnected", "sent: 1", "late: disconnected"]);
  });

  it("loads a missing script once for all calls that missed it, and leaves later ones alone", () => {
    const { dispatcher, act, session, told } = setup();
    dispatcher.onUp(session);
    for (const name of ["a", "b", "c"]) act(name);
    session.refuse("NOSCRIPT No matching script.");
    session.refuse("NOSCRIPT No matching script.");
    act("d");
    session.refuse("NOSCRIPT No matching script.");
    expect(session.texts).toEqual(["SCRIPT abc LOAD return 1", "EVALSHA a", "EVALSHA b", "EVALSHA d", "EVALSHA c"]);
    session.answer("abc");
    for (const reply of [1, 2, 4, 3]) session.answer(reply);
    expect(told).toEqual(["a: 1", "b: 2", "d: 4", "c: 3"]);
  });

  it("loads again when the scripts were flushed again, but not for ever", () => {
    const { dispatcher, act, session, told } = setup();
    dispatcher.onUp(session);
    act("a");
    let loads = 0;
    while (session.sent.length > 0) {
      if (session.texts[0]?.startsWith("SCRIPT") === true) {
        loads += 1;
        session.answer("abc");
      } else session.refuse("NOSCRIPT No matching script.");
    }
    expect(loads).toBe(5);
    expect(told).toEqual(["a: refused"]);
  });

  it("tells why a script could not be loaded", () => {
    const { dispatcher, act, session, told } = setup();
    dispatcher.onUp(session);
    act("a");
    while (session.sent.length > 0) {
      session.refuse(session.texts[0]?.startsWith("SCRIPT") === true ? "NOPERM no load" : "NOSCRIPT none");
    }
    expect(told).toEqual(["a: permission"]);
  });

  it("sends a call again to a busy server with growing pauses, and gives up at the deadline", async () => {
    const { dispatcher, act, session, told, ports } = setup({ timeoutMs: 300 });
    dispatcher.onUp(session);
    act("a");
    session.refuse("LOADING the dataset");
    expect(session.texts).toEqual([]);
    await ports.clock.advance(10);
    expect(session.texts).toEqual(["EVALSHA a"]);
    session.refuse("TRYAGAIN");
    await ports.clock.advance(20);
    session.answer(7);
    expect(told).toEqual(["a: 7"]);

    act("b");
    let sends = 0;
    while (told.length === 1) {
      if (session.sent.length > 0) {
        sends += 1;
        session.refuse("BUSY running a script");
      }
      await ports.clock.advance(5);
    }
    expect(told).toEqual(["a: 7", "b: server_busy"]);
    expect(sends).toBeLessThan(8);
    expect(ports.clock.timerCount).toBe(0);
  });

  it("does not send in the last share of a call's time, so that a refusal stays one that is known", async () => {
    const { dispatcher, act, session, told, ports } = setup({ timeoutMs: 1000 });
    dispatcher.onUp(session);
    const startedAt = ports.clock.now();
    act("a");
    let lastSentMs = 0;
    for (let ms = 0; ms < 1000; ms++) {
      if (session.sent.length > 0) {
        lastSentMs = ports.clock.now() - startedAt;
        session.refuse("NOREPLICAS not enough good replicas");
      }
      await ports.clock.advance(1);
    }
    expect(told).toEqual(["a: server_busy"]);
    expect(lastSentMs).toBeGreaterThan(300);
    expect(lastSentMs).toBeLessThan(950);
  });

  it("tells of a call that got no answer what the server said before", async () => {
    const { dispatcher, session, ports } = setup({ timeoutMs: 1000 });
    const errors: EchoMQError[] = [];
    dispatcher.onUp(session);
    dispatcher.start(
      { head: scriptHead(SCRIPT.sha, false), keys: ["a"], args: [], script: SCRIPT },
      { onDone() {}, onFailed: (error) => void errors.push(error) },
    );
    session.refuse("BUSY running a script");
    await ports.clock.advance(1000);
    expect(errors[0]).toMatchObject({
      code: "timeout",
      message: "valkey://here did not answer within 1000 ms. Before, it said: BUSY running a script",
      details: { sent: true },
    });
  });

  it("lets a call that rests survive the end of the session, because nothing of it happened", async () => {
    const { dispatcher, act, session, told, ports } = setup();
    dispatcher.onUp(session);
    act("a");
    session.refuse("READONLY You can't write against a read only replica.");
    dispatcher.onDown(undefined);
    await ports.clock.advance(100);
    const next = new FakeSession();
    dispatcher.onUp(next);
    next.answer(1);
    expect(told).toEqual(["a: 1"]);
  });

  it("says that the server takes no writes, since it may be the wrong one", () => {
    const { dispatcher, act, session, readonlyCount } = setup();
    dispatcher.onUp(session);
    act("a");
    session.refuse("READONLY You can't write against a read only replica.");
    expect(readonlyCount()).toBe(1);
  });

  it("refuses one call more than may be pending", () => {
    const { dispatcher, act, session, told } = setup({ pendingMax: 2 });
    dispatcher.onUp(session);
    act("a");
    act("b");
    act("c");
    session.answer(1);
    act("d");
    expect(told).toEqual(["c: overloaded", "a: 1"]);
    expect(session.texts).toEqual(["EVALSHA b", "EVALSHA d"]);
  });

  it("refuses everything, now and later, with the first reason that it was given", () => {
    const { dispatcher, act, session, told, ports } = setup();
    dispatcher.onUp(session);
    act("a");
    dispatcher.refuse(new EchoMQError("fence", "x"));
    dispatcher.refuse(new EchoMQError("closed", "y"));
    act("b");
    session.answer(1);
    expect(told).toEqual(["a: fence", "b: fence"]);
    expect(ports.clock.timerCount).toBe(0);
  });
});
