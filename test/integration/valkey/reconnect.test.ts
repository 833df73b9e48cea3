/** Connections that are lost, come back, or never come to be. */

import { fork } from "node:child_process";
import { describe, expect, it, onTestFinished } from "vitest";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import { freePort, startServer } from "../../server/start-server.ts";
import { useServer } from "../../server/use-server.ts";
import { errorOf, openEngine, recordingPorts, until, untilState, WAYS } from "./setup-engine.ts";

describe.each(WAYS)("connections by %s", (_name, way) => {
  const server = useServer({ tcp: true });
  const setup = async () => {
    await server().command("FLUSHALL");
    const ports = recordingPorts();
    const engine = openEngine({ connection: { ...way, url: server().url }, ports });
    await engine.ready();
    return { engine, ports };
  };

  it("serves calls again after its socket was killed, and says so by its state", async () => {
    const { engine } = await setup();
    const states: string[] = [];
    engine.onState((state) => states.push(state));
    const id = await engine.command(["CLIENT", "ID"]);
    await server().command("CLIENT", "KILL", "ID", String(id));
    await untilState(engine, "down");
    // Made while there is no connection: it waits and is served.
    expect(await engine.command(["PING"])).toBe("PONG");
    expect(states).toEqual(["down", "ready"]);
    expect(await engine.command(["CLIENT", "ID"])).not.toBe(id);
  });

  it("rejects what was in flight when the socket died, and runs nothing of it again", async () => {
    const { engine } = await setup();
    await engine.command(["CLIENT", "NO-EVICT", "on"]);
    const id = String(await engine.command(["CLIENT", "ID"]));
    const acts = [
      engine.command(["INCR", "before"]),
      engine.command(["CLIENT", "KILL", "ID", id, "SKIPME", "no"]),
      ...Array.from({ length: 20 }, () => engine.command(["INCR", "after"])),
    ];
    const ends = await Promise.allSettled(acts);
    expect(ends[0]).toEqual({ status: "fulfilled", value: 1 });
    for (const end of ends.slice(2)) {
      expect(end).toMatchObject({ status: "rejected", reason: { code: "disconnected", retryable: true } });
    }
    await engine.command(["PING"]);
    expect(await server().command("GET", "after")).toBeNull();
    expect(await server().command("GET", "before")).toBe("1");
  });

  it("waits for a server that is away, within the time of a call, and heals when it is back", async () => {
    const { engine, ports } = await setup();
    const patient = openEngine({ connection: { ...way, url: server().url }, commandTimeoutMs: 100 });
    await patient.ready();
    await server().kill();
    await Promise.all([untilState(engine, "down"), untilState(patient, "down")]);
    const error = await errorOf(patient.command(["PING"]));
    expect(error).toMatchObject({ code: "disconnected", retryable: true, details: { sent: false } });
    expect((error as EchoMQError).message).toMatch(
      /^There is no connection to valkey:\/\/127\.0\.0\.1:\d+\/0 \(.+\); nothing/,
    );
    const waiting = engine.command(["SET", "k", "v"]);
    await server().start();
    expect(await waiting).toBe("OK");
    expect(ports.logger.messages("warn").length).toBeLessThanOrEqual(7);
    expect(ports.logger.messages("info").at(-1)).toMatch(/^Connected to .+ again/);
  });

  it("fails calls at once while there is no connection, when asked to", async () => {
    await setup();
    const engine = openEngine({ connection: { ...way, url: server().url }, offline: "fail" });
    await engine.ready();
    await server().kill();
    await untilState(engine, "down");
    expect(await errorOf(engine.command(["PING"]))).toMatchObject({ code: "disconnected", details: { sent: false } });
    await server().start();
    await untilState(engine, "ready");
    expect(await engine.command(["PING"])).toBe("PONG");
  });

  it("begins without a server, says so in one line, and is ready when there is one", async () => {
    const port = await freePort();
    const ports = recordingPorts();
    const engine = openEngine({ connection: { ...way, host: "127.0.0.1", port }, ports });
    const ready = engine.ready();
    await until(() => ports.logger.messages("warn").length > 0);
    expect(engine.state).toBe("connecting");
    const late = await startServer({ args: ["--port", String(port)] });
    onTestFinished(() => late.stop());
    await ready;
    expect(engine.state).toBe("ready");
    const refusals = ports.logger.messages("warn").filter((line) => line.includes("ECONNREFUSED"));
    expect([refusals.length, ports.logger.messages("info").length]).toEqual([1, 1]);
  });

  it("takes a script that a restarted server has lost with it", async () => {
    const { engine } = await setup();
    const claim = () => engine.act("CLAIM", ["emq:{q}:pending", "emq:{q}:active", "emq:{q}:"], ["1000"]);
    expect(await claim()).toEqual([]);
    await server().restart();
    await until(
      async () => (await errorOf(engine.command(["NONE"]))) instanceof EchoMQError && engine.state === "ready",
    );
    expect(await claim()).toEqual([]);
  });

  it("keeps no socket and no timer after close, whatever it was doing", async () => {
    const { engine } = await setup();
    engine.listenForWake("emq:{q}:wake", { onToken() {}, onLost() {} }).arm();
    await engine.subscribe("channel", () => {});
    await until(async () => (await server().command("CLIENT", "LIST"))?.toString().includes("cmd=blpop") === true);
    const waiting = engine.ready();
    await waiting;
    await Promise.all([engine.close(), engine.close()]);
    expect(engine.state).toBe("closed");
    expect(await errorOf(engine.command(["PING"]))).toMatchObject({ code: "closed", retryable: false });
    expect(await errorOf(engine.act("MAXED", [], []))).toMatchObject({ code: "closed" });
    expect(await errorOf(engine.ready())).toMatchObject({ code: "closed" });
    expect(await errorOf(engine.subscribe("c", () => {}))).toMatchObject({ code: "closed" });
    await until(async () => {
      const list = String(await server().command("CLIENT", "LIST")).trim();
      return list.includes("\n") ? list : true;
    });
  });

  it("closes at once when the server is away, and refuses what waits", async () => {
    const port = await freePort();
    const engine = openEngine({ connection: { ...way, host: "127.0.0.1", port } });
    const waiting = errorOf(engine.command(["PING"]));
    const ready = errorOf(engine.ready());
    await engine.close();
    expect(await waiting).toMatchObject({ code: "closed" });
    expect(await ready).toMatchObject({ code: "closed" });
  });
});

describe("a process without a listener of its own", () => {
  const server = useServer({ tcp: true });

  it("lives through the loss of its server, and ends by itself after close", async () => {
    const child = fork(new URL("./lonely-process.mjs", import.meta.url), [server().url], {
      execArgv: [],
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    const output: string[] = [];
    child.stderr?.on("data", (text) => output.push(String(text)));
    const states: unknown[] = [];
    child.on("message", (state) => states.push(state));
    const ended = new Promise((resolve) => child.once("exit", resolve));
    await until(() => states.length === 1 || output.join(""));
    await server().kill();
    await until(() => states.length === 2 || output.join(""));
    await server().start();
    await until(() => states.length === 3 || output.join(""));
    expect(states).toEqual(["ready", "down", "ready"]);
    child.send("close");
    expect(await ended, output.join("")).toBe(0);
  });
});
