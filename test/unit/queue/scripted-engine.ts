/**
 * An engine that answers what a test says, and remembers what it was asked.
 */

import type { Engine, EntryHandle, Reply, WakeHandle } from "../../../src/engine/engine.ts";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import type { Verb } from "../../../src/protocol/verbs.generated.ts";
import { WIRE_VERSION } from "../../../src/protocol/wire-version.ts";
import { createTestPorts, type TestPorts } from "../../../src/testing/test-ports.ts";

export interface Ask {
  readonly verb: Verb | "command";
  readonly keys: readonly string[];
  readonly args: readonly string[];
}

export class ScriptedEngine implements Engine {
  readonly kind: "embedded" | "valkey";
  readonly ports: TestPorts;
  readonly wireVersion: string = WIRE_VERSION;
  state: Engine["state"] = "ready";
  /** Everything that was asked, in order. */
  readonly asks: Ask[] = [];
  /** Answers an ask; by default every admission is taken and every other act answers 1. */
  answer: (ask: Ask) => Reply | Promise<Reply> = (ask) => (ask.verb === "ADMIT" ? [] : 1);

  constructor(ports: TestPorts = createTestPorts(), kind: "embedded" | "valkey" = "embedded") {
    this.ports = ports;
    this.kind = kind;
  }

  /** The acts of one verb. */
  actsOf(verb: Verb): Ask[] {
    return this.asks.filter((ask) => ask.verb === verb);
  }

  ready(): Promise<void> {
    return Promise.resolve();
  }

  act(verb: Verb, keys: readonly string[], args: readonly string[]): Promise<Reply> {
    return this.#ask({ verb, keys, args });
  }

  command(parts: readonly string[]): Promise<Reply> {
    return this.#ask({ verb: "command", keys: [], args: parts });
  }

  listenForWake(): WakeHandle {
    throw new Error("no queue listens for wake");
  }

  listenForEntries(): EntryHandle {
    throw new Error("no queue listens for entries");
  }

  subscribe(): never {
    throw new Error("no queue subscribes");
  }

  onState(): () => void {
    return () => undefined;
  }

  close(): Promise<void> {
    this.state = "closed";
    return Promise.resolve();
  }

  async #ask(ask: Ask): Promise<Reply> {
    this.asks.push(ask);
    return await this.answer(ask);
  }
}

/** A server that is away. */
export function away(): EchoMQError {
  return new EchoMQError("disconnected", "the connection was lost");
}

/** An answer that the test gives later. */
export function later(): { promise: Promise<Reply>; give: (reply: Reply) => void; refuse: (error: unknown) => void } {
  let give: (reply: Reply) => void = () => undefined;
  let refuse: (error: unknown) => void = () => undefined;
  const promise = new Promise<Reply>((resolve, reject) => {
    give = resolve;
    refuse = reject;
  });
  return { promise, give, refuse };
}

/** The error that a call throws or rejects with; fails when it does neither. */
export async function errorOf(call: () => unknown): Promise<EchoMQError> {
  try {
    await call();
  } catch (error) {
    return error as EchoMQError;
  }
  throw new Error("nothing was thrown");
}
