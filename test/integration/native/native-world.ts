/** What the tests of the native half share: calls as they stand on the wire, keys as bytes, and random acts. */

import { bytesOf } from "../../../src/protocol/bytes.ts";
import type { Verb } from "../../../src/protocol/verbs.generated.ts";
import { createRandom } from "../../../src/testing/test-ports.ts";
import { SCRIPTS } from "../../../src/valkey/scripts.generated.ts";
import { ActSource } from "../../differential/act-source.ts";
import type { ReplyValue, WireClient } from "../../server/wire-client.ts";

/** An id of a job. */
export const ID = "JOB0Nb1VTbfnu4";

/** The parts of an `ENQUEUE` of one job. */
export function enqueueOf(queue: string, id: string = ID, payload = "x"): string[] {
  return ["EMQ.ENQUEUE", "2", `emq:{${queue}}:job:${id}`, `emq:{${queue}}:pending`, id, payload];
}

/** The parts of a `CLAIM`. */
export function claimOf(queue: string): string[] {
  const base = `emq:{${queue}}:`;
  return ["EMQ.CLAIM", "3", `${base}pending`, `${base}active`, base, "30000"];
}

/** The parts of a `COMPLETE` of a job's first claim. */
export function completeOf(queue: string, id: string = ID): string[] {
  const base = `emq:{${queue}}:`;
  return ["EMQ.COMPLETE", "3", `${base}active`, `${base}job:${id}`, base, id, "1"];
}

/** The reply, or the text of the refusal. */
export async function answerOf(client: WireClient, parts: readonly string[]): Promise<ReplyValue> {
  try {
    return await client.command(...parts);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Every key of a server with what it holds, in order. Keys that expire are left out: they may do so at any moment. */
export async function dumpAll(client: WireClient): Promise<string[]> {
  const keys = ((await client.command("KEYS", "*")) as string[]).sort();
  const lines: string[] = [];
  for (const key of keys) {
    if (Number(await client.command("PTTL", key)) === -1) lines.push(`${key} ${await contentOf(client, key)}`);
  }
  return lines;
}

/** Members in an order of their own, since two hash tables of equal fields need not keep the same. */
async function contentOf(client: WireClient, key: string): Promise<string> {
  const type = String(await client.command("TYPE", key));
  const read: Record<string, string[]> = {
    string: ["GET", key],
    hash: ["HGETALL", key],
    list: ["LRANGE", key, "0", "-1"],
    set: ["SMEMBERS", key],
    zset: ["ZRANGE", key, "0", "-1", "WITHSCORES"],
    stream: ["XRANGE", key, "-", "+"],
  };
  const value = await client.command(...(read[type] ?? ["DUMP", key]));
  return `${type} ${JSON.stringify(type === "hash" ? pairsOf(value) : sortedIf(type === "set", value))}`;
}

function pairsOf(value: ReplyValue): string[] {
  const flat = value as string[];
  return flat.flatMap((field, at) => (at % 2 === 0 ? [`${field}\0${flat[at + 1]}`] : [])).sort();
}

function sortedIf(isSet: boolean, value: ReplyValue): ReplyValue {
  return isSet ? [...(value as string[])].sort() : value;
}

/** What calls an act: its name on the wire, or a script. */
export type Head = (verb: Verb) => readonly string[];

export const nativeHead: Head = (verb) => [`EMQ.${verb}`];

/** The acts as scripts, which are loaded into the server. */
export async function scriptHead(client: WireClient): Promise<Head> {
  const digests = new Map<string, string>();
  for (const [verb, { text }] of Object.entries(SCRIPTS)) {
    digests.set(verb, String(await client.command("SCRIPT", "LOAD", bytesOf(text))));
  }
  return (verb) => ["EVALSHA", digests.get(verb) ?? ""];
}

/** How a run of random acts begins. */
export interface PlayOptions {
  readonly seed: number;
  readonly steps: number;
}

/** Plays random acts on a server; answers how many were refused. */
export async function playActs(client: WireClient, options: PlayOptions): Promise<number> {
  const { seed, steps } = options;
  const source = new ActSource({ queue: "q", random: createRandom(seed), now: Date.now(), isForeign: false });
  let refused = 0;
  for (let at = 0; at < steps; at++) {
    const step = source.next();
    if (step.kind === "clock") continue;
    const parts =
      step.kind === "command"
        ? step.parts
        : [...nativeHead(step.verb), String(step.keys.length), ...step.keys, ...step.args];
    try {
      const reply = await client.command(...parts);
      if (step.kind === "act") source.learn(step, reply);
    } catch {
      refused += 1;
    }
  }
  return refused;
}
