/**
 * An engine that holds every reply to the specification while a scenario runs on it.
 *
 * Whatever a scenario looks at, each of its acts is also judged by the reply schema of its verb and by the list of its
 * refusals, and what was exercised is remembered: a run that never used a verb proves nothing about it.
 */

import type {
  Engine,
  EngineState,
  EntryHandle,
  EntryListener,
  Reply,
  Subscription,
  WakeHandle,
  WakeListener,
} from "../engine/engine.ts";
import type { Ports } from "../engine/ports.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { type EchoMQError, isEchoMQError } from "../protocol/errors.ts";
import { isValidId } from "../protocol/id.ts";
import type { Verb } from "../protocol/verbs.generated.ts";
import { ExpectationError } from "./expectation.ts";
import { REFUSALS, REPLIES } from "./replies.generated.ts";
import { replyFault } from "./reply-schema.ts";

/** What a run has exercised so far. Engines of one run write to one record; the runner reads it. */
export interface Exercised {
  readonly verbs: Set<Verb>;
  /** `<verb> <text>` of each refusal that came. */
  readonly refusals: Set<string>;
}

/** A record of nothing. */
export function nothingExercised(): Exercised {
  return { verbs: new Set(), refusals: new Set() };
}

/** The refusals that an act may answer before its verb's own: shape, values, layout and the server's own type error. */
const COMMON_REFUSAL = /^ERR (?:wrong number of arguments for 'EMQ\.|EMQ\.)|^WRONGTYPE /;

export class CheckedEngine implements Engine {
  readonly kind: "embedded" | "valkey";
  readonly wireVersion: string;
  readonly ports: Ports;
  readonly #engine: Engine;
  readonly #exercised: Exercised;
  /** The first fault of any act, also when the scenario never looked at its outcome. */
  #fault: string | undefined;

  constructor(engine: Engine, exercised: Exercised) {
    this.kind = engine.kind;
    this.wireVersion = engine.wireVersion;
    this.ports = engine.ports;
    this.#engine = engine;
    this.#exercised = exercised;
  }

  get state(): EngineState {
    return this.#engine.state;
  }

  /** The first fault that was met, `undefined` for none. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** @throws ExpectationError when reply or refusal is not one that `spec/` names. */
  async act(verb: Verb, keys: readonly Bytes[], args: readonly Bytes[]): Promise<Reply> {
    let reply: Reply;
    try {
      reply = await this.#engine.act(verb, keys, args);
    } catch (error) {
      this.#judgeRefusal(verb, error);
      throw error;
    }
    this.#exercised.verbs.add(verb);
    const fault = replyFault(REPLIES[verb], reply);
    if (fault !== undefined) this.#fail(`${verb} broke its reply schema: ${fault}`);
    return reply;
  }

  async command(parts: readonly Bytes[]): Promise<Reply> {
    return await this.#engine.command(parts);
  }

  async ready(): Promise<void> {
    await this.#engine.ready();
  }

  listenForWake(key: Bytes, listener: WakeListener): WakeHandle {
    return this.#engine.listenForWake(key, listener);
  }

  listenForEntries(key: Bytes, listener: EntryListener): EntryHandle {
    return this.#engine.listenForEntries(key, listener);
  }

  async subscribe(channel: Bytes, onMessage: (payload: Bytes) => void): Promise<Subscription> {
    return await this.#engine.subscribe(channel, onMessage);
  }

  onState(listener: (state: EngineState) => void): () => void {
    return this.#engine.onState(listener);
  }

  async close(): Promise<void> {
    await this.#engine.close();
  }

  #judgeRefusal(verb: Verb, error: unknown): void {
    if (!isEchoMQError(error)) return;
    const { message } = error;
    const named = REFUSALS[verb].find((text) => isSaid(text, message));
    if (named !== undefined) this.#exercised.refusals.add(`${verb} ${named}`);
    else if (isRefusal(error) && !COMMON_REFUSAL.test(message)) {
      this.#fail(`${verb} refused with a text that its specification does not name: ${message}`);
    }
  }

  #fail(fault: string): never {
    this.#fault ??= fault;
    throw new ExpectationError(fault);
  }
}

/** Whether a message is the text that the specification names, in which `<id>` stands for any branded id. */
function isSaid(text: string, message: string): boolean {
  const [head = "", tail] = text.split("<id>");
  if (tail === undefined) return message === text;
  return message.startsWith(head) && isValidId(message.slice(head.length)) && tail === "";
}

/** Whether an error is the server's answer to the act, and not a lost connection or the like. */
function isRefusal(error: EchoMQError): boolean {
  return ["kind", "stale", "state", "locked", "rate", "refused"].includes(error.code);
}
