/**
 * The commands by which a client and the server make each other's acquaintance, and part.
 */

import { createHash, timingSafeEqual } from "node:crypto";
import { integerOf } from "../embedded/command/argument.ts";
import { checkDatabaseAt } from "../embedded/command/key-commands.ts";
import { CommandError } from "../embedded/store/command-error.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { checkName, setName } from "./client-commands.ts";
import { array, bulk, integer, map, OK, status } from "./frames.ts";
import type { ServedRows } from "./served-command.ts";
import { SERVER_VERSION } from "./server-version.ts";
import type { Session } from "./session.ts";
import { forgetTransaction } from "./transaction-commands.ts";

/** The only user. */
const USER = "default";

export const connectionCommands: ServedRows = {
  AUTH: ["-2 noscript,loading,stale,fast,no_auth,allow_busy 0 0 0 fast,connection", auth],
  HELLO: ["-1 noscript,loading,stale,fast,no_auth,allow_busy 0 0 0 fast,connection", hello],
  SELECT: ["2 loading,stale,fast 0 0 0 fast,connection", select],
  PING: ["-1 fast 0 0 0 fast,connection", ping],
  QUIT: ["-1 noscript,loading,stale,fast,no_auth,allow_busy 0 0 0 fast,connection", quit],
  RESET: ["1 noscript,loading,stale,fast,no_auth,allow_busy 0 0 0 fast,connection", reset],
  "ACL|WHOAMI": ["2 noscript,loading,stale 0 0 0 slow", () => bulk(USER)],
  READONLY: ["1 loading,stale,fast 0 0 0 fast,connection", () => OK],
  READWRITE: ["1 loading,stale,fast 0 0 0 fast,connection", () => OK],
};

function auth(session: Session, args: readonly Bytes[]): Bytes {
  if (args.length > 2) throw new CommandError("ERR syntax error");
  const { password } = session.hub;
  if (password === undefined && args.length === 1) {
    throw new CommandError(
      "ERR AUTH <password> called without any password configured for the default user. Are you sure your " +
        "configuration is correct?",
    );
  }
  logIn(session, args.length === 1 ? USER : (args[0] ?? ""), args.at(-1) ?? "");
  return OK;
}

/** @throws CommandError for a wrong password, after which the client is no more trusted than it was. */
function logIn(session: Session, user: Bytes, given: Bytes): void {
  const { password } = session.hub;
  const isRight = user === USER && (password === undefined || isSame(given, password));
  if (!isRight) throw new CommandError("WRONGPASS invalid username-password pair or user is disabled.");
  session.trust();
}

/** Compares in a time that says nothing of where two texts differ. */
function isSame(one: Bytes, other: Bytes): boolean {
  const digest = (text: Bytes) => createHash("sha256").update(text, "latin1").digest();
  return timingSafeEqual(digest(one), digest(other));
}

function hello(session: Session, args: readonly Bytes[]): Bytes {
  const [version] = args;
  const number = version === undefined ? session.resp : integerOf(version);
  if (number === undefined) throw new CommandError("ERR Protocol version is not an integer or out of range");
  const resp = Number(number);
  if (resp !== 2 && resp !== 3) throw new CommandError("NOPROTO unsupported protocol version");
  let name: Bytes | undefined;
  let login: readonly [Bytes, Bytes] | undefined;
  for (let at = 1; at < args.length; at++) {
    const word = args[at]?.toUpperCase();
    if (word === "AUTH" && at + 2 < args.length) {
      login = [args[at + 1] ?? "", args[at + 2] ?? ""];
      at += 2;
    } else if (word === "SETNAME" && at + 1 < args.length) {
      name = args[++at] ?? "";
      checkName(name);
    } else throw new CommandError(`ERR Syntax error in HELLO option '${args[at] ?? ""}'`);
  }
  if (login !== undefined) logIn(session, ...login);
  if (!session.isTrusted) {
    throw new CommandError(
      "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO <proto> AUTH <user> " +
        "<pass> option can be used to authenticate the client and select the RESP protocol version at the same time",
    );
  }
  if (name !== undefined) setName(session, name);
  session.resp = resp;
  return greeting(session);
}

function greeting({ id, resp }: Session): Bytes {
  const facts: readonly (readonly [string, Bytes])[] = [
    ["server", bulk("echomq")],
    ["version", bulk(SERVER_VERSION)],
    ["proto", integer(resp)],
    ["id", integer(id)],
    ["mode", bulk("standalone")],
    ["role", bulk("master")],
    ["modules", array([])],
  ];
  return map(
    facts.flatMap(([name, frame]) => [bulk(name), frame]),
    resp,
  );
}

function select(_: Session, args: readonly Bytes[]): Bytes {
  checkDatabaseAt(args, 0);
  return OK;
}

/** While a client of RESP2 listens, replies look like messages. */
function ping(session: Session, args: readonly Bytes[]): Bytes {
  if (args.length > 1) throw new CommandError("ERR wrong number of arguments for 'ping' command");
  const [text] = args;
  if (session.resp === 2 && session.isSubscribed) return array([bulk("pong"), bulk(text ?? "")]);
  return text === undefined ? status("PONG") : bulk(text);
}

function quit(session: Session): Bytes {
  session.end();
  return OK;
}

function reset(session: Session): Bytes {
  forgetTransaction(session);
  session.hub.pubSub.leaveAll(session);
  session.name = "";
  session.resp = 2;
  session.replies = "on";
  session.isNoEvict = false;
  session.isNoTouch = false;
  session.mistrust();
  return status("RESET");
}
