import { describe, expect, it } from "vitest";
import { DeferredEngine } from "../../src/deferred-engine.ts";
import type { Engine, EngineState, EntryHandle, WakeHandle } from "../../src/engine/engine.ts";
import { EchoMQError } from "../../src/protocol/errors.ts";
import { WIRE_VERSION } from "../../src/protocol/wire-version.ts";
import { createTestPorts } from "../../src/testing/test-ports.ts";
import { errorOf, ScriptedEngine } from "./queue/scripted-engine.ts";

/** An engine that also listens, and remembers what its wake handles were told. */
class ListeningEngine extends ScriptedEngine {
  readonly told: string[] = [];
  readonly stateListeners = new Set<(state: EngineState) => void>();

  override listenForWake(): WakeHandle {
    const told = this.told;
    told.push("listen");
    return {
      arm: () => void told.push("arm"),
      disarm: () => void told.push("disarm"),
      close: () => {
        told.push("close");
        return Promise.resolve();
      },
    };
  }

  override listenForEntries(): EntryHandle {
    const told = this.told;
    told.push("listen");
    return {
      arm: (after) => void told.push(`arm ${after}`),
      disarm: () => void told.push("disarm"),
      close: () => {
        told.push("close");
        return Promise.resolve();
      },
    };
  }

  override onState(listener?: (state: EngineState) => void): () => void {
    if (listener === undefined) return () => undefined;
    this.stateListeners.add(listener);
    return () => void this.stateListeners.delete(listener);
  }
}

function setup() {
  const ports = createTestPorts();
  const inner = new ListeningEngine(ports, "valkey");
  let arrive: (engine: Engine) => void = () => undefined;
  let fail: (error: Error) => void = () => undefined;
  const engine = new DeferredEngine({ kind: "valkey", ports, wireVersion: WIRE_VERSION }, () => {
    return new Promise((resolve, reject) => {
      arrive = resolve;
      fail = reject;
    });
  });
  return { engine, inner, ports, arrive: () => arrive(inner), fail: (error: Error) => fail(error) };
}

const LISTENER = { onToken: () => undefined, onLost: () => undefined };

describe("DeferredEngine", () => {
  it("keeps what is asked until the engine is there, in order", async () => {
    const { engine, inner, arrive } = setup();
    const replies = [engine.act("QPAUSE", ["k"], []), engine.command(["GET", "a"]), engine.act("QPAUSE", ["l"], [])];
    const ready = engine.ready();
    expect(engine.state).toBe("connecting");
    arrive();
    expect(await Promise.all(replies)).toEqual([1, 1, 1]);
    await ready;
    expect(inner.asks.map((ask) => ask.keys[0] ?? ask.args[0])).toEqual(["k", "GET", "l"]);
    expect(engine.state).toBe("ready");
  });

  it("passes calls straight on afterwards", async () => {
    const { engine, inner, arrive } = setup();
    arrive();
    await engine.ready();
    void engine.act("QPAUSE", ["k"], []);
    void engine.command(["GET", "a"]);
    expect(inner.asks).toHaveLength(2);
  });

  it("answers everything with the reason when the engine cannot be loaded", async () => {
    const { engine, fail } = setup();
    const states: EngineState[] = [];
    engine.onState((state) => states.push(state));
    const early = errorOf(() => engine.act("QPAUSE", ["k"], []));
    fail(new EchoMQError("invalid_option", "bad"));
    expect((await early).code).toBe("invalid_option");
    expect((await errorOf(() => engine.ready())).code).toBe("invalid_option");
    expect(engine.state).toBe("down");
    expect(engine.whyDown).toBeInstanceOf(Error);
    expect(states).toEqual(["down"]);
    await engine.close();
    expect(engine.state).toBe("closed");
  });

  it("remembers whether a wake place was armed, disarmed or closed before the engine came", async () => {
    const { engine, inner, arrive } = setup();
    const [armed, idle, closed] = [1, 2, 3].map(() => engine.listenForWake("wake", LISTENER));
    armed?.arm();
    idle?.arm();
    idle?.disarm();
    closed?.arm();
    await closed?.close();
    arrive();
    await engine.ready();
    expect(inner.told).toEqual(["listen", "arm", "listen"]);
    idle?.arm();
    armed?.disarm();
    await armed?.close();
    expect(inner.told.slice(3)).toEqual(["arm", "disarm", "close"]);
  });

  it("remembers above which id a place at a stream was armed before the engine came", async () => {
    const { engine, inner, arrive } = setup();
    const listener = { onEntry: () => undefined, onLost: () => undefined };
    const [armed, idle, closed] = [1, 2, 3].map(() => engine.listenForEntries("stream", listener));
    armed?.arm("1-1");
    armed?.arm("1-2");
    idle?.arm("1-1");
    idle?.disarm();
    closed?.arm("1-1");
    await closed?.close();
    arrive();
    await engine.ready();
    expect(inner.told).toEqual(["listen", "arm 1-2", "listen"]);
    idle?.arm("1-3");
    await armed?.close();
    expect(inner.told.slice(3)).toEqual(["arm 1-3", "close"]);
  });

  it("tells states to those who still listen when the engine comes", async () => {
    const { engine, inner, arrive } = setup();
    const stay = () => undefined;
    const stopLater = engine.onState(stay);
    engine.onState(() => undefined)();
    arrive();
    await engine.ready();
    expect([...inner.stateListeners]).toEqual([stay]);
    stopLater();
    expect(inner.stateListeners.size).toBe(0);
  });

  it("closes the engine although it was not there yet, and asks nothing of it any more", async () => {
    const { engine, inner, arrive } = setup();
    const states: EngineState[] = [];
    engine.onState((state) => states.push(state));
    const closing = engine.close();
    expect([engine.state, states]).toEqual(["closed", ["closed"]]);
    expect((await errorOf(() => engine.act("QPAUSE", ["k"], []))).code).toBe("closed");
    arrive();
    await closing;
    expect(inner.state).toBe("closed");
    expect(inner.asks).toEqual([]);
  });
});
