/**
 * The project's own server against a real one, over the wire: random sessions of several clients, and random plain
 * commands in transactions and pipelines.
 *
 * `served.long.test.ts` does the same at length.
 */

import { describe, expect, it } from "vitest";
import { FrameClient, framesIn } from "../server/frame-client.ts";
import { useServer } from "../server/use-server.ts";
import { CONNECTION_FINDINGS, SERVED_FINDINGS, SESSION_FINDINGS } from "./past-findings.ts";
import { compareGivenSequence, compareRandomSequences } from "./served-calls.ts";
import { compareGivenConnection, compareRandomConnections } from "./served-connections.ts";
import { compareGivenSession, compareRandomSessions } from "./served-sessions.ts";
import { useServed } from "./use-served.ts";

const SESSIONS = 40;
const SEQUENCES = 100;
const CONNECTIONS = 100;

describe("the project's own server", () => {
  const server = useServer({ config: { databases: "1" } });
  const served = useServed();

  for (const resp of [2, 3] as const) {
    it(`sends to the byte what the server sends, in sessions of several clients on RESP${resp}`, () =>
      compareRandomSessions([server().socketPath, served().socketPath], resp, SESSIONS));

    it(`answers plain commands to the byte as the server, in transactions and pipelines on RESP${resp}`, () =>
      compareRandomSequences({ path: server().socketPath, served: served(), resp }, SEQUENCES));

    it(`tells clients of themselves and of one another to the byte as the server, on RESP${resp}`, () =>
      compareRandomConnections([server().socketPath, served().socketPath], resp, CONNECTIONS));

    it.each(Object.entries(CONNECTION_FINDINGS))(`tells clients as the server does on RESP${resp}: %s`, (_, calls) =>
      compareGivenConnection([server().socketPath, served().socketPath], resp, calls),
    );

    it.each(Object.entries(SESSION_FINDINGS))(`sends what the server sends on RESP${resp}: %s`, (_, steps) =>
      compareGivenSession([server().socketPath, served().socketPath], resp, steps),
    );

    it.each(Object.entries(SERVED_FINDINGS))(`answers as the server on RESP${resp}: %s`, (_, calls) =>
      compareGivenSequence({ path: server().socketPath, served: served(), resp }, calls),
    );

    it(`tells where the keys of a command are, to the byte as the server, on RESP${resp}`, async () => {
      const real = await FrameClient.connect(server().socketPath, resp);
      const own = await FrameClient.connect(served().socketPath, resp);
      const [list = ""] = await own.all([["COMMAND"]]);
      let compared = 0;
      for (const listed of framesIn(list).flatMap(withSubcommands)) {
        const [name, places] = keyPlaces(listed);
        const [theirs = ""] = await real.all([["COMMAND", "INFO", name]]);
        const known = framesIn(theirs)[0] ?? "";
        // The server has no acts, and some of these commands only from version 9 on.
        if (/^(?:_|\*-1|\$-1)\r/.test(known)) continue;
        expect([name, ...places]).toEqual([name, ...keyPlaces(known)[1]]);
        compared += places.length;
      }
      expect(compared).toBeGreaterThan(100);
      for (const client of [real, own]) client.close();
    });

    it(`answers a wait whose time is over to the byte as the server, on RESP${resp}`, async () => {
      const real = await FrameClient.connect(server().socketPath, resp);
      const own = await FrameClient.connect(served().socketPath, resp);
      const control = await FrameClient.connect(served().socketPath, 2);
      for (const client of [real, own]) await client.all([["XGROUP", "CREATE", "stream", "g", "$", "MKSTREAM"]]);
      for (const call of [
        ["BLPOP", "none", "0.001"],
        ["BRPOP", "none", "other", "0.001"],
        ["BLMOVE", "none", "other", "LEFT", "LEFT", "0.001"],
        ["XREAD", "BLOCK", "1", "STREAMS", "none", "$"],
        ["XREADGROUP", "GROUP", "g", "c", "BLOCK", "1", "STREAMS", "stream", ">"],
      ]) {
        const ours = own.all([call]);
        const told = async () => (await control.all([["INFO", "clients"]]))[0];
        await expect.poll(told, { timeout: 60_000, interval: 1 }).toContain("blocked_clients:1\r");
        await served().ports.clock.advance(1);
        expect([call, ...(await ours)]).toEqual([call, ...(await real.all([call]))]);
      }
      for (const client of [real, own, control]) client.close();
    });
  }
});

/** A command of `COMMAND`, and what it contains. */
function withSubcommands(entry: string): string[] {
  return [entry, ...framesIn(framesIn(entry)[9] ?? "")];
}

/** The name of a command and, for each of its keys, where to search and how to go on; not what is done with them. */
function keyPlaces(entry: string): readonly [name: string, places: string[]] {
  const [name = "", , , , , , , , specifications = ""] = framesIn(entry);
  const places = framesIn(specifications).map((each) => each.slice(each.indexOf("$12\r\nbegin_search")));
  return [name.split("\r\n")[1] ?? "", places];
}
