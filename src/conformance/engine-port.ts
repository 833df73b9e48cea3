/**
 * The port of any engine, made of its own commands.
 *
 * A server is asked for its clock and told to forget scripts and to kill connections; an engine in process has neither
 * socket nor script cache and answers by going on. Waiting sets one timer for what is left by the server's clock and
 * looks again, because the host's clock and the server's need not agree.
 */

import type { Engine, Reply } from "../engine/engine.ts";
import { createMinter, type Minter } from "../protocol/mint.ts";
import { WIRE_VERSION } from "../protocol/wire-version.ts";
import { readServerNow } from "../queue/server-clock.ts";
import type { ConformanceConnection, ConformancePort } from "./port.ts";

/** Node numbers of ids. */
const NODES = 1024;

/** Rest between two looks whether a broken connection is back, in ms. */
const LOOK_MS = 10;

/** Longest time in which a broken connection has its subscriptions again, in ms. */
const RESUBSCRIBE_MS_MAX = 10_000;

/** How an {@link EnginePort} reaches its engine. */
export interface EnginePortOptions {
  readonly engine: Engine;
  /** Opens a further engine on the same server; it is closed by the port. Default: the engine itself. */
  readonly open?: () => Promise<Engine>;
  /** Moves the server's clock; default: waits for it. */
  readonly advance?: (ms: number) => Promise<void>;
  /** What the fence key must hold; default this release's wire version. */
  readonly wireVersion?: string;
}

/** The port of one engine, which whoever made it closes. */
export class EnginePort implements ConformancePort {
  readonly engine: Engine;
  readonly wireVersion: string;
  readonly mint: Minter;
  readonly #options: EnginePortOptions;

  constructor(options: EnginePortOptions) {
    const { clock, random } = options.engine.ports;
    this.engine = options.engine;
    this.wireVersion = options.wireVersion ?? WIRE_VERSION;
    this.mint = createMinter({ node: Math.floor(random() * NODES), clock: () => clock.now() });
    this.#options = options;
  }

  async open(): Promise<ConformanceConnection> {
    const { open } = this.#options;
    if (open === undefined) return new SharedConnection(this.engine);
    const before = await subscriberIds(this.engine);
    return new ServerConnection(this.engine, await open(), before);
  }

  async flush(): Promise<void> {
    if (this.engine.kind === "valkey") await this.engine.command(["SCRIPT", "FLUSH"]);
  }

  async serverNow(): Promise<number> {
    if (this.engine.kind === "embedded") return this.engine.ports.clock.now();
    return await readServerNow(this.engine);
  }

  async advance(ms: number): Promise<void> {
    if (this.#options.advance !== undefined) return await this.#options.advance(ms);
    const until = (await this.serverNow()) + ms;
    for (let left = ms; left > 0; left = until - (await this.serverNow())) await pause(this.engine, left);
  }

  async lacks(command: string): Promise<string | undefined> {
    try {
      const info = (await this.engine.command(["COMMAND", "INFO", command])) as readonly Reply[];
      return info[0] === null ? `the server has no ${command}` : undefined;
    } catch {
      return await this.#lacksByTrial(command);
    }
  }

  /** A server that cannot list its commands refuses one that it has for its arguments, and else for its name. */
  async #lacksByTrial(command: string): Promise<string | undefined> {
    try {
      await this.engine.command([command]);
      return undefined;
    } catch (error) {
      const isUnknown = error instanceof Error && error.message.includes("unknown command");
      return isUnknown ? `the server has no ${command}` : undefined;
    }
  }
}

/** A connection of an engine in process: the engine itself, which outlives whoever uses it. */
class SharedConnection implements ConformanceConnection {
  readonly engine: Engine;

  constructor(engine: Engine) {
    this.engine = engine;
  }

  async drop(): Promise<void> {
    await this.reopen();
  }

  async reopen(): Promise<void> {
    await this.engine.ready();
  }

  async close(): Promise<void> {
    await this.reopen();
  }
}

/**
 * A connection of its own to a server, which another connection can kill.
 *
 * The server may be a shared one, so only what must be ours is killed: the socket that answers its own id, and
 * subscribers that came after this connection was opened.
 */
class ServerConnection implements ConformanceConnection {
  readonly engine: Engine;
  readonly #observer: Engine;
  /** Subscribers that were there before. */
  readonly #before: ReadonlySet<string>;
  /** Subscribers of ours that were killed last; all of them come back. */
  #killed: readonly string[] = [];

  constructor(observer: Engine, engine: Engine, before: ReadonlySet<string>) {
    this.engine = engine;
    this.#observer = observer;
    this.#before = before;
  }

  async drop(): Promise<void> {
    const own = String(await this.engine.command(["CLIENT", "ID"]));
    this.#killed = await this.#subscribers();
    for (const id of [...this.#killed, own]) await this.#observer.command(["CLIENT", "KILL", "ID", id]);
  }

  async reopen(): Promise<void> {
    // The first command after the drop may be the one that finds the socket gone.
    for (;;) {
      try {
        await this.engine.ready();
        await this.engine.command(["PING"]);
        break;
      } catch (error) {
        if (this.engine.state === "closed") throw error;
        await pause(this.engine, LOOK_MS);
      }
    }
    await this.#resubscribe();
  }

  /**
   * Each socket waits for its own time before it tries again, by the host's clock, which goes its own way where the
   * server's is a virtual one. Gives up after {@link RESUBSCRIBE_MS_MAX}: what is missing then fails where it matters.
   */
  async #resubscribe(): Promise<void> {
    const { clock } = this.engine.ports;
    const giveUpAt = clock.now() + RESUBSCRIBE_MS_MAX;
    while (clock.now() < giveUpAt) {
      const there = (await this.#subscribers()).filter((id) => !this.#killed.includes(id));
      if (there.length >= this.#killed.length) return;
      await pause(this.engine, LOOK_MS);
    }
  }

  /** Ids of subscribers that came after this connection was opened. */
  async #subscribers(): Promise<string[]> {
    return [...(await subscriberIds(this.#observer))].filter((id) => !this.#before.has(id));
  }

  async close(): Promise<void> {
    await this.engine.close();
  }
}

/** Ids of the clients that listen to channels. */
async function subscriberIds(engine: Engine): Promise<Set<string>> {
  const list = String(await engine.command(["CLIENT", "LIST", "TYPE", "PUBSUB"]));
  return new Set([...list.matchAll(/^id=(\d+)/gm)].map((match) => match[1] ?? ""));
}

/** Waits by the host's clock. */
async function pause({ ports }: Engine, ms: number): Promise<void> {
  await new Promise<void>((resolve) => ports.clock.after(ms, resolve));
}
