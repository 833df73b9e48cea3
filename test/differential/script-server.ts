/**
 * A real server that runs the shipped scripts under a clock that the driver moves.
 *
 * The scripts read `TIME`, and two engines that read two clocks can never be compared to the millisecond. So the one
 * line that reads the clock reads a key of the driver instead; everything else is the shipped text. Then replies and
 * scores must be equal, and no tolerance hides a difference. That the shipped line reads the clock rightly is shown by
 * the conformance suite.
 */

import type { Engine, EntryHandle, Reply, Subscription, WakeHandle } from "../../src/engine/engine.ts";
import type { Ports } from "../../src/engine/ports.ts";
import { refusalError } from "../../src/engine/refusal.ts";
import { bytesOf } from "../../src/protocol/bytes.ts";
import type { Verb } from "../../src/protocol/verbs.generated.ts";
import { WIRE_VERSION } from "../../src/protocol/wire-version.ts";
import { SCRIPTS } from "../../src/valkey/scripts.generated.ts";
import type { TestServer } from "../server/start-server.ts";
import type { WireClient } from "../server/wire-client.ts";

/** The key that acts take the instant from. */
export const CLOCK_KEY = "driver:clock";

/** The lines of `tools/lua/prelude/now.lua` that read the clock. */
const CLOCK_LINES = /local clock = redis\.call\("TIME"\)\s+instant = [^\n]+/g;

/** An engine whose clock stands where it was set. */
export interface ClockedEngine extends Engine {
  /** Sets the clock that acts read, in Unix ms. */
  setClock(now: number): Promise<void>;
}

/** The engine contract over one raw connection, as far as the driver needs it. */
export class ScriptServer implements ClockedEngine {
  readonly kind = "valkey";
  readonly state = "ready";
  readonly wireVersion = WIRE_VERSION;
  readonly ports: Ports;
  readonly #client: WireClient;
  readonly #heads: ReadonlyMap<Verb, readonly string[]>;

  private constructor(ports: Ports, client: WireClient, heads: ReadonlyMap<Verb, readonly string[]>) {
    this.ports = ports;
    this.#client = client;
    this.#heads = heads;
  }

  /** Connects to a server that has loaded the native half with {@link CLOCK_KEY}. */
  static async openNative(server: TestServer, ports: Ports): Promise<ScriptServer> {
    const heads = (Object.keys(SCRIPTS) as Verb[]).map((verb): [Verb, readonly string[]] => [verb, [`EMQ.${verb}`]]);
    return new ScriptServer(ports, await server.client(), new Map(heads));
  }

  /** Connects and loads every script. */
  static async open(server: TestServer, ports: Ports): Promise<ScriptServer> {
    const client = await server.client();
    const heads = new Map<Verb, readonly string[]>();
    for (const [verb, { text }] of Object.entries(SCRIPTS)) {
      const reading = text.replace(CLOCK_LINES, `instant = tonumber(redis.call("GET", "${CLOCK_KEY}"))`);
      if (reading.includes('"TIME"')) throw new Error(`the clock of ${verb} is read in a line that the driver missed`);
      heads.set(verb as Verb, ["EVALSHA", String(await client.command("SCRIPT", "LOAD", bytesOf(reading)))]);
    }
    return new ScriptServer(ports, client, heads);
  }

  async setClock(now: number): Promise<void> {
    await this.#client.command("SET", CLOCK_KEY, String(now));
    // Expiry goes by the server's own clock, which is far behind: what has expired by this one is taken away.
    for (const ending of ["result", "limiter"]) {
      for (const key of (await this.#client.command("KEYS", `emq:*:${ending}`)) as string[]) {
        const at = Number(await this.#client.command("PEXPIRETIME", key));
        if (at >= 0 && at < now) await this.#client.command("DEL", key);
      }
    }
  }

  async act(verb: Verb, keys: readonly string[], args: readonly string[]): Promise<Reply> {
    const head = this.#heads.get(verb) ?? [];
    return await this.#ask([...head, String(keys.length), ...keys, ...args]);
  }

  async command(parts: readonly string[]): Promise<Reply> {
    return await this.#ask(parts);
  }

  async #ask(parts: readonly string[]): Promise<Reply> {
    try {
      return await this.#client.command(...parts);
    } catch (error) {
      throw refusalError(error instanceof Error ? error.message : String(error));
    }
  }

  async ready(): Promise<void> {}

  listenForWake(): WakeHandle {
    throw new Error("the driver waits for nothing");
  }

  listenForEntries(): EntryHandle {
    throw new Error("the driver waits for nothing");
  }

  subscribe(): Promise<Subscription> {
    throw new Error("the driver listens by an engine of its own");
  }

  onState(): () => void {
    return () => {};
  }

  async close(): Promise<void> {
    this.#client.close();
  }
}
