/**
 * Sends a server what nobody should send it: commands with arguments of all kinds, and the bytes of these, mutated.
 *
 * Whatever comes, the server must go on to serve others, say nothing but replies, log nothing and keep nothing.
 */

import { connect } from "node:net";
import { expect } from "vitest";
import { VERBS } from "../../../src/protocol/verbs.generated.ts";
import { createRandom } from "../../../src/testing/test-ports.ts";
import type { Served } from "../../server/start-served.ts";
import { WireClient } from "../../server/wire-client.ts";
import { commandFrame, frameEnd } from "../../server/wire-frame.ts";

/** Commands that one connection sends. */
const COMMANDS_A_ROUND = 60;
/** How long a round may take, in ms: far beyond what the slowest takes, so what is later hangs. */
const ROUND_MS_MAX = 60_000;

/** A command that there is not: its refusal says that all before it was answered, whatever state these left. */
const LAST = "THE-LAST";

const ID = "JOB0Nb1VTbfnu4";
const ODD_WORDS = [
  "",
  " ",
  "\0",
  "\xff\xfe",
  "\r\n",
  "a",
  "b",
  "k",
  "x".repeat(300),
  ID,
  "JOB00000000000",
  "EVT0Nb1VTbfnu4",
];
const OTHER_KEYS = [
  `emq:{q}:job:${ID}`,
  "emq:{}:pending",
  "emq:{r}:pending",
  "{emq}:version",
  "emq:{q}:stream:s",
  "list",
];
const WORDS = [
  ..."0 1 -1 2 3 10 1000 1001 9007199254740991 9007199254740992 9223372036854775807 1e400 -0 inf nan 0.01".split(" "),
  ..."NX XX GT LT EX PX COUNT MATCH LIMIT BLOCK STREAMS GROUP WITHSCORES BYSCORE BYLEX REV MAXLEN ~ = * $ > - +".split(
    " ",
  ),
  ..."( [ (1 [a -inf +inf LEFT RIGHT CREATE g c on off yes no default TYPE ID ADDR SKIPME AUTH SETNAME get".split(" "),
  ..."n np c r f b keep replace at in group name".split(" "),
  ...ODD_WORDS,
  ..."emq:{q}: emq:{q}:pending emq:{q}:active emq:{q}:schedule emq:{q}:dead emq:{q}:wake emq:{q}:meta emq:{q}:ring".split(
    " ",
  ),
  ...OTHER_KEYS,
];

/** Commands that would end the round or hold it up; what they do has tests of its own. */
const LEFT_OUT = /^(?:QUIT|MONITOR|CLIENT\|KILL|CLIENT\|REPLY|SUBSCRIBE|PSUBSCRIBE|RESET|HELLO)$/;

/** Every command that the server knows, as the words that begin it. */
export async function everyCommand(served: Served): Promise<string[][]> {
  const client = await WireClient.connect(served.socketPath);
  try {
    const names = (await client.command("COMMAND", "LIST")) as string[];
    const infos = (await client.command("COMMAND", "INFO", ...names)) as unknown[][];
    const all = infos.flatMap(([name, , , , , , , , , subcommands]) => {
      const inner = (subcommands as string[][]).map(([word]) => String(word).split("|"));
      return inner.length > 0 ? [...inner, [String(name)]] : [[String(name)]];
    });
    expect(all.length).toBeGreaterThan(Object.keys(VERBS).length + 100);
    return all.filter((words) => !LEFT_OUT.test(words.join("|").toUpperCase()));
  } finally {
    client.close();
  }
}

/** One connection with commands of a seed, whole or mutated. Resolves to the number of replies. */
export async function fuzzRound(served: Served, commands: readonly string[][], seed: number): Promise<number> {
  const random = createRandom(seed);
  const isMutated = random() < 0.4;
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  let input = random() < 0.5 ? commandFrame(["HELLO", "3"]) : "";
  for (let count = 0; count < COMMANDS_A_ROUND; count++) {
    const [name = "", ...rest] = pick(commands);
    const args = Array.from({ length: Math.floor(random() ** 2 * 9) }, () => pick(WORDS));
    // A wait for ever would end with the round only.
    if (/^(?:bl|br)/i.test(name)) args.push("0.001");
    const words = [name, ...rest, ...args];
    input += commandFrame(words.map((word, at) => (/^block$/i.test(words[at - 1] ?? "") ? "1" : word)));
  }
  input = isMutated ? mutated(input, random) : input + commandFrame([LAST]);
  const output = await send(served.socketPath, input, random);
  return countReplies(output, { isMutated, input, seed });
}

/** The bytes with some of them changed, taken out, said twice or cut off. */
function mutated(input: string, random: () => number): string {
  let text = input;
  for (let count = 1 + Math.floor(random() * 8); count > 0; count--) {
    const at = Math.floor(random() * text.length);
    const kind = Math.floor(random() * 4);
    const byte = String.fromCharCode(Math.floor(random() * 256));
    if (kind === 0) text = text.slice(0, at) + byte + text.slice(at + 1);
    else if (kind === 1) text = text.slice(0, at) + text.slice(at + 1 + Math.floor(random() * 20));
    else if (kind === 2) text = text.slice(0, at) + text.slice(at, at + 30) + text.slice(at);
    else text = text.slice(0, at) + byte.repeat(3) + text.slice(at);
  }
  return text;
}

/** Sends in pieces, ends its side, at the latest when all was answered, and takes all that comes. */
function send(path: string, input: string, random: () => number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path, allowHalfOpen: true });
    const chunks: Buffer[] = [];
    const late = setTimeout(() => reject(new Error("the server hangs")), ROUND_MS_MAX);
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      if (chunk.includes(`'${LAST}'`)) socket.end();
    });
    // A server that ends a connection with bytes unread resets it.
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(late);
      resolve(Buffer.concat(chunks));
    });
    socket.on("connect", () => {
      for (let at = 0; at < input.length; ) {
        const size = 1 + Math.floor(random() ** 4 * 4000);
        socket.write(input.slice(at, at + size), "latin1");
        at += size;
      }
      if (!input.endsWith(`${LAST}\r\n`)) socket.end();
    });
  });
}

/** What came must be whole frames; a connection that was not mutated gets an answer to each command. */
function countReplies(
  output: Buffer,
  { isMutated, input, seed }: { readonly isMutated: boolean; readonly input: string; readonly seed: number },
): number {
  let replies = 0;
  for (let at = 0; at < output.length; ) {
    const sign = String.fromCharCode(output[at] ?? 0);
    const end = frameEnd(output, at);
    if (!"+-:$*%~,_=>#(".includes(sign) || end === undefined) {
      throw new Error(`seed ${seed}: no whole reply: ${output.toString("latin1", at, at + 200)}`);
    }
    const text = output.toString("latin1", at, end);
    if (/fault of the server|internal/.test(text) && sign === "-") throw new Error(`seed ${seed}: ${text}`);
    if (sign !== ">") replies++;
    at = end;
  }
  if (!isMutated && replies < COMMANDS_A_ROUND) {
    throw new Error(`seed ${seed}: ${replies} replies to ${JSON.stringify(input).slice(0, 2000)}`);
  }
  return replies;
}

/** The server serves another client, keeps nobody, logged nothing, and its store is in order. */
export async function expectSound(served: Served): Promise<void> {
  expect(served.logged.filter((line) => !/HTTP/.test(line))).toEqual([]);
  const client = await WireClient.connect(served.socketPath);
  try {
    expect(await client.command("PING")).toBe("PONG");
    await expect.poll(() => served.server.clientCount, { timeout: 30_000, interval: 5 }).toBe(1);
    expect(String(await client.command("INFO", "clients"))).toMatch(
      /blocked_clients:0\r\npubsub_clients:0\r\nwatching_clients:0/,
    );
    await client.command("FLUSHALL");
    expect(await client.command("DBSIZE")).toBe(0);
  } finally {
    client.close();
  }
}
