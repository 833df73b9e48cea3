/**
 * `COMMAND`: which commands there are, what each takes, and where its keys are.
 */

import { type CommandFacts, keyPositions, takes } from "../embedded/command/command-facts.ts";
import { matchesGlob } from "../embedded/command/glob.ts";
import { CommandError } from "../embedded/store/command-error.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { array, bulk, integer, NULL_BULK, set, status } from "./frames.ts";
import { keySpecificationsFrame } from "./key-specifications.ts";
import { connectionCommandList } from "./run-command.ts";
import type { ServedRows } from "./served-command.ts";
import type { Session } from "./session.ts";

const FACTS = "loading,stale 0 0 0 slow,connection";

export const commandListing: ServedRows = {
  COMMAND: [`1 ${FACTS}`, (session) => array([...commands(session).keys()].map((name) => entry(session, name)))],
  "COMMAND|COUNT": [`2 ${FACTS}`, (session) => integer(commands(session).size)],
  "COMMAND|INFO": [`-2 ${FACTS}`, info],
  "COMMAND|LIST": [`-2 ${FACTS}`, list],
  "COMMAND|GETKEYS": [`-3 ${FACTS}`, getKeys],
};

/** A command with its subcommands. */
interface Listed {
  readonly facts: CommandFacts;
  readonly subcommands: Map<string, CommandFacts>;
}

/** What a container is that is no command by itself. */
const CONTAINER: CommandFacts = {
  arity: -2,
  flags: [],
  firstKey: 0,
  lastKey: 0,
  keyStep: 0,
  categories: ["slow"],
};

/** All commands by their names in small letters. */
function commands({ hub }: Session): Map<string, Listed> {
  const found = new Map<string, Listed>();
  const all = [...connectionCommandList(), ...hub.door.table.commands()];
  for (const { name, facts } of all) {
    const [container = "", subcommand] = name.toLowerCase().split("|");
    if (subcommand === undefined) {
      // What a connection does in its own way is listed once.
      const present = found.get(container);
      if (present === undefined) found.set(container, { facts, subcommands: new Map() });
      continue;
    }
    const present = found.get(container) ?? { facts: CONTAINER, subcommands: new Map<string, CommandFacts>() };
    found.set(container, present);
    present.subcommands.set(subcommand, facts);
  }
  return found;
}

function info(session: Session, args: readonly Bytes[]): Bytes {
  const all = commands(session);
  const names = args.length > 1 ? args.slice(1).map((name) => name.toLowerCase()) : [...all.keys()];
  return array(names.map((name) => (isListed(all, name) ? entry(session, name, all) : NULL_BULK[session.resp])));
}

function isListed(all: ReadonlyMap<string, Listed>, name: string): boolean {
  const [container = "", subcommand] = name.split("|");
  const found = all.get(container);
  return found !== undefined && (subcommand === undefined || found.subcommands.has(subcommand));
}

/** The ten facts of a command, the last of which are its subcommands. */
function entry(session: Session, name: string, all: ReadonlyMap<string, Listed> = commands(session)): Bytes {
  const [container = "", subcommand] = name.split("|");
  const found = all.get(container);
  const facts = subcommand === undefined ? found?.facts : found?.subcommands.get(subcommand);
  const inner = subcommand === undefined ? [...(found?.subcommands ?? [])] : [];
  const { resp } = session;
  return factsFrame(
    name,
    facts ?? CONTAINER,
    inner.map(([word, its]) => factsFrame(`${container}|${word}`, its, [], resp)),
    resp,
  );
}

function factsFrame(name: string, facts: CommandFacts, subcommands: readonly Bytes[], resp: Session["resp"]): Bytes {
  return array([
    bulk(name),
    integer(facts.arity),
    set(facts.flags.map(status), resp),
    integer(facts.firstKey),
    integer(facts.lastKey),
    integer(facts.keyStep),
    set(
      facts.categories.filter((category) => category !== "").map((category) => status(`@${category}`)),
      resp,
    ),
    // No tips.
    set([], resp),
    keySpecificationsFrame(name, facts, resp),
    subcommands.length > 0 ? array(subcommands) : set([], resp),
  ]);
}

function list(session: Session, args: readonly Bytes[]): Bytes {
  let names = [...commands(session).keys()];
  if (args.length > 1) {
    const [, by, kind, value] = args.map((word) => word.toLowerCase());
    if (by !== "filterby" || kind !== "pattern" || args.length !== 4) throw new CommandError("ERR syntax error");
    names = names.filter((name) => matchesGlob(value ?? "", name));
  }
  return array(names.map(bulk));
}

/** In the order of the server's own judgements; how a call's options stand is not looked at. */
function getKeys(session: Session, args: readonly Bytes[]): Bytes {
  const [, name = "", ...words] = args;
  const found = commands(session).get(name.toLowerCase());
  const hasPart = found !== undefined && found.subcommands.size > 0 && words.length > 0;
  const facts = hasPart ? found.subcommands.get(words[0]?.toLowerCase() ?? "") : found?.facts;
  if (facts === undefined) throw new CommandError("ERR Invalid command specified");
  const isMovable = facts.flags.includes("movablekeys");
  if (facts.firstKey === 0 && !isMovable) throw new CommandError("ERR The command has no key arguments");
  if (!takes(facts, words.length)) throw new CommandError("ERR Invalid number of arguments specified for command");
  const keys = isMovable ? movableKeys(name, words) : keyPositions(facts, words).map((at) => words[at] ?? "");
  if (keys.length === 0 && !facts.flags.includes("no_mandatory_keys")) {
    throw new CommandError("ERR Invalid arguments specified for command");
  }
  return array(keys.map(bulk));
}

function movableKeys(name: Bytes, words: readonly Bytes[]): readonly Bytes[] {
  if (/^xread(?:group)?$/i.test(name)) return streamKeys(words, /p$/i.test(name) ? 3 : 0);
  return countedKeys(words, /^emq\./i.test(name) ? 0 : 1);
}

/** The first half of what follows the word `STREAMS`, the first one from a place on. */
function streamKeys(words: readonly Bytes[], from: number): readonly Bytes[] {
  const at = words.findIndex((word, index) => index >= from && word.toUpperCase() === "STREAMS");
  const first = at + 1;
  return at < 0 ? [] : words.slice(first, first + Math.floor((words.length - first) / 2));
}

/** Keys behind their number: those of an act, or of a script, whose digest comes first. */
function countedKeys(words: readonly Bytes[], at: number): readonly Bytes[] {
  const count = Number.parseInt(words[at] ?? "", 10);
  const rest = words.slice(at + 1);
  return count >= 1 && count <= rest.length ? rest.slice(0, count) : [];
}
