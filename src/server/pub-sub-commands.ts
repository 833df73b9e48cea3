/**
 * The commands on channels. `PUBLISH` is a plain command, which acts know as well.
 */

import { matchesGlob } from "../embedded/command/glob.ts";
import { CommandError } from "../embedded/store/command-error.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { array, bulk, bulkOrNull, integer, push } from "./frames.ts";
import type { Listening } from "./pub-sub.ts";
import type { ServedRows } from "./served-command.ts";
import type { Session } from "./session.ts";

/** Channels and patterns of one client. */
const LISTENED_MAX = 100_000;

export const pubSubCommands: ServedRows = {
  SUBSCRIBE: ["-2 pubsub,noscript,loading,stale 0 0 0 pubsub,slow", (session, args) => join(session, args, "channels")],
  PSUBSCRIBE: [
    "-2 pubsub,noscript,loading,stale 0 0 0 pubsub,slow",
    (session, args) => join(session, args, "patterns"),
  ],
  UNSUBSCRIBE: [
    "-1 pubsub,noscript,loading,stale 0 0 0 pubsub,slow",
    (session, args) => leave(session, args, "channels"),
  ],
  PUNSUBSCRIBE: [
    "-1 pubsub,noscript,loading,stale 0 0 0 pubsub,slow",
    (session, args) => leave(session, args, "patterns"),
  ],
  "PUBSUB|CHANNELS": ["-2 pubsub,loading,stale 0 0 0 pubsub,slow", channels],
  "PUBSUB|NUMSUB": ["-2 pubsub,loading,stale 0 0 0 pubsub,slow", numsub],
  "PUBSUB|NUMPAT": ["2 pubsub,loading,stale 0 0 0 pubsub,slow", ({ hub }) => integer(hub.pubSub.patternCount)],
};

const JOINED: Readonly<Record<Listening, string>> = { channels: "subscribe", patterns: "psubscribe" };
const LEFT: Readonly<Record<Listening, string>> = { channels: "unsubscribe", patterns: "punsubscribe" };

function join(session: Session, names: readonly Bytes[], kind: Listening): Bytes {
  if (session.channels.size + session.patterns.size + names.length > LISTENED_MAX) {
    throw new CommandError(`ERR a client may listen to at most ${LISTENED_MAX} channels and patterns`);
  }
  let frames = "";
  for (const name of names) {
    session.hub.pubSub.join(session, kind, name);
    frames += change(session, JOINED[kind], name);
  }
  return frames;
}

function leave(session: Session, given: readonly Bytes[], kind: Listening): Bytes {
  const names = given.length > 0 ? given : [...session[kind]];
  if (names.length === 0) return change(session, LEFT[kind], undefined);
  let frames = "";
  for (const name of names) {
    session.hub.pubSub.leave(session, kind, name);
    frames += change(session, LEFT[kind], name);
  }
  return frames;
}

/** What tells of one channel or pattern, with how many there are now. */
function change(session: Session, word: string, name: Bytes | undefined): Bytes {
  const count = session.channels.size + session.patterns.size;
  return push([bulk(word), bulkOrNull(name, session.resp), integer(count)], session.resp);
}

function channels(session: Session, args: readonly Bytes[]): Bytes {
  const [word = "", pattern = "*"] = args;
  if (args.length > 2) {
    throw new CommandError(`ERR unknown subcommand or wrong number of arguments for '${word}'. Try PUBSUB HELP.`);
  }
  return array(
    session.hub.pubSub
      .channels()
      .filter((channel) => matchesGlob(pattern, channel))
      .map(bulk),
  );
}

function numsub({ hub }: Session, args: readonly Bytes[]): Bytes {
  return array(args.slice(1).flatMap((channel) => [bulk(channel), integer(hub.pubSub.subscribers(channel))]));
}
