/**
 * The native half reads and writes keys by other ways than commands, and takes short cuts where it knows enough of a
 * key. What it does there is what the scripts do: for rows with any set of fields, and for counters with any text.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { nativeModule, whyNoNative } from "../../server/native-module.ts";
import { startServer, type TestServer } from "../../server/start-server.ts";
import type { ReplyValue, WireClient } from "../../server/wire-client.ts";
import { answerOf, dumpAll, type Head, ID, nativeHead, scriptHead } from "./native-world.ts";

const B = "emq:{q}:";
const ROW = `${B}job:${ID}`;
const TURN_KEYS = [`${B}pending`, `${B}active`, `${B}schedule`, `${B}wake`, B];
const CLAIM = ["w1", "60000", "1"];
const SETTLE = ["w1", "60000", "0", "c", "1", ID, "1"];

/** Fields that a row may hold beside its state and its attempts. */
const FIELDS: readonly (readonly [string, string])[] = [
  ["payload", "x"],
  ["name", "mail"],
  ["owner", "w0"],
  ["opts", "{}"],
  ["stalled", "1"],
  ["dedup", "twin"],
  ["wait", "1"],
];

const why = whyNoNative();

describe.skipIf(why !== undefined)(`the native half on its keys${why === undefined ? "" : ` (${why})`}`, () => {
  let server: TestServer;
  let client: WireClient;
  let scripted: Head;

  beforeAll(async () => {
    server = await startServer({ tcp: true, args: ["--loadmodule", nativeModule()] });
    client = await server.client();
    scripted = await scriptHead(client);
  }, 120_000);

  afterAll(async () => {
    client?.close();
    await server?.stop();
  });

  beforeEach(clear);

  it("claims and settles a row with any set of fields as the scripts do", async () => {
    for (let set = 0; set < 1 << FIELDS.length; set++) {
      const fields = FIELDS.filter((_, at) => (set & (1 << at)) !== 0);
      const runs: unknown[] = [];
      for (const head of [scripted, nativeHead]) {
        await clear();
        await client.command("HSET", ROW, "state", "pending", "attempts", "0", ...fields.flat());
        await client.command("ZADD", `${B}pending`, "0", ID);
        const replies = [await turn(head, CLAIM)];
        const claimed = await client.command("HGETALL", ROW);
        replies.push(await turn(head, SETTLE));
        runs.push({ replies, claimed, left: withoutTimes(await dumpAll(client)) });
      }
      expect(runs[1], fields.map(([field]) => field).join(" ")).toEqual(runs[0]);
    }
  });

  it.each(["7", "0", "-3", "007", "-0", " 5", "5.0", "many", "", "9223372036854775807", "99999999999999999999"])(
    "counts on from %j as the scripts do",
    async (count) => {
      const runs: unknown[] = [];
      for (const head of [scripted, nativeHead]) {
        await clear();
        await client.command("HSET", `${B}metrics:completed`, "count", count);
        await client.command("HSET", ROW, "state", "active", "attempts", "1", "payload", "x");
        await client.command("ZADD", `${B}active`, "1", ID);
        const reply = await turn(head, SETTLE);
        runs.push({ reply, left: withoutTimes(await dumpAll(client)) });
      }
      expect(runs[1]).toEqual(runs[0]);
    },
  );

  it.each([
    ["pending", CLAIM],
    ["active", CLAIM],
    [`job:${ID}`, CLAIM],
    ["active", SETTLE],
    [`job:${ID}`, SETTLE],
    ["metrics:completed", SETTLE],
  ])("breaks the transaction of who watches %s", async (key, args) => {
    const isClaim = args === CLAIM;
    await client.command("HSET", ROW, "state", isClaim ? "pending" : "active", "attempts", isClaim ? "0" : "1");
    await client.command("ZADD", `${B}${isClaim ? "pending" : "active"}`, "0", ID);
    const watcher = await server.client();
    await watcher.command("WATCH", `${B}${key}`);
    await turn(nativeHead, args);
    await watcher.command("MULTI");
    await watcher.command("PING");
    expect(await watcher.command("EXEC")).toBeNull();
    watcher.close();
  });

  /** A keyspace that holds nothing but the version, which an act by script does not claim. */
  async function clear(): Promise<void> {
    await client.command("FLUSHALL");
    await client.command("SET", "{emq}:version", "echomq:4.0.0");
  }

  /** The answer to a turn; of an error by script without the place in it. */
  async function turn(head: Head, args: readonly string[]): Promise<ReplyValue> {
    const reply = await answerOf(client, [...head("TURN"), String(TURN_KEYS.length), ...TURN_KEYS, ...args]);
    return typeof reply === "string" ? reply.replace(/ script: .*$/, "") : reply;
  }
});

/** What keys hold, but for counts by the minute. */
function withoutTimes(lines: readonly string[]): string[] {
  return lines.filter((line) => !line.startsWith(`${B}metrics:completed:minutes `));
}
