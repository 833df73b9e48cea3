/**
 * Runs one command of a client, or refuses it, in the order of the server's own judgements: is there such a command,
 * has it the right number of arguments, may this client run it, and may it run it now.
 */

import { takes } from "../embedded/command/command-facts.ts";
import { encodeReply } from "../embedded/command/encode-reply.ts";
import { CommandError } from "../embedded/store/command-error.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { actCommands } from "./act-commands.ts";
import { blockingCommands } from "./blocking-commands.ts";
import { clientCommands } from "./client-commands.ts";
import { commandListing } from "./command-listing.ts";
import { connectionCommands } from "./connection-commands.ts";
import { status } from "./frames.ts";
import { infoCommands } from "./info-commands.ts";
import { pubSubCommands } from "./pub-sub-commands.ts";
import { scriptCommands } from "./script-commands.ts";
import { type ServedCommand, type ServedRun, served } from "./served-command.ts";
import type { Session } from "./session.ts";
import { abort, queue, spoil, transactionCommands } from "./transaction-commands.ts";

/** A call that may run. */
export interface Ready {
  readonly name: string;
  readonly run: ServedRun;
  readonly args: readonly Bytes[];
}

const COMMANDS: ReadonlyMap<string, ServedCommand> = new Map(
  [
    connectionCommands,
    clientCommands,
    infoCommands,
    commandListing,
    pubSubCommands,
    transactionCommands,
    blockingCommands,
    scriptCommands,
    actCommands,
  ]
    .flatMap((rows) => served(rows))
    .map((command) => [command.name, command]),
);

const CONTAINERS: ReadonlySet<string> = new Set(
  [...COMMANDS.keys()].filter((name) => name.includes("|")).map((name) => name.slice(0, name.indexOf("|"))),
);

/** What a browser sends that was made to talk to this port: nothing good can come of it. */
const CROSS_PROTOCOL: ReadonlySet<string> = new Set(["POST", "HOST:"]);

/** What a client may do that has not given its password. */
const FOR_STRANGERS: ReadonlySet<string> = new Set(["AUTH", "HELLO", "QUIT", "RESET"]);

/** What a client of RESP2 may do while it listens, since it could not tell replies from messages. */
const WHILE_SUBSCRIBED: ReadonlySet<string> = new Set([
  "SUBSCRIBE",
  "UNSUBSCRIBE",
  "PSUBSCRIBE",
  "PUNSUBSCRIBE",
  "PING",
  "QUIT",
  "RESET",
]);

/** What runs at once inside of a transaction. */
const IN_TRANSACTION: ReadonlySet<string> = new Set(["EXEC", "DISCARD", "QUIT", "RESET"]);
/** What may stand in no transaction. */
const NOT_IN_TRANSACTION: ReadonlySet<string> = new Set(["MULTI", "WATCH"]);
/** What is for clients that listen. */
const TO_LEAVE: ReadonlySet<string> = new Set(["UNSUBSCRIBE", "PUNSUBSCRIBE"]);

const REPEATED_BYTES_MAX = 128;

/** All commands of connections, for what is told of them. */
export function connectionCommandList(): readonly ServedCommand[] {
  return [...COMMANDS.values()];
}

/** The reply to a command, `undefined` when the session waits. @throws CommandError */
export function runCommand(session: Session, words: readonly Bytes[]): Bytes | undefined {
  const [name = "", ...args] = words;
  if (CROSS_PROTOCOL.has(name.toUpperCase())) {
    session.hub.logger.warn("A client spoke HTTP and was disconnected", { client: session.peer.address });
    session.destroy();
    return undefined;
  }
  let ready: Ready;
  try {
    ready = prepare(session, name, args);
    judge(session, ready.name);
  } catch (error) {
    spoil(session);
    if (session.lastCommand === "exec" && error instanceof CommandError) throw abort(session, error.text);
    throw error;
  }
  if (session.queued !== undefined && !IN_TRANSACTION.has(ready.name)) {
    queue(session, ready);
    return status("QUEUED");
  }
  return session.hub.door.step(() => ready.run(session, args));
}

/** Finds a command and checks the number of its arguments. @throws CommandError */
function prepare(session: Session, name: Bytes, args: readonly Bytes[]): Ready {
  session.lastCommand = "NULL";
  const own = connectionCommand(name.toUpperCase(), args);
  const { name: fullName, facts } = own ?? session.hub.door.table.named(name, args);
  session.lastCommand = fullName.toLowerCase();
  if (!takes(facts, args.length)) throw wrongNumber(fullName);
  return { name: fullName, run: own?.run ?? runPlain(name.toUpperCase()), args };
}

/** The command of a connection, which may be one by itself and a container of others: `COMMAND`, `COMMAND COUNT`. */
function connectionCommand(name: string, args: readonly Bytes[]): ServedCommand | undefined {
  const [word] = args;
  if (!CONTAINERS.has(name) || (word === undefined && COMMANDS.has(name))) return COMMANDS.get(name);
  if (word === undefined) throw wrongNumber(name);
  const command = COMMANDS.get(`${name}|${word.toUpperCase()}`);
  if (command !== undefined) return command;
  throw new CommandError(`ERR unknown subcommand '${shown(word)}'. Try ${name} HELP.`);
}

/** What a refusal repeats of a word: its first bytes, and nothing from a NUL on. */
export function shown(word: Bytes): Bytes {
  const end = word.indexOf("\0");
  return word.slice(0, end < 0 ? REPEATED_BYTES_MAX : Math.min(end, REPEATED_BYTES_MAX));
}

function wrongNumber(name: string): CommandError {
  return new CommandError(`ERR wrong number of arguments for '${name.toLowerCase()}' command`);
}

/** How a plain command runs: its reply in the form that the table knows. */
function runPlain(name: string): ServedRun {
  return (session, args) => {
    const { table } = session.hub.door;
    const command = table.find(name, args);
    const answer = session.hub.door.run(name, args);
    return encodeReply(answer, table.replyForm(command, args), session.resp);
  };
}

/** Whether this client may run a command now. @throws CommandError */
function judge(session: Session, name: string): void {
  if (!session.isTrusted && !FOR_STRANGERS.has(name)) throw new CommandError("NOAUTH Authentication required.");
  if (session.queued !== undefined && NOT_IN_TRANSACTION.has(name)) {
    throw new CommandError("ERR Command not allowed inside a transaction");
  }
  if (session.resp === 2 && session.isSubscribed && !WHILE_SUBSCRIBED.has(name)) {
    throw new CommandError(
      `ERR Can't execute '${name.toLowerCase()}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are ` +
        "allowed in this context",
    );
  }
  if (TO_LEAVE.has(name) && !session.isSubscribed) {
    throw new CommandError(`NOSUB '${name.toLowerCase()}' command executed not in subscribed mode`);
  }
}
