/**
 * The command table of the embedded engine against a real server: the same random commands into both, every reply and
 * everything that is stored afterwards compared. Refusals are compared by their whole text.
 */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { EmbeddedEngine } from "../../src/embedded/embedded-engine.ts";
import { createTestPorts } from "../../src/testing/test-ports.ts";
import { useServer } from "../server/use-server.ts";
import { anyCommand, readCommand, UNORDERED } from "../unit/embedded/command-cases.ts";

type Answer = unknown;
type Ask = (parts: readonly string[]) => Promise<Answer>;

const RUNS = 300;
const COMMANDS_MAX = 100;

describe("commands", () => {
  const server = useServer();

  async function setup() {
    const client = await server().client();
    const engine = new EmbeddedEngine({ ports: createTestPorts({ now: Date.now() }) });
    const both: readonly Ask[] = [(parts) => client.command(...parts), (parts) => engine.command(parts)];
    const close = () => {
      client.close();
      return engine.close();
    };
    return { both, close };
  }

  it("the embedded engine answers random commands as the server does", async () => {
    const { both, close } = await setup();
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyCommand, { minLength: 1, maxLength: COMMANDS_MAX, size: "max" }),
        async (commands) => {
          const [theirs, ours] = await Promise.all(both.map((ask) => transcript(ask, commands)));
          expect(ours).toEqual(theirs);
        },
      ),
      { numRuns: RUNS },
    );
    await close();
  });

  it("a scan finds every key that stays, whatever comes and goes meanwhile", async () => {
    const { both, close } = await setup();
    for (const ask of both) {
      await ask(["FLUSHALL"]);
      for (let at = 0; at < 300; at++) await ask(["SET", `stays:${at}`, ""]);
      const found = new Set<string>();
      let cursor = "0";
      let step = 0;
      do {
        await ask(["SET", `comes:${step}`, ""]);
        await ask(["DEL", `comes:${step - 3}`]);
        const [next, keys] = (await ask(["SCAN", cursor, "MATCH", "stays:*", "COUNT", "7"])) as [string, string[]];
        for (const key of keys) found.add(key);
        cursor = next;
        step++;
      } while (cursor !== "0");
      expect(found.size).toBe(300);
    }
    await close();
  });
});

/** What one side answers to a sequence that begins with an empty keyspace, and what it stores at the end. */
async function transcript(ask: Ask, commands: readonly string[][]): Promise<unknown> {
  await ask(["FLUSHALL"]);
  const answers = await Promise.all(commands.map(async (parts) => [parts.join(" "), await answer(ask, parts)]));
  return { answers, stored: await stored(ask) };
}

async function answer(ask: Ask, parts: readonly string[]): Promise<unknown> {
  try {
    const reply = await ask(parts);
    if (parts[0] === "XPENDING" && Array.isArray(reply)) return reply.map(withoutIdleTime);
    return UNORDERED.has(parts[0] ?? "") && Array.isArray(reply) ? reply.sort() : reply;
  } catch (error) {
    return `refused: ${(error as Error).message}`;
  }
}

/** A pending entry of `XPENDING` says how long it has been so, which is no two engines' same number. */
function withoutIdleTime(row: unknown): unknown {
  return Array.isArray(row) && row.length === 4 ? [row[0], row[1], row[3]] : row;
}

async function stored(ask: Ask): Promise<unknown> {
  const keys = ((await ask(["KEYS", "*"])) as string[]).sort();
  return Promise.all(
    keys.map(async (key) => {
      const type = (await ask(["TYPE", key])) as string;
      const value = await answer(ask, readCommand(key, type));
      return { key, type, value, expires: Number(await ask(["PTTL", key])) > 0 };
    }),
  );
}
