/**
 * An engine whose code is still being loaded.
 *
 * The engine for servers brings a client library and the text of every script, which a program on the embedded engine,
 * and every browser, can do without. So it is imported when the first connection asks for it; but `new Queue()` is no
 * promise. This engine stands in its place: it keeps what is asked until the real one is there, and afterwards passes
 * every call straight on. It adds no order, bound or retry of its own: calls wait in the order in which they came, and
 * the import takes no more than a few milliseconds.
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
} from "./engine/engine.ts";
import type { Ports } from "./engine/ports.ts";
import type { Bytes } from "./protocol/bytes.ts";
import { EchoMQError } from "./protocol/errors.ts";
import type { Verb } from "./protocol/verbs.generated.ts";

/** Stands for an engine until it is loaded. */
export class DeferredEngine implements Engine {
  readonly kind: Engine["kind"];
  readonly wireVersion: string;
  readonly ports: Ports;
  readonly #loading: Promise<Engine>;
  /** Listeners that came before the engine did. */
  readonly #early = new Set<(state: EngineState) => void>();
  #engine: Engine | undefined;
  #isClosed = false;
  /** Why there will be no engine, once that is known. */
  #failure: { readonly cause: unknown } | undefined;

  /** @param load gives the engine; a rejection is what every call then answers. */
  constructor(place: Pick<Engine, "kind" | "ports" | "wireVersion">, load: () => Promise<Engine>) {
    this.kind = place.kind;
    this.ports = place.ports;
    this.wireVersion = place.wireVersion;
    this.#loading = load().then((engine) => this.#adopt(engine));
    this.#loading.catch((cause: unknown) => {
      this.#failure = { cause };
      for (const listener of this.#early) listener(this.state);
    });
  }

  get state(): EngineState {
    if (this.#isClosed) return "closed";
    return this.#engine?.state ?? (this.#failure === undefined ? "connecting" : "down");
  }

  get whyDown(): unknown {
    if (this.#isClosed) return undefined;
    return this.#failure === undefined ? this.#engine?.whyDown : this.#failure.cause;
  }

  /** The engine that this one stands for, once it is there. Rejects with the reason when there will be none. */
  loaded(): Promise<Engine> {
    return this.#loaded();
  }

  async ready(): Promise<void> {
    await (await this.#loaded()).ready();
  }

  act(verb: Verb, keys: readonly Bytes[], args: readonly Bytes[]): Promise<Reply> {
    return this.#engine?.act(verb, keys, args) ?? this.#loaded().then((engine) => engine.act(verb, keys, args));
  }

  command(parts: readonly Bytes[]): Promise<Reply> {
    return this.#engine?.command(parts) ?? this.#loaded().then((engine) => engine.command(parts));
  }

  async primaries(): Promise<readonly ((parts: readonly Bytes[]) => Promise<Reply>)[]> {
    const engine = await this.#loaded();
    return (await engine.primaries?.()) ?? [(parts) => engine.command(parts)];
  }

  listenForWake(key: Bytes, listener: WakeListener): WakeHandle {
    const listen = (engine: Engine): WakeHandle => engine.listenForWake(key, listener);
    return this.#engine === undefined ? new DeferredHandle<[]>(this.#loading, listen) : listen(this.#engine);
  }

  listenForEntries(key: Bytes, listener: EntryListener): EntryHandle {
    const listen = (engine: Engine): EntryHandle => engine.listenForEntries(key, listener);
    return this.#engine === undefined ? new DeferredHandle<[Bytes]>(this.#loading, listen) : listen(this.#engine);
  }

  async subscribe(channel: Bytes, onMessage: (payload: Bytes) => void): Promise<Subscription> {
    return await (await this.#loaded()).subscribe(channel, onMessage);
  }

  onState(listener: (state: EngineState) => void): () => void {
    if (this.#engine !== undefined) return this.#engine.onState(listener);
    let stop = (): void => void this.#early.delete(listener);
    this.#early.add(listener);
    this.#loading.then(
      (engine) => {
        // Whoever stopped listening before the engine came is no longer in the set.
        if (this.#early.delete(listener)) stop = engine.onState(listener);
      },
      () => undefined,
    );
    return () => stop();
  }

  async close(): Promise<void> {
    if (!this.#isClosed) {
      this.#isClosed = true;
      if (this.#engine === undefined) for (const listener of this.#early) listener("closed");
    }
    try {
      await (await this.#loading).close();
    } catch (error) {
      // An engine that never came needs no end; one that could not end says so.
      if (this.#engine !== undefined) throw error;
    }
  }

  #adopt(engine: Engine): Engine {
    this.#engine = engine;
    return engine;
  }

  #loaded(): Promise<Engine> {
    if (this.#isClosed) return Promise.reject(new EchoMQError("closed", "The engine was closed."));
    return this.#loading;
  }
}

/** What {@link DeferredHandle} stands for. `Armed` is what arming is told. */
interface Handle<Armed extends readonly unknown[]> {
  arm(...armed: Armed): void;
  disarm(): void;
  close(): Promise<void>;
}

/** A place at a wake list or a stream, before there is an engine: it remembers whether it is armed or closed. */
class DeferredHandle<Armed extends readonly unknown[]> implements Handle<Armed> {
  #handle: Handle<Armed> | undefined;
  #armed: Armed | undefined;
  #isClosed = false;

  constructor(loading: Promise<Engine>, listen: (engine: Engine) => Handle<Armed>) {
    loading.then(
      (engine) => {
        if (this.#isClosed) return;
        this.#handle = listen(engine);
        if (this.#armed !== undefined) this.#handle.arm(...this.#armed);
      },
      // Without an engine nothing ever comes; what the listener asks of it is told why.
      () => undefined,
    );
  }

  arm(...armed: Armed): void {
    this.#armed = armed;
    this.#handle?.arm(...armed);
  }

  disarm(): void {
    this.#armed = undefined;
    this.#handle?.disarm();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#handle?.close();
  }
}
