/** Whatever is sent, the native half neither ends the server nor writes anything in a call that it refuses. */

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VERBS, type Verb } from "../../../src/protocol/verbs.generated.ts";
import { createRandom } from "../../../src/testing/test-ports.ts";
import { nativeModule, whyNoNative } from "../../server/native-module.ts";
import { startServer, type TestServer } from "../../server/start-server.ts";
import type { WireClient } from "../../server/wire-client.ts";

const CALLS = 4000;
const ANY_CALLS = 1500;
const BASE = "emq:{q}:";
const IDS = ["JOB0Nb1VTbfnu4", "JOB0Nb1VTbfnu5", "ORG0Nb1VTbfnu4", "JOB", ""];
const WORDS = [
  ...IDS,
  "0",
  "1",
  "2",
  "-1",
  "100",
  "9007199254740991",
  "9007199254740992",
  "x",
  "n",
  "g",
  "dmt",
  "p",
  "c",
  "f",
];
const ODD = ["\0", "{", "}", "\u00ff\u00fe", "1e9", "inf", "nan", " 1", "0x10", "x".repeat(300), "w", "keep", "window"];

const why = whyNoNative();

describe.skipIf(why !== undefined)(`the native half under any call${why === undefined ? "" : ` (${why})`}`, () => {
  let server: TestServer;
  let client: WireClient;

  beforeAll(async () => {
    server = await startServer({
      args: ["--loadmodule", nativeModule()],
      config: { "enable-debug-command": "local" },
    });
    client = await server.client();
  }, 120_000);

  afterAll(async () => {
    client?.close();
    await server?.stop();
  });

  it.each([3, 4, 5])(
    "keeps every key as it is when it refuses, seed %i",
    async (seed) => {
      const random = createRandom(seed);
      const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
      const verbs = Object.keys(VERBS) as Verb[];
      await client.command("FLUSHALL");
      await client.command("SET", `${BASE}ring`, "foreign");
      await client.command("HSET", `${BASE}job:${IDS[1]}`, "state", "active", "attempts", "many");
      await client.command("ZADD", `${BASE}pending`, "0", String(IDS[1]), "1.5", "stray");
      let refused = 0;
      for (let at = 0; at < CALLS; at++) {
        const verb = pick(verbs);
        const args = Array.from({ length: Math.floor(random() * 8) }, () => pick(random() < 0.8 ? WORDS : ODD));
        const keys = keysOf(verb, args, random, pick);
        const before = await client.command("DEBUG", "DIGEST");
        const error = await refusalOf(client, [`EMQ.${verb}`, String(keys.length), ...keys, ...args]);
        if (error === undefined) continue;
        refused += 1;
        // A fault of the module itself would be one of its acts that met what it does not reckon with.
        expect(error, `${verb} ${JSON.stringify([keys, args])}`).not.toContain("fault of the module");
        if (error.startsWith("EMQ") || error.startsWith("ERR EMQ.") || error.startsWith("ERR wrong")) {
          expect(await client.command("DEBUG", "DIGEST"), `${verb} ${error} ${JSON.stringify([keys, args])}`).toBe(
            before,
          );
        }
      }
      expect(refused).toBeGreaterThan(CALLS / 10);
      expect(await client.command("PING")).toBe("PONG");
    },
    300_000,
  );

  it("answers any bytes in any place, also where the number of keys belongs, and writes nothing when it refuses", async () => {
    await client.command("FLUSHALL");
    await client.command("HSET", `${BASE}job:${IDS[1]}`, "state", "active", "attempts", "many");
    const word = fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...WORDS, ...ODD) },
      {
        weight: 2,
        arbitrary: fc.constantFrom(BASE, `${BASE}pending`, `${BASE}active`, `${BASE}job:${IDS[0]}`, `${BASE}meta`),
      },
      { weight: 2, arbitrary: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("latin1")) },
      { weight: 1, arbitrary: fc.integer({ min: 200, max: 70_000 }).map((length) => "\u00ff".repeat(length)) },
    );
    const call = fc.tuple(fc.constantFrom(...Object.keys(VERBS), "FENCE"), fc.array(word, { maxLength: 30 }));
    const property = fc.asyncProperty(call, async ([verb, words]) => {
      const before = [await client.command("DEBUG", "DIGEST"), await client.command("DBSIZE")];
      const error = await refusalOf(client, [`EMQ.${verb}`, ...words]);
      if (error === undefined) return;
      expect(error).not.toContain("fault of the module");
      expect([await client.command("DEBUG", "DIGEST"), await client.command("DBSIZE")]).toEqual(before);
    });
    await fc.assert(property, { numRuns: ANY_CALLS });
    expect(await client.command("PING")).toBe("PONG");
  }, 300_000);
});

/** Mostly the keys that the call should have, at times with one of another queue, of another type, or too few. */
function keysOf(
  verb: Verb,
  args: readonly string[],
  random: () => number,
  pick: <T>(items: readonly T[]) => T,
): readonly string[] {
  const keys = VERBS[verb].keys.map(
    ({ type, id }) => `${BASE}${type.replace(/<\w+>/, id === undefined ? String(IDS[0]) : (args[id] ?? ""))}`,
  );
  if (random() < 0.9) return keys;
  const at = Math.floor(random() * keys.length);
  return keys.map((key, place) => (place === at ? pick(["emq:{p}:pending", "emq:{}:", "", `${key}x`]) : key));
}

async function refusalOf(client: WireClient, parts: readonly string[]): Promise<string | undefined> {
  try {
    await client.command(...parts);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
