/** What the tests of claims that block share: clients that wait, calls as they stand on the wire, and who waits. */

import { bytesOf } from "../../../src/protocol/bytes.ts";
import type { Verb } from "../../../src/protocol/verbs.generated.ts";
import { SCRIPTS } from "../../../src/valkey/scripts.generated.ts";
import type { TestServer } from "../../server/start-server.ts";
import type { ReplyValue, WireClient } from "../../server/wire-client.ts";
import { until } from "../valkey/setup-engine.ts";
import { answerOf } from "./native-world.ts";

/** Longer than any test waits, in ms. */
export const LONG_MS = "600000";

/** An id of a job; numbers give ids in their order. */
export function idOf(number: number): string {
  return `JOB0Nb1VTbf${String(number).padStart(3, "0")}`;
}

/** An act by the native half. */
export function act(verb: Verb, keys: readonly string[], ...args: readonly (string | number)[]): string[] {
  return [`EMQ.${verb}`, String(keys.length), ...keys, ...args.map(String)];
}

/** The same act as a script, whole. */
export function script(verb: Verb, keys: readonly string[], ...args: readonly (string | number)[]): string[] {
  return ["EVAL", bytesOf(SCRIPTS[verb].text), String(keys.length), ...keys, ...args.map(String)];
}

/** The calls of one queue. */
export class Calls {
  readonly base: string;

  constructor(queue: string) {
    this.base = `emq:{${queue}}:`;
  }

  keys(...types: readonly string[]): string[] {
    return types.map((type) => `${this.base}${type}`);
  }

  row(number: number): string {
    return `${this.base}job:${idOf(number)}`;
  }

  enqueue(number: number): string[] {
    return act("ENQUEUE", [this.row(number), `${this.base}pending`], idOf(number), "x");
  }

  /** Admits jobs of a lane, or with the empty name flat ones. */
  admit(lane: string, ...numbers: readonly number[]): string[] {
    const rows = numbers.flatMap((number) => [idOf(number), "x", ...(lane === "" ? [] : [lane])]);
    return act("ADMIT", [this.base, `${this.base}pending`], lane === "" ? "" : "g", numbers.length, ...rows);
  }

  schedule(number: number, afterMs: number): string[] {
    return act("SCHEDULE", [this.row(number), `${this.base}schedule`], idOf(number), "x", "in", afterMs);
  }

  turn(want: number, ...rest: readonly (string | number)[]): string[] {
    const keys = this.keys("pending", "active", "schedule", "wake", "");
    return act("TURN", keys, "worker", "600000", want, ...rest);
  }

  claim(...rest: readonly (string | number)[]): string[] {
    return act("CLAIM", this.keys("pending", "active", ""), "600000", ...rest);
  }

  bclaim(size: number, ...rest: readonly (string | number)[]): string[] {
    return act("BCLAIM", this.keys("pending", "active", ""), "600000", size, ...rest);
  }

  complete(number: number): string[] {
    return act("COMPLETE", [`${this.base}active`, this.row(number), this.base], idOf(number), "1");
  }
}

/** The ids that a reply of any claim holds. */
export function idsOf(reply: ReplyValue): string[] {
  return (JSON.stringify(reply).match(/JOB0Nb1VTbf\d{3}/g) ?? []) as string[];
}

/** Clients of one server that wait, in the order in which they were asked to. */
export class Crowd {
  readonly #server: TestServer;
  readonly #eye: WireClient;
  readonly #clients: WireClient[] = [];

  constructor(server: TestServer, eye: WireClient) {
    this.#server = server;
    this.#eye = eye;
  }

  /** Has a client of its own ask, and resolves when it waits: to it, its id and its reply to come. */
  async wait(parts: readonly string[]): Promise<{ client: WireClient; id: string; reply: Promise<ReplyValue> }> {
    const client = await this.#server.client();
    this.#clients.push(client);
    const id = String(await client.command("CLIENT", "ID"));
    const before = await this.waiting();
    const reply = answerOf(client, parts);
    await this.untilWaiting(before + 1);
    return { client, id, reply };
  }

  /** How many clients the server holds blocked. */
  async waiting(): Promise<number> {
    const info = String(await this.#eye.command("INFO", "clients"));
    return Number(/^blocked_clients:(\d+)/m.exec(info)?.[1]);
  }

  async untilWaiting(count: number): Promise<void> {
    await until(async () => {
      const found = await this.waiting();
      return found === count || `${found} of ${count} wait`;
    });
  }

  /** Ends all clients, and resolves when none of them waits. */
  async close(): Promise<void> {
    for (const client of this.#clients.splice(0)) client.close();
    await this.untilWaiting(0);
  }
}
