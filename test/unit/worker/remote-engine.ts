/**
 * The embedded engine as if it stood on another machine: every act and command takes a while, and a test can cut the
 * way to it, lose replies, refuse acts and lose the blocking connection. All on virtual time.
 */

import { EmbeddedEngine } from "../../../src/embedded/embedded-engine.ts";
import type {
  Engine,
  EngineState,
  EntryHandle,
  EntryListener,
  Reply,
  Subscription,
  WakeHandle,
  WakeListener,
} from "../../../src/engine/engine.ts";
import { EchoMQError } from "../../../src/protocol/errors.ts";
import type { Verb } from "../../../src/protocol/verbs.generated.ts";
import type { TestPorts } from "../../../src/testing/test-ports.ts";

/** One act as it was sent. */
export interface SentAct {
  readonly verb: Verb;
  readonly args: readonly string[];
  readonly at: number;
}

/** What happens to an act: `before` it is lost on the way, `after` its reply is, `never` no answer ever comes. */
export type Fault = { readonly error: EchoMQError; readonly when: "before" | "after" } | "never";

export class RemoteEngine implements Engine {
  readonly kind = "valkey";
  readonly ports: TestPorts;
  readonly store: EmbeddedEngine;
  readonly wireVersion: string;
  state: EngineState = "ready";
  whyDown: unknown;
  /** One way takes so long, in ms; 0 answers within the step. */
  latencyMs = 0;
  readonly acts: SentAct[] = [];
  /** Plain commands as they were sent. */
  readonly commands: (readonly string[])[] = [];
  /** Asked before each act; answers what goes wrong with it. */
  faultOf: (act: SentAct) => Fault | undefined = () => undefined;
  /** Engine state that `ready` waits for; rejects when it is an error. */
  readyFault: EchoMQError | undefined;
  armedCount = 0;
  /** Whether every token vanishes on its way. */
  losesTokens = false;
  /** Whether every message of a channel vanishes on its way. */
  losesMessages = false;
  readonly #readyRejections: ((error: EchoMQError) => void)[] = [];
  readonly #listeners = new Set<(state: EngineState) => void>();
  readonly #wakeListeners = new Set<WakeListener>();
  readonly #entryListeners = new Set<EntryListener>();

  constructor(ports: TestPorts, store: EmbeddedEngine = new EmbeddedEngine({ ports })) {
    this.ports = ports;
    this.store = store;
    this.wireVersion = store.wireVersion;
  }

  /** Acts of one verb. */
  sent(verb: Verb): SentAct[] {
    return this.acts.filter((act) => act.verb === verb);
  }

  setState(state: EngineState): void {
    this.state = state;
    for (const listener of this.#listeners) listener(state);
  }

  /** The server is away: acts fail as a lost connection makes them. */
  goDown(): void {
    this.setState("down");
    for (const listener of this.#wakeListeners) listener.onLost();
    for (const listener of this.#entryListeners) listener.onLost();
  }

  comeBack(): void {
    this.setState("ready");
  }

  /** The server will never serve this process again: who waits for it is told. */
  refuse(error: EchoMQError): void {
    this.readyFault = error;
    for (const reject of this.#readyRejections.splice(0)) reject(error);
  }

  async ready(): Promise<void> {
    if (this.readyFault !== undefined) throw this.readyFault;
    if (this.state === "ready") return;
    await new Promise<void>((resolve, reject) => {
      this.#readyRejections.push(reject);
      const stop = this.onState((state) => {
        if (state !== "ready") return;
        stop();
        resolve();
      });
    });
  }

  async act(verb: Verb, keys: readonly string[], args: readonly string[]): Promise<Reply> {
    const sent = { verb, args: [...args], at: this.ports.clock.now() };
    this.acts.push(sent);
    if (this.state !== "ready") throw new EchoMQError("disconnected", "the server is away");
    const fault = this.faultOf(sent);
    await this.#travel();
    if (fault === "never") return await new Promise<Reply>(() => {});
    if (fault?.when === "before") throw fault.error;
    const reply = await this.store.act(verb, keys, args);
    await this.#travel();
    if (fault !== undefined) throw fault.error;
    return reply;
  }

  async command(parts: readonly string[]): Promise<Reply> {
    this.commands.push([...parts]);
    if (this.state !== "ready") throw new EchoMQError("disconnected", "the server is away");
    await this.#travel();
    return await this.store.command(parts);
  }

  listenForWake(key: string, listener: WakeListener): WakeHandle {
    this.#wakeListeners.add(listener);
    const handle: WakeHandle = this.store.listenForWake(key, {
      onToken: () => {
        // Whoever waits learns nothing, and waits on.
        if (this.losesTokens) handle.arm();
        else listener.onToken();
      },
      onLost: () => listener.onLost(),
    });
    return {
      arm: () => {
        this.armedCount += 1;
        handle.arm();
      },
      disarm: () => handle.disarm(),
      close: () => {
        this.#wakeListeners.delete(listener);
        return handle.close();
      },
    };
  }

  listenForEntries(key: string, listener: EntryListener): EntryHandle {
    this.#entryListeners.add(listener);
    const handle = this.store.listenForEntries(key, listener);
    return {
      arm: (after) => handle.arm(after),
      disarm: () => handle.disarm(),
      close: () => {
        this.#entryListeners.delete(listener);
        return handle.close();
      },
    };
  }

  subscribe(channel: string, onMessage: (payload: string) => void): Promise<Subscription> {
    return this.store.subscribe(channel, (payload) => {
      if (!this.losesMessages) onMessage(payload);
    });
  }

  onState(listener: (state: EngineState) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): Promise<void> {
    return this.store.close();
  }

  async #travel(): Promise<void> {
    if (this.latencyMs === 0) return;
    await new Promise<void>((resolve) => {
      this.ports.clock.after(this.latencyMs, resolve, { background: true });
    });
  }
}

/** The failure of a connection that broke. */
export function broken(): EchoMQError {
  return new EchoMQError("disconnected", "the connection was lost");
}
