/**
 * Random calls of the commands of a connection to the project's own server and to a real one, compared byte by byte:
 * what clients say of themselves and of one another, what they are told of commands, and who is disconnected.
 *
 * `@me` and `@other` in a call stand for the ids of the client and of another one, which each server chose.
 */

import fc from "fast-check";
import { expect } from "vitest";
import { FrameClient } from "../server/frame-client.ts";
import { assertRandomly } from "./assert-randomly.ts";
import { bent, call, maybe, odd, options, type Part, some, words } from "./plain-command-cases.ts";
import { type Call, show } from "./plain-commands.ts";
import { blotted } from "./served-sessions.ts";

const CALLS_MAX = 12;

const CLOSED = "<closed>";

const id = words("@me", "@other", "@other", "99999999", "0", "-1", "x");
const clientType = words("normal", "pubsub", "NORMAL", "replica", "master", "foo");
const filter: Part = fc.oneof(
  fc.tuple(words("ID", "id"), id).map((parts) => parts.flat()),
  fc.tuple(words("TYPE"), clientType).map((parts) => parts.flat()),
  words(["USER", "default"], ["USER", "nobody"], ["ADDR", "1.2.3.4:5"], ["LADDR", "1.2.3.4:5"], ["ADDR"]),
  words(["SKIPME", "yes"], ["SKIPME", "no"], ["skipme", "NO"], ["SKIPME", "x"], ["MAXAGE", "100000"], ["MAXAGE", "x"]),
);
const greeting: Part = options(
  words(["SETNAME", "me"], ["SETNAME", ""], ["SETNAME", "a b"], ["setname", "you"], "SETNAME"),
  words(["AUTH", "default", "any"], ["AUTH", "default"], ["auth", "default", ""], ["AUTH", "other", "any"]),
);

const sound = fc.oneof(
  call("HELLO", words("2", "3", "2", "3", "4", "x", "03", "1"), greeting),
  call("HELLO"),
  call("AUTH", some(words("default", "any", "other"), 3)),
  call("SELECT", words("0", "0", "1", "-1", "x", "00", "2147483648")),
  call("PING", maybe("text", ["a", "b"])),
  call("CLIENT", words("GETNAME", "ID", "GETREDIR", "INFO"), maybe("x")),
  call("CLIENT", words("SETNAME"), words("me", "", "a b", "a\nb", "\xff")),
  call("CLIENT", words("SETINFO"), words("LIB-NAME", "lib-ver", "foo"), words("me", "", "a b")),
  call("CLIENT", words("NO-EVICT", "NO-TOUCH"), words("on", "OFF", "x")),
  call("CLIENT", words("REPLY"), words("on", "x")),
  call("CLIENT", words("UNBLOCK"), id, maybe("TIMEOUT", "error", "x", ["TIMEOUT", "ERROR"])),
  call("CLIENT", words("KILL"), some(filter)),
  call("CLIENT", words("KILL"), some(filter)),
  call("CLIENT", words("KILL"), words("1.2.3.4:5", "x")),
  call("CLIENT", words("LIST"), words("TYPE"), clientType),
  call("CLIENT", words("LIST"), words("ID"), some(id)),
  call("CLIENT", words("list", "foo"), maybe("x")),
  call("COMMAND", words("GETKEYS"), words("get", "mset", "eval", "xread", "foo", "client"), some(odd)),
  call(
    "COMMAND",
    words("GETKEYS"),
    words("xread"),
    options(words(["COUNT", "STREAMS"], "NOACK")),
    words("STREAMS"),
    some(odd, 4),
  ),
  call("COMMAND", words("GETKEYS"), words("evalsha"), words("x"), words("0", "1", "2", "-1", "x", "01"), some(odd)),
  call(
    "COMMAND",
    words("LIST"),
    words(["FILTERBY", "PATTERN", "pin*"], ["FILTERBY", "pattern"], ["FILTERBY", "x", "y"]),
  ),
  call("COMMAND", words("INFO"), words("foo", "")),
  call("PUBSUB", words("CHANNELS", "NUMSUB", "NUMPAT", "foo"), maybe("*", ["a", "b"])),
  call("SCRIPT", words("EXISTS", "FLUSH", "KILL", "foo"), maybe("SYNC", "async", "x", ["SYNC", "SYNC"])),
  call("EVALSHA", words("x"), words("0", "1", "-1", "x"), some(odd)),
  call("CONFIG", words("GET"), words("maxmemory", "MaxMemory-policy", "nothing")),
  call("RESET"),
);

const anyCall = fc
  .oneof({ weight: 3, arbitrary: sound }, { weight: 1, arbitrary: bent(sound).filter(([name]) => name !== "COMMAND") })
  .filter((parts) => !isLeftOut(parts));

/** Replies that are kept back, or differ by design; docs/operate/serve.md names the latter. */
function isLeftOut([name = "", ...args]: Call): boolean {
  const text = args.join(" ").toLowerCase();
  // The server cuts the number of keys to 32 bits.
  if (name === "COMMAND") return args.some((part) => /^-?[0-9]{10,}$/.test(part));
  // The server has settings that this one has not, and tells several in no order.
  if (name === "CONFIG") return !/^get (?:max[a-z-]+|nothing)$/.test(text);
  // Where a name goes on behind a NUL, the server does not look at it.
  if (args.some((part) => part.includes("\0"))) return true;
  if (name === "CLIENT") return /^(?:reply (?:off|skip)|help|tracking|caching|pause|unpause)/.test(text);
  return false;
}

/** Compares random calls at two servers, by the paths of their sockets; each sequence comes from a new client. */
export async function compareRandomConnections(
  paths: readonly [real: string, own: string],
  resp: 2 | 3,
  runs: number,
): Promise<void> {
  const sequences = fc.array(anyCall, { minLength: 1, maxLength: CALLS_MAX, size: "max" });
  await assertRandomly(sequences, runs, (calls) => compareGivenConnection(paths, resp, calls));
}

/** Compares these calls of a new client at two servers. */
export async function compareGivenConnection(
  paths: readonly [real: string, own: string],
  resp: 2 | 3,
  calls: readonly Call[],
): Promise<void> {
  const [theirs, ours] = await Promise.all(paths.map((path) => repliesTo(path, resp, calls)));
  expect(ours).toEqual(theirs);
}

/** The calls with their replies, up to the end of the connection. */
async function repliesTo(path: string, resp: 2 | 3, calls: readonly Call[]): Promise<string[]> {
  const me = await FrameClient.connect(path, resp);
  await me.all([["CLIENT", "KILL", "TYPE", "normal"]]);
  const other = await FrameClient.connect(path, resp);
  const ids = { "@me": await idOf(me), "@other": await idOf(other) };
  const told: string[] = [];
  for (const parts of calls) {
    const sent = parts.map((part) => ids[part as keyof typeof ids] ?? part);
    const [frame = ""] = await me.all([sent]).catch(() => [CLOSED]);
    told.push(`${show(parts)} → ${comparable(parts, frame, ids["@me"])}`);
    if (frame === CLOSED) break;
  }
  for (const client of [me, other]) client.close();
  return told;
}

async function idOf(client: FrameClient): Promise<string> {
  const [frame = ""] = await client.all([["CLIENT", "ID"]]);
  return frame.slice(1, -2);
}

/** What two servers may say differently of the same thing: ids, and lines of clients. */
function comparable([name = "", word = ""]: Call, frame: string, id: string): string {
  if (frame.startsWith("-")) return frame.replaceAll(/'\d+'/g, "'<number>'");
  if (name === "CLIENT" && /^(?:list|info)$/i.test(word)) return `${frame.split(" ").filter(isName).length} clients`;
  return name === "CLIENT" && frame === `:${id}\r\n` ? "<id>" : blotted(frame);
}

function isName(field: string): boolean {
  return field.startsWith("name=");
}
