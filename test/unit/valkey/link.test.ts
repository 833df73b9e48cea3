import { describe, expect, it } from "vitest";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import { createTestPorts } from "../../../src/testing/test-ports.ts";
import type { Client, Session, SessionEvents } from "../../../src/valkey/client.ts";
import { BEAT_MS, BEAT_TIMEOUT_MS, Link } from "../../../src/valkey/link.ts";
import { tlsFault } from "../../../src/valkey/tls-fault.ts";
import { FakeSession } from "./fake-session.ts";

interface Setup {
  readonly prepare?: () => Promise<void>;
  readonly isBorrowed?: boolean;
  readonly isServerUp?: () => boolean;
}

function setup(options: Setup = {}) {
  const ports = createTestPorts();
  const opened: { session: FakeSession; events: SessionEvents }[] = [];
  const told: string[] = [];
  const client: Client = {
    name: "valkey://here",
    isBorrowed: () => options.isBorrowed ?? false,
    open(_role, events): Session {
      const session = new FakeSession();
      opened.push({ session, events });
      return session;
    },
  };
  const link = new Link({
    client,
    role: "command",
    ports,
    prepare: options.prepare ?? (() => Promise.resolve()),
    ...(options.isServerUp === undefined ? {} : { isServerUp: options.isServerUp }),
    onUp: () => void told.push("up"),
    onDown: (cause) => void told.push(`down: ${(cause as Error).message}`),
    onFinal: (error) => void told.push(`final: ${error.code}`),
  });
  const last = () => opened.at(-1) as (typeof opened)[number];
  const rise = async () => {
    last().events.onOpen();
    await ports.clock.settle();
  };
  return { ports, opened, told, link, last, rise };
}

describe("a link", () => {
  it("is up only when the session is open and prepared", async () => {
    const { link, told, rise, opened } = setup();
    link.start();
    link.start();
    expect(opened).toHaveLength(1);
    expect(told).toEqual([]);
    await rise();
    expect(told).toEqual(["up"]);
  });

  it("tries again in steps that double up to two seconds, with one line a minute in the log", async () => {
    const { link, opened, last, ports, told } = setup();
    link.start();
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 50; attempt++) {
      last().events.onEnd(new Error("connect ECONNREFUSED"));
      const before = ports.clock.now();
      const count = opened.length;
      while (opened.length === count) await ports.clock.advance(1);
      pauses.push(ports.clock.now() - before);
    }
    for (const [at, step] of [100, 200, 400, 800, 1600, 2000, 2000].entries()) {
      expect(pauses[at]).toBeGreaterThanOrEqual(step * 0.5);
      expect(pauses[at]).toBeLessThanOrEqual(step * 0.9);
    }
    expect(Math.max(...pauses)).toBeLessThanOrEqual(1800);
    expect(ports.logger.messages("warn")).toHaveLength(2);
    expect(told).toEqual([]);
  });

  it("begins the steps anew after a session that was up", async () => {
    const { link, last, rise, ports, opened, told } = setup();
    link.start();
    for (let attempt = 0; attempt < 6; attempt++) {
      last().events.onEnd(undefined);
      await ports.clock.advance(2000);
    }
    await rise();
    last().events.onEnd(new Error("ECONNRESET"));
    expect(told).toEqual(["up", "down: ECONNRESET"]);
    const count = opened.length;
    await ports.clock.advance(100);
    expect(opened).toHaveLength(count + 1);
    expect(ports.logger.messages("info")).toEqual(["Connected to valkey://here again."]);
  });

  it("gives up a socket that does not open, and one whose preparation fails, and tries again", async () => {
    const failing = { prepare: () => Promise.reject(new EchoMQError("server_busy", "LOADING")) };
    const { link, last, rise, ports, opened } = setup(failing);
    link.start();
    await ports.clock.advance(10_000);
    expect(last().session.ends).toEqual(["dead"]);
    last().events.onEnd(undefined);
    await ports.clock.advance(100);
    expect(opened).toHaveLength(2);
    await rise();
    expect(last().session.ends).toEqual(["closing"]);
    last().events.onEnd(undefined);
    await ports.clock.advance(200);
    expect(opened).toHaveLength(3);
    expect(ports.logger.messages("warn").at(-1)).toContain("LOADING");
  });

  it("ends for good on a refusal that no waiting mends", async () => {
    const refused = { prepare: () => Promise.reject(new EchoMQError("fence", "another wire")) };
    const { link, last, rise, ports, told, opened } = setup(refused);
    link.start();
    await rise();
    expect(told).toEqual(["final: fence"]);
    last().events.onEnd(undefined);
    await ports.clock.advance(60_000);
    expect(opened).toHaveLength(1);
    expect(ports.clock.timerCount).toBe(0);
  });

  it("ends for good when the server refuses the login", async () => {
    const { link, last, told, ports } = setup();
    link.start();
    last().events.onEnd(new EchoMQError("auth", "WRONGPASS"));
    await ports.clock.settle();
    expect(told).toEqual(["final: auth"]);
  });

  it("asks for a sign of life and ends a session that gives none within fifteen seconds (PB-022)", async () => {
    const { link, last, rise, ports } = setup();
    link.start();
    await rise();
    await ports.clock.advance(BEAT_MS);
    expect(last().session.texts).toEqual(["PING"]);
    last().session.refuse("NOPERM any answer is a sign of life");
    await ports.clock.advance(BEAT_MS);
    expect(last().session.texts).toEqual(["PING"]);
    expect(BEAT_MS + BEAT_TIMEOUT_MS).toBeLessThan(15_000);
    await ports.clock.advance(BEAT_TIMEOUT_MS - 1);
    expect(last().session.ends).toEqual([]);
    await ports.clock.advance(1);
    expect(last().session.ends).toEqual(["dead"]);
  });

  it("waits as long as it takes for a client that belongs to somebody else", async () => {
    const { link, last, rise, ports, told } = setup({ isBorrowed: true });
    link.start();
    await ports.clock.advance(3_600_000);
    expect(last().session.ends).toEqual([]);
    await rise();
    expect(told).toEqual(["up"]);
  });

  it("renews a session that takes no writes, seldom", async () => {
    const { link, last, rise, ports, told } = setup();
    link.start();
    link.renew();
    await rise();
    link.renew();
    expect(last().session.ends).toEqual(["closing"]);
    last().events.onEnd(undefined);
    expect(told.at(-1)).toBe("down: the server takes no writes");
    await ports.clock.advance(100);
    await rise();
    link.renew();
    expect(last().session.ends).toEqual([]);
    await ports.clock.advance(10_000);
    link.renew();
    expect(last().session.ends).toContain("closing");
  });

  it("closes in every state, without a timer left, and waits for the end of its socket", async () => {
    const idle = setup();
    await idle.link.close();
    idle.link.start();
    expect(idle.opened).toHaveLength(0);

    const pausing = setup();
    pausing.link.start();
    pausing.last().events.onEnd(undefined);
    await pausing.link.close();
    expect(pausing.ports.clock.timerCount).toBe(0);

    const opening = setup();
    opening.link.start();
    const late = opening.link.close();
    await opening.rise();
    opening.last().events.onEnd(undefined);
    await late;
    await opening.ports.clock.advance(60_000);
    expect([opening.told, opening.opened.length, opening.ports.clock.timerCount]).toEqual([[], 1, 0]);

    const up = setup();
    up.link.start();
    await up.rise();
    let isClosed = false;
    const closed = up.link.close().then(() => {
      isClosed = true;
    });
    await up.ports.clock.settle();
    expect([isClosed, up.last().session.ends]).toEqual([false, ["closing"]]);
    up.last().events.onEnd(undefined);
    await closed;
    expect(up.ports.clock.timerCount).toBe(0);
    expect(up.told).toEqual(["up"]);
  });

  it("ends for good by a fault of TLS that comes first, and goes on trying after a session that was up", async () => {
    const fault = () => tlsFault(Object.assign(new Error("expired"), { code: "CERT_HAS_EXPIRED" }));
    const first = setup();
    first.link.start();
    first.last().events.onEnd(fault());
    expect(first.told).toEqual(["final: invalid_connection"]);

    const later = setup();
    later.link.start();
    await later.rise();
    later.last().events.onEnd(fault());
    expect(later.told).toEqual(["up", expect.stringMatching(/^down: TLS with the server failed/)]);
    await later.ports.clock.advance(1000);
    expect(later.opened).toHaveLength(2);
  });

  it("opens a session anew elsewhere without a line in the log", async () => {
    const { link, opened, told, rise, last, ports } = setup();
    link.start();
    await rise();
    link.reopen("the slot has moved");
    expect(last().session.ends).toEqual(["closing"]);
    last().events.onEnd(undefined);
    await ports.clock.advance(100);
    await rise();
    expect(opened).toHaveLength(2);
    expect(told).toEqual(["up", "down: the slot has moved", "up"]);
    expect(ports.logger.lines).toEqual([]);
  });

  it("leaves it to the socket for commands to tell what both share, and tells what is its own", async () => {
    let isUp = false;
    const { link, last, ports, rise } = setup({ isServerUp: () => isUp });
    link.start();
    await rise();
    for (let tries = 0; tries < 5; tries++) {
      last().events.onEnd(new Error("connect ECONNREFUSED"));
      await ports.clock.advance(2000);
    }
    isUp = true;
    await rise();
    // The first failure may be the beginning of an outage that the other has not noticed yet.
    last().events.onEnd(new Error("read ECONNRESET"));
    expect(ports.logger.lines).toEqual([]);
    await ports.clock.advance(2000);
    last().events.onEnd(new Error("connect EACCES"));
    expect(ports.logger.messages("warn")).toEqual(["No connection to valkey://here: connect EACCES. Trying again."]);
    await ports.clock.advance(2000);
    await rise();
    expect(ports.logger.messages("info")).toEqual(["Connected to valkey://here again."]);
  });

  it("writes a few reasons of one outage and no more, however often they change", async () => {
    const { link, last, ports } = setup();
    link.start();
    for (let attempt = 0; attempt < 20; attempt++) {
      last().events.onEnd(new Error(`reason ${attempt}`));
      await ports.clock.advance(2000);
    }
    expect(ports.logger.messages("warn")).toHaveLength(5);
  });

  it("guesses that a port speaks TLS when it only ever hangs up", () => {
    const { link, last } = setup();
    link.start();
    last().events.onEnd(Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }));
    expect(String(link.cause)).toContain("valkeys://");
  });
});
