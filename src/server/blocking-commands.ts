/**
 * Commands that wait: `BLPOP` and its like at lists, `XREAD` and `XREADGROUP` with `BLOCK` at streams.
 *
 * Each is a plain command that is tried again when one of its keys got something. Inside of a transaction none waits.
 */

import { keyPositions, streamOptions } from "../embedded/command/command-facts.ts";
import { encodeReply } from "../embedded/command/encode-reply.ts";
import { scoreOf } from "../embedded/command/score.ts";
import type { KeyWaitOptions } from "../embedded/key-waits.ts";
import { CommandError } from "../embedded/store/command-error.ts";
import type { Bytes } from "../protocol/bytes.ts";
import { array, bulk, NULL_ARRAY, NULL_BULK } from "./frames.ts";
import type { ServedRows } from "./served-command.ts";
import type { Session } from "./session.ts";

const MS_A_SECOND = 1000;

/** What waits, and for how long. */
interface Waiting extends Pick<KeyWaitOptions, "keys" | "type" | "minds"> {
  /** 0 waits for ever. */
  readonly ms: number;
  /** The reply, if there is anything. @throws CommandError */
  readonly attempt: () => Bytes | undefined;
}

export const blockingCommands: ServedRows = {
  BLPOP: ["-3 write,noscript,blocking 1 -2 1 write,list,slow,blocking", (session, args) => pop(session, args, "LPOP")],
  BRPOP: ["-3 write,noscript,blocking 1 -2 1 write,list,slow,blocking", (session, args) => pop(session, args, "RPOP")],
  BLMOVE: ["6 write,denyoom,noscript,blocking 1 2 1 write,list,slow,blocking", blmove],
  XREAD: [
    "-4 readonly,blocking,movablekeys 0 0 0 read,stream,slow,blocking",
    (session, args) => read(session, args, "XREAD"),
  ],
  XREADGROUP: [
    "-7 write,blocking,movablekeys 0 0 0 write,stream,slow,blocking",
    (session, args) => read(session, args, "XREADGROUP"),
  ],
};

function pop(session: Session, args: readonly Bytes[], command: "LPOP" | "RPOP"): Bytes | undefined {
  const { door } = session.hub;
  const keys = args.slice(0, -1);
  const ms = secondsMs(args.at(-1) ?? "");
  const attempt = (): Bytes | undefined => {
    for (const key of keys) {
      const item = door.run(command, [key]);
      if (typeof item === "string") return array([bulk(key), bulk(item)]);
    }
    return undefined;
  };
  return attempt() ?? wait(session, { keys, type: "list", minds: false, ms, attempt });
}

function blmove(session: Session, args: readonly Bytes[]): Bytes | undefined {
  const { door } = session.hub;
  const [source = ""] = args;
  const plain = args.slice(0, -1);
  // The words are judged before the time, and the time before the list is looked at.
  for (const side of plain.slice(2)) if (!/^(?:left|right)$/i.test(side)) throw new CommandError("ERR syntax error");
  const ms = secondsMs(args.at(-1) ?? "");
  const attempt = (): Bytes | undefined => {
    const item = door.run("LMOVE", plain);
    return typeof item === "string" ? bulk(item) : undefined;
  };
  const frame = attempt();
  if (frame !== undefined) return frame;
  if (session.isExecuting) return NULL_BULK[session.resp];
  return wait(session, { keys: [source], type: "list", minds: false, ms, attempt });
}

function read(session: Session, args: readonly Bytes[], command: "XREAD" | "XREADGROUP"): Bytes | undefined {
  const { door } = session.hub;
  const plain = door.table.find(command, args);
  const tried = (words: readonly Bytes[]): Bytes | undefined => {
    const answer = door.run(command, words);
    if (answer === false) return undefined;
    return encodeReply(answer, door.table.replyForm(plain, words), session.resp);
  };
  const frame = tried(args);
  if (frame !== undefined) return frame;
  const positions = keyPositions(plain.facts, args);
  const keys = positions.map((at) => args[at] ?? "");
  const blocksAt = streamOptions(args).flatMap(([word, at]) => (word === "BLOCK" ? [at] : []));
  const blockAt = blocksAt.at(-1);
  if (blockAt === undefined) return NULL_ARRAY[session.resp];
  // What "from now on" means is settled now.
  const words = args.map((word, at) => {
    const key = args[at - positions.length];
    return word === "$" && positions.includes(at - positions.length) && key !== undefined
      ? door.lastEntryId(key)
      : word;
  });
  for (const at of blocksAt.toReversed()) words.splice(at, 2);
  const minds = command === "XREADGROUP";
  return wait(session, { keys, type: "stream", minds, ms: Number(args[blockAt + 1]), attempt: () => tried(words) });
}

/** Lets the session wait; no frame, unless it must not. */
function wait(session: Session, { ms, attempt, ...where }: Waiting): Bytes | undefined {
  const emptyFrame = NULL_ARRAY[session.resp];
  if (session.isExecuting) return emptyFrame;
  const { door, ports } = session.hub;
  const attemptAgain = (): boolean => {
    const frame = attemptOrRefusal(session, attempt);
    if (frame === undefined) return false;
    session.answerWait(frame);
    return true;
  };
  const place = door.waitAt({ ...where, attempt: attemptAgain });
  const expire = (): void => session.answerWait(emptyFrame);
  const timer = ms === 0 ? undefined : ports.clock.after(ms, expire, { background: true });
  session.block({ end: () => place.close(), emptyFrame, timer });
  return undefined;
}

/** A refusal ends a wait, as in the server: one of its other keys may have got another type. */
function attemptOrRefusal(session: Session, attempt: () => Bytes | undefined): Bytes | undefined {
  try {
    return attempt();
  } catch (error) {
    return session.refusalFrame(error);
  }
}

/** Milliseconds of a time in seconds, which may have a fraction. @throws CommandError */
function secondsMs(text: Bytes): number {
  if (/^[+-]?inf(?:inity)?$/i.test(text)) throw new CommandError("ERR timeout is out of range");
  // What is too large for a score is a time as well, and then out of range.
  const isDecimal = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text);
  const seconds = isDecimal ? Number(text) : scoreOf(text);
  if (seconds === undefined) throw new CommandError("ERR timeout is not a float or out of range");
  if (seconds < 0) throw new CommandError("ERR timeout is negative");
  const ms = Math.ceil(seconds * MS_A_SECOND);
  if (ms > Number.MAX_SAFE_INTEGER) throw new CommandError("ERR timeout is out of range");
  return ms;
}
