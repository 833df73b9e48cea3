/**
 * Scripts: those that EchoMQ publishes, which run as the acts that they were made from. There is no Lua here.
 *
 * They are known by their digest and always there, so nothing has to be loaded and nothing is forgotten.
 */

import { createHash } from "node:crypto";
import { CommandError } from "../embedded/store/command-error.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { VERBS, type Verb } from "../protocol/verbs.generated.ts";
import { WIRE_VERSION } from "../protocol/wire-version.ts";
import { actFrame, array, bulk, integer, OK } from "./frames.ts";
import { SCRIPT_VERBS } from "./scripts.generated.ts";
import type { ServedRows } from "./served-command.ts";
import type { Session } from "./session.ts";

const UNKNOWN =
  `ERR this server runs no scripts but those that EchoMQ publishes for the wire ${WIRE_VERSION}; ` +
  "take the host and the server from the same release, or call the acts as EMQ.<VERB>";

export const scriptCommands: ServedRows = {
  "SCRIPT|LOAD": ["3 noscript,stale 0 0 0 slow,scripting", load],
  "SCRIPT|EXISTS": ["-3 noscript 0 0 0 slow,scripting", exists],
  "SCRIPT|FLUSH": ["-2 noscript 0 0 0 slow,scripting", flush],
  "SCRIPT|KILL": ["2 noscript,allow_busy 0 0 0 slow,scripting", kill],
  EVALSHA: ["-3 noscript,stale,skip_monitor,no_mandatory_keys,movablekeys 0 0 0 slow,scripting", evalsha],
  EVALSHA_RO: [
    "-3 noscript,stale,skip_monitor,no_mandatory_keys,movablekeys,readonly 0 0 0 slow,scripting",
    evalshaReadonly,
  ],
  EVAL: ["-3 noscript,stale,skip_monitor,no_mandatory_keys,movablekeys 0 0 0 slow,scripting", evaluate],
  EVAL_RO: [
    "-3 noscript,stale,skip_monitor,no_mandatory_keys,movablekeys,readonly 0 0 0 slow,scripting",
    evaluateReadonly,
  ],
};

function digestOf(text: Bytes): string {
  return createHash("sha1").update(text, "latin1").digest("hex");
}

function load(_: Session, args: readonly Bytes[]): Bytes {
  const digest = digestOf(args[1] ?? "");
  if (!SCRIPT_VERBS.has(digest)) throw new CommandError(UNKNOWN);
  return bulk(digest);
}

function exists(_: Session, args: readonly Bytes[]): Bytes {
  return array(args.slice(1).map((digest) => integer(SCRIPT_VERBS.has(digest.toLowerCase()) ? 1 : 0)));
}

function flush(_: Session, args: readonly Bytes[]): Bytes {
  const mode = args[1]?.toUpperCase();
  if (args.length > 2 || (mode !== undefined && mode !== "SYNC" && mode !== "ASYNC")) {
    throw new CommandError("ERR SCRIPT FLUSH only support SYNC|ASYNC option");
  }
  return OK;
}

function kill(): never {
  throw new CommandError("NOTBUSY No scripts in execution right now.");
}

function evalsha(session: Session, args: readonly Bytes[]): Bytes {
  return run(session, known(args[0] ?? ""), args);
}

function evalshaReadonly(session: Session, args: readonly Bytes[]): Bytes {
  return run(session, readonly(known(args[0] ?? "")), args);
}

function evaluate(session: Session, args: readonly Bytes[]): Bytes {
  return run(session, published(args[0] ?? ""), args);
}

function evaluateReadonly(session: Session, args: readonly Bytes[]): Bytes {
  return run(session, readonly(published(args[0] ?? "")), args);
}

function known(digest: Bytes): Verb {
  const verb = SCRIPT_VERBS.get(digest.toLowerCase());
  if (verb === undefined) throw new CommandError("NOSCRIPT No matching script.");
  return verb;
}

function published(text: Bytes): Verb {
  const verb = SCRIPT_VERBS.get(digestOf(text));
  if (verb === undefined) throw new CommandError(UNKNOWN);
  return verb;
}

function readonly(verb: Verb): Verb {
  if (VERBS[verb].access === "read") return verb;
  throw new CommandError("ERR Write commands are not allowed from read-only scripts.");
}

function run(session: Session, verb: Verb, args: readonly Bytes[]): Bytes {
  const [, count = "", ...words] = args;
  if (!/^(?:0|-?[1-9][0-9]{0,15})$/.test(count)) throw new CommandError("ERR value is not an integer or out of range");
  const keys = Number(count);
  if (keys > words.length) throw new CommandError("ERR Number of keys can't be greater than number of args");
  if (keys < 0) throw new CommandError("ERR Number of keys can't be negative");
  return actFrame(session.hub.door.act(verb, words.slice(0, keys), words.slice(keys)), session.resp);
}
