/**
 * `CLIENT`: who is connected, what each says of itself, and the ways to be rid of one.
 */

import { integerAt, integerOf, refuse } from "../embedded/command/argument.ts";
import { CommandError } from "../embedded/store/command-error.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { bulkOrNull, integer, OK, verbatim } from "./frames.ts";
import type { ServedRows } from "./served-command.ts";
import type { Session } from "./session.ts";

const CONNECTION = "noscript,loading,stale 0 0 0 slow,connection";
const ADMIN = "admin,noscript,loading,stale 0 0 0 admin,slow,dangerous,connection";

export const clientCommands: ServedRows = {
  "CLIENT|ID": [`2 ${CONNECTION}`, ({ id }) => integer(id)],
  "CLIENT|GETNAME": [`2 ${CONNECTION}`, ({ name, resp }) => bulkOrNull(name === "" ? undefined : name, resp)],
  "CLIENT|SETNAME": [`3 ${CONNECTION}`, (session, args) => setName(session, args[1] ?? "")],
  "CLIENT|SETINFO": [`4 ${CONNECTION}`, setInfo],
  "CLIENT|INFO": [`2 ${CONNECTION}`, (session) => verbatim(`${line(session)}\n`, session.resp)],
  "CLIENT|LIST": [`-2 ${ADMIN}`, list],
  "CLIENT|KILL": [`-3 ${ADMIN}`, kill],
  "CLIENT|UNBLOCK": [`-3 ${ADMIN}`, unblock],
  "CLIENT|NO-EVICT": [`3 ${ADMIN}`, (session, args) => flag(session, args, "isNoEvict")],
  "CLIENT|NO-TOUCH": [`3 ${CONNECTION}`, (session, args) => flag(session, args, "isNoTouch")],
  "CLIENT|REPLY": [`3 ${CONNECTION}`, reply],
  "CLIENT|GETREDIR": [`2 ${CONNECTION}`, () => integer(-1)],
  "CLIENT|TRACKING": [`-3 ${CONNECTION}`, tracking],
};

/** The kinds of clients that `TYPE` tells apart. Nobody follows this server. */
const TYPES: ReadonlySet<string> = new Set(["normal", "pubsub", "master", "primary", "replica", "slave"]);

/** Printable and without blanks, so that a list of clients stays a list. */
const PLAIN = /^[!-~]*$/;

/** Refuses a name that cannot be one. @throws CommandError */
export function checkName(name: Bytes): void {
  if (PLAIN.test(name)) return;
  throw new CommandError("ERR Client names cannot contain spaces, newlines or special characters.");
}

export function setName(session: Session, name: Bytes): Bytes {
  checkName(name);
  session.name = name;
  return OK;
}

function setInfo(session: Session, args: readonly Bytes[]): Bytes {
  const [, option = "", value = ""] = args;
  const word = option.toLowerCase();
  if (word !== "lib-name" && word !== "lib-ver") throw new CommandError(`ERR Unrecognized option '${option}'`);
  if (!PLAIN.test(value)) {
    throw new CommandError(`ERR ${option} cannot contain spaces, newlines or special characters.`);
  }
  if (word === "lib-name") session.libraryName = value;
  else session.libraryVersion = value;
  return OK;
}

function flag(session: Session, args: readonly Bytes[], name: "isNoEvict" | "isNoTouch"): Bytes {
  const word = args[1]?.toLowerCase();
  if (word !== "on" && word !== "off") throw syntaxError();
  session[name] = word === "on";
  return OK;
}

function reply(session: Session, args: readonly Bytes[]): Bytes | undefined {
  const word = args[1]?.toLowerCase();
  if (word === "on") {
    session.replies = "on";
    return OK;
  }
  if (word === "off") session.replies = "off";
  else if (word === "skip") session.skipReply();
  else throw syntaxError();
  return undefined;
}

function tracking(): never {
  throw new CommandError("ERR this server tracks no keys for client-side caching; read them when you need them");
}

function list(session: Session, args: readonly Bytes[]): Bytes {
  const { hub } = session;
  const [, word, ...rest] = args;
  let sessions = hub.sessions();
  if (word?.toUpperCase() === "TYPE" && rest.length === 1) {
    const type = typeAt(rest[0] ?? "");
    sessions = sessions.filter((one) => typeOf(one) === type);
  } else if (word?.toUpperCase() === "ID" && rest.length > 0) {
    const ids = rest.map((id) => Number(integerOf(id) ?? refuse(new CommandError("ERR Invalid client ID"))));
    sessions = ids.flatMap((id) => hub.session(id) ?? []);
  } else if (word !== undefined) throw syntaxError();
  return verbatim(sessions.map((one) => `${line(one)}\n`).join(""), session.resp);
}

function typeAt(word: Bytes): string {
  const type = word.toLowerCase();
  if (!TYPES.has(type)) throw new CommandError(`ERR Unknown client type '${word}'`);
  return type;
}

function typeOf(session: Session): string {
  return session.isSubscribed ? "pubsub" : "normal";
}

function idOf(text: Bytes, refusal: string): number {
  const id = Number(integerOf(text) ?? 0);
  if (id < 1) throw new CommandError(refusal);
  return id;
}

/** Whom `CLIENT KILL` means: all that fit every filter, of which there is one of a kind. */
interface Filter {
  readonly tests: Map<string, (session: Session) => boolean>;
  skipsOwn: boolean;
}

function kill(session: Session, args: readonly Bytes[]): Bytes {
  if (args.length === 2) return killOne(session, args[1] ?? "");
  const { tests, skipsOwn } = filterOf(session, args.slice(1));
  const found = session.hub
    .sessions()
    .filter((one) => !(skipsOwn && one === session) && [...tests.values()].every((isFit) => isFit(one)));
  for (const one of found) end(one, session);
  return integer(found.length);
}

/** The old form names one address. */
function killOne(session: Session, address: Bytes): Bytes {
  const found = session.hub.sessions().find(({ peer }) => peer.address === address);
  if (found === undefined) throw new CommandError("ERR No such client");
  end(found, session);
  return OK;
}

/** A client that kills itself gets its reply; any other is cut off. */
function end(session: Session, by: Session): void {
  if (session === by) session.end();
  else session.destroy();
}

function filterOf(own: Session, words: readonly Bytes[]): Filter {
  const filter: Filter = { tests: new Map(), skipsOwn: true };
  for (let at = 0; at < words.length; at += 2) {
    const value = words[at + 1];
    if (value === undefined) throw syntaxError();
    const word = words[at]?.toUpperCase() ?? "";
    if (word === "SKIPME") filter.skipsOwn = isYes(value);
    else filter.tests.set(word, testOf(own, word, value));
  }
  return filter;
}

function testOf(own: Session, word: string, value: Bytes): (session: Session) => boolean {
  switch (word) {
    case "ID": {
      const id = idOf(value, "ERR client-id should be greater than 0");
      return (session) => session.id === id;
    }
    case "TYPE": {
      const type = typeAt(value);
      return (session) => typeOf(session) === type;
    }
    case "ADDR":
      return ({ peer }) => peer.address === value;
    case "LADDR":
      return ({ peer }) => peer.localAddress === value;
    case "USER":
      if (value !== "default") throw new CommandError(`ERR No such user '${value}'`);
      return () => true;
    case "MAXAGE": {
      if (integerOf(value) === undefined) throw new CommandError("ERR maxage is not an integer or out of range");
      const seconds = idOf(value, "ERR maxage should be greater than 0");
      const now = own.hub.now();
      return (session) => now - session.startedAt >= seconds * 1000;
    }
    default:
      throw syntaxError();
  }
}

function isYes(value: Bytes): boolean {
  const word = value.toLowerCase();
  if (word !== "yes" && word !== "no") throw syntaxError();
  return word === "yes";
}

function unblock({ hub }: Session, args: readonly Bytes[]): Bytes {
  const [command = "", , reason] = args;
  const word = reason?.toUpperCase() ?? "TIMEOUT";
  if (args.length > 3) {
    const what = `unknown subcommand or wrong number of arguments for '${command}'`;
    throw new CommandError(`ERR ${what}. Try CLIENT HELP.`);
  }
  if (word !== "TIMEOUT" && word !== "ERROR") {
    throw new CommandError("ERR CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
  }
  const blocked = hub.session(integerAt(args, 1));
  const wait = blocked?.blocked;
  if (blocked === undefined || wait === undefined) return integer(0);
  blocked.answerWait(word === "ERROR" ? "-UNBLOCKED client unblocked via CLIENT UNBLOCK\r\n" : wait.emptyFrame);
  return integer(1);
}

/** One client as a line of `CLIENT LIST`. */
function line(session: Session): Bytes {
  const { hub, peer } = session;
  const now = hub.now();
  const facts: readonly (readonly [string, string | number])[] = [
    ["id", session.id],
    ["addr", peer.address],
    ["laddr", peer.localAddress],
    ["fd", session.id],
    ["name", session.name],
    ["age", secondsSince(now, session.startedAt)],
    ["idle", secondsSince(now, session.lastAt)],
    ["flags", flags(session)],
    ["db", 0],
    ["sub", session.channels.size],
    ["psub", session.patterns.size],
    ["ssub", 0],
    ["multi", session.queued?.calls.length ?? -1],
    ["watch", watchedCount(session)],
    ["qbuf", session.inputBytes],
    ["qbuf-free", 0],
    ["argv-mem", 0],
    ["multi-mem", session.queued?.bytes ?? 0],
    ["rbs", 0],
    ["rbp", 0],
    ["obl", 0],
    ["oll", 0],
    ["omem", session.outputBytes],
    ["tot-mem", session.inputBytes + session.outputBytes + (session.queued?.bytes ?? 0)],
    ["events", "r"],
    ["cmd", session.lastCommand],
    ["user", "default"],
    ["redir", -1],
    ["resp", session.resp],
    ["lib-name", session.libraryName],
    ["lib-ver", session.libraryVersion],
    ["tot-cmds", session.commandCount],
  ];
  return facts.map(([name, value]) => `${name}=${value}`).join(" ");
}

/** Once one of its keys was written to, the server watches none of them any more. */
function watchedCount({ watch }: Session): number {
  return watch === undefined || watch.isBroken() ? 0 : watch.size;
}

function secondsSince(now: number, at: number): number {
  return Math.max(0, Math.floor((now - at) / 1000));
}

function flags(session: Session): string {
  let letters = "";
  if (session.isSubscribed) letters += "P";
  if (session.queued !== undefined) letters += "x";
  if (session.blocked !== undefined) letters += "b";
  if (session.watch?.isBroken() === true) letters += "d";
  if (session.peer.isUnix) letters += "U";
  if (session.isNoEvict) letters += "e";
  if (session.isNoTouch) letters += "T";
  return letters === "" ? "N" : letters;
}

function syntaxError(): CommandError {
  return new CommandError("ERR syntax error");
}
