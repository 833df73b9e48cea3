/**
 * Plain commands of the embedded engine against a real server, replies as bytes in both protocols.
 *
 * `plain-commands.long.test.ts` does the same at length.
 */

import { describe, expect, it } from "vitest";
import { CommandTable } from "../../src/embedded/command/command-table.ts";
import { Keyspace } from "../../src/embedded/store/keyspace.ts";
import { FrameClient, framesIn } from "../server/frame-client.ts";
import { useServer } from "../server/use-server.ts";
import { PLAIN_FINDINGS } from "./past-findings.ts";
import { compareGivenCalls, compareRandomCalls } from "./plain-commands.ts";

const RUNS = 200;

describe("plain commands", () => {
  const server = useServer({ config: { databases: "1" } });

  for (const resp of [2, 3] as const) {
    it(`are answered to the byte as by the server, on RESP${resp}`, () =>
      compareRandomCalls(server().socketPath, resp, RUNS));

    it.each(Object.entries(PLAIN_FINDINGS))(`are answered as by the server on RESP${resp}: %s`, (_, calls) =>
      compareGivenCalls(server().socketPath, resp, calls),
    );
  }

  it("are described as the server describes them: arity, flags, keys and categories", async () => {
    const ignore = () => {};
    const table = new CommandTable(
      new Keyspace({ onPush: ignore, onAppend: ignore, onForeignWrite: ignore, onExpiryChange: ignore }),
      () => 0,
    );
    const client = await FrameClient.connect(server().socketPath, 2);
    const described: string[] = [];
    for (const { name, facts } of table.commands()) {
      // The server has these from version 9 on.
      if (/^H(?:P?EXPIRE|PERSIST|P?TTL)/.test(name)) continue;
      const [frame = ""] = await client.all([["COMMAND", "INFO", name]]);
      const [, arity, flags, first, last, step, categories] = framesIn(framesIn(frame)[0] ?? "");
      const numbers = [facts.arity, facts.firstKey, facts.lastKey, facts.keyStep].map((number) => `:${number}\r\n`);
      expect([name, arity, first, last, step]).toEqual([name, ...numbers]);
      expect([name, words(flags)]).toEqual([name, facts.flags]);
      expect([name, words(categories)]).toEqual([name, facts.categories.map((category) => `@${category}`)]);
      described.push(name);
    }
    client.close();
    expect(described.length).toBeGreaterThan(100);
  });
});

/** The words of a list of status replies. */
function words(frame: string | undefined): string[] {
  return framesIn(frame ?? "").map((item) => item.slice(1, -2));
}
