/** Ten million mixed calls leave the server's memory where it was: nothing of an act outlives it. */

import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { nativeModule, whyNoNative } from "../../server/native-module.ts";
import { startServer, type TestServer } from "../../server/start-server.ts";
import { commandFrame } from "../../server/wire-frame.ts";

const CALLS = 10_000_000;
/** Calls after which everything that is made once has been made. */
const WARM_UP = 500_000;
/** Calls of one write; the next goes out when the replies of all are there. */
const BATCH = 4000;
/** A byte lost in one call of each hundred would show: allocators themselves keep some more or less. */
const GROWTH_BYTES_MAX = 2 * 1024 * 1024;
const RSS_GROWTH_BYTES_MAX = 16 * 1024 * 1024;

const B = "emq:{q}:";
const [FIRST, SECOND, THIRD] = ["JOB0Nb1VTbfnu4", "JOB0Nb1VTbfnu5", "JOB0Nb1VTbfnu6"] as const;
const TURN_KEYS = [`${B}pending`, `${B}active`, `${B}schedule`, `${B}wake`, B];
const rowOf = (id: string): string => `${B}job:${id}`;

/** A round that ends where it began: every way into a queue and out of it, refusals of every kind, and reads. */
const ROUND: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ["ENQUEUE", [rowOf(FIRST), `${B}pending`], [FIRST, "payload"]],
  ["ENQUEUE", [rowOf(FIRST), `${B}pending`], [FIRST, "payload"]],
  ["ENQUEUE", [rowOf(FIRST), `${B}active`], [FIRST, "payload"]],
  ["ENQUEUE", [rowOf("ORG0Nb1VTbfnu4"), `${B}pending`], ["ORG0Nb1VTbfnu4", "payload"]],
  [
    "ADMIT",
    [B, `${B}pending`],
    ["npo", "1", SECOND, "payload", "mail", "7", '{"tries":3}', "g", "1", THIRD, "z", "lane"],
  ],
  ["COUNTS", [B, `${B}pending`], []],
  ["CLAIM", [`${B}pending`, `${B}active`, B], ["60000"]],
  ["CLAIM", [`${B}pending`, `${B}active`, B], ["never"]],
  ["EXTEND", [`${B}active`, rowOf(FIRST)], [FIRST, "1", "60000"]],
  ["LOG", [rowOf(FIRST), `${rowOf(FIRST)}:logs`], ["line", "10"]],
  ["PROGRESS", [rowOf(FIRST), B], ["50", FIRST]],
  ["UPDATE", [rowOf(FIRST)], ["another payload"]],
  ["COMPLETE", [`${B}active`, rowOf(FIRST), B], [FIRST, "9"]],
  ["COMPLETE", [`${B}active`, rowOf(FIRST), B], [FIRST, "1"]],
  ["TURN", TURN_KEYS, ["worker", "60000", "2"]],
  ["EXTENDM", [`${B}active`, B], ["60000", SECOND, "1", THIRD, "1"]],
  ["STATE", [`${B}pending`, `${B}active`, `${B}schedule`, `${B}dead`, rowOf(SECOND), B], [SECOND]],
  ["TURN", TURN_KEYS, ["worker", "60000", "0", "c", "1", SECOND, "1", "f", "1", THIRD, "1", "600000", "3", "an error"]],
  ["PROMOTE", [`${B}schedule`, `${B}pending`, B], ["10"]],
  ["REMOVE", [rowOf(THIRD), `${B}pending`, `${B}active`, `${B}schedule`, `${B}dead`, B], [THIRD, ""]],
  ["QPAUSE", [`${B}meta`], []],
  ["QRESUME", [`${B}meta`, `${B}wake`], []],
];

const why = whyNoNative();

it.skipIf(why !== undefined)(
  `keeps no memory over ten million calls${why === undefined ? "" : ` (${why})`}`,
  async () => {
    const server = await startServer({ args: ["--loadmodule", nativeModule()] });
    try {
      await callMany(server, WARM_UP);
      const before = await memoryOf(server);
      await callMany(server, CALLS);
      const after = await memoryOf(server);
      expect(after.keys).toBe(before.keys);
      expect(after.usedBytes - before.usedBytes).toBeLessThan(GROWTH_BYTES_MAX);
      expect(after.residentBytes - before.residentBytes).toBeLessThan(RSS_GROWTH_BYTES_MAX);
      // Every act of the round was one: a name that is misspelt would be refused as unknown and keep no memory either.
      const stats = String(await server.command("INFO", "commandstats"));
      for (const [verb] of ROUND) expect(stats).toContain(`cmdstat_emq.${verb.toLowerCase()}:`);
    } finally {
      await server.stop();
    }
  },
  1_200_000,
);

/** Sends the rounds of so many calls; counts replies by their first bytes alone, so that the server is what is busy. */
async function callMany(server: TestServer, calls: number): Promise<void> {
  const rounds = Math.ceil(BATCH / ROUND.length);
  const text = ROUND.map(([verb, keys, args]) =>
    commandFrame([`EMQ.${verb}`, String(keys.length), ...keys, ...args]),
  ).join("");
  const batch = Buffer.from(text.repeat(rounds) + commandFrame(["ECHO", "end-of-batch"]), "latin1");
  const socket = connect(server.socketPath);
  const mark = Buffer.from("end-of-batch\r\n");
  await new Promise<void>((resolve, reject) => {
    let left = Math.ceil(calls / (rounds * ROUND.length));
    let tail = Buffer.alloc(0);
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("the server closed the connection")));
    socket.on("data", (data) => {
      tail = Buffer.concat([tail, data]).subarray(-mark.length);
      if (!tail.equals(mark)) return;
      left -= 1;
      if (left === 0) resolve();
      else socket.write(batch);
    });
    socket.write(batch);
  });
  socket.removeAllListeners("close");
  socket.destroy();
}

async function memoryOf(server: TestServer): Promise<{ usedBytes: number; residentBytes: number; keys: number }> {
  await server.command("MEMORY", "PURGE");
  const info = String(await server.command("INFO", "memory"));
  const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server.pid}/status`, "utf8")) ?? [];
  return {
    usedBytes: Number(/^used_memory:(\d+)/m.exec(info)?.[1]),
    residentBytes: Number(kib) * 1024,
    keys: Number(await server.command("DBSIZE")),
  };
}
