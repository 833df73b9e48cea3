/**
 * The server as a transition sees it: a few primitives and the commands of Valkey, with the replies that its Lua gives.
 *
 * A transition is compiled to Lua as well as run in process, so this is also the boundary of the TypeScript subset that
 * `docs/internals/transitions.md` lists. Each primitive has two forms: `src/embedded/server.ts` and
 * `tools/lua/prelude/<name>.lua`. In both, absent is `false`, text is a byte string, and numbers are whole.
 */

import type { Bytes } from "../protocol/bytes.ts";

/** An argument of a command. A number reaches the server as exact decimal text up to 2^53. */
export type Argument = Bytes | number;

/** A refusal, as a value: the transition returns it and nothing was written. */
export interface ErrorReply {
  readonly err: Bytes;
}

/** What a transition answers. `false` becomes the null reply. */
export type TransitionReply = Bytes | number | false | ErrorReply | TransitionReply[];

/** Replies of the commands that transitions use, as the server's Lua gives them. */
export interface CommandReply {
  DEL: number;
  EXISTS: number;
  GET: Bytes | false;
  HDEL: number;
  HEXISTS: number;
  HGET: Bytes | false;
  /** Fields and values in turn, in no order. */
  HGETALL: Bytes[];
  HINCRBY: number;
  HKEYS: Bytes[];
  HLEN: number;
  HMGET: (Bytes | false)[];
  /** The next cursor, and fields and values in turn. */
  HSCAN: [Bytes, Bytes[]];
  HSET: number;
  LINDEX: Bytes | false;
  LLEN: number;
  LMOVE: Bytes | false;
  /** Positions, as it is asked for by `COUNT`. */
  LPOS: number[];
  LPOP: Bytes | false;
  LPUSH: number;
  LRANGE: Bytes[];
  LREM: number;
  LTRIM: unknown;
  PEXPIRE: number;
  PEXPIREAT: number;
  PTTL: number;
  PUBLISH: number;
  RPUSH: number;
  SADD: number;
  SCARD: number;
  SET: unknown;
  SISMEMBER: number;
  SMEMBERS: Bytes[];
  SREM: number;
  /** The next cursor, and members. */
  SSCAN: [Bytes, Bytes[]];
  UNLINK: number;
  /** The id of the entry. */
  XADD: Bytes;
  /** Entries: the id of each, and its fields and values in turn. */
  XRANGE: [Bytes, Bytes[]][];
  XREVRANGE: [Bytes, Bytes[]][];
  XTRIM: number;
  ZADD: number;
  ZCARD: number;
  /** Members and scores in turn, scores as text. */
  ZPOPMIN: Bytes[];
  ZRANGE: Bytes[];
  ZRANGEBYSCORE: Bytes[];
  /** `false` where the member is not in the set. */
  ZRANK: number | false;
  ZREM: number;
  ZREMRANGEBYRANK: number;
  ZCOUNT: number;
  ZREVRANGE: Bytes[];
  ZSCORE: Bytes | false;
}

/** The commands that transitions may use. */
export type Command = keyof CommandReply;

export interface Server {
  /** Runs one command now. A foreign type raises `WRONGTYPE`, which ends the act. */
  readonly call: <C extends Command>(this: void, command: C, ...args: Argument[]) => CommandReply[C];
  /** The number that decimal text stands for; the text has been checked before. */
  readonly num: (this: void, text: Bytes) => number;
  /** The server's clock in whole Unix milliseconds; the same for the whole act. */
  readonly now: (this: void) => number;
  /** Whether text is a canonical decimal integer (no sign but for negatives, no leading zero) from `min` to `max`. */
  readonly int: (this: void, text: Bytes, min: number, max: number) => boolean;
  /**
   * Whether text is a queue's base key `emq:{q}:` whose name holds no brace and no NUL. The embedded and the native
   * form refuse an empty name as well; the Lua form accepts it (docs/protocol/keys.md, "Queue name").
   */
  readonly base: (this: void, text: Bytes) => boolean;
  /** Whether text is a branded id: 14 bytes, three capitals, eleven base-62 digits up to `AzL8n0Y58m7`. */
  readonly branded: (this: void, text: Bytes) => boolean;
  /** The byte at a position, counted from 0; the empty text beyond the end. */
  readonly char: (this: void, text: Bytes, index: number) => Bytes;
  /** Whether text may name a lane or the like: 1 to 256 bytes, no brace, no NUL. */
  readonly name: (this: void, text: Bytes) => boolean;
  /** The decimal text of a whole number from 0 to 2^53, the same on every engine. */
  readonly text: (this: void, number: number) => Bytes;
  /** What kind of value a key holds: `zset`, `hash` and so on, `none` for nothing. */
  readonly holds: (this: void, key: Bytes) => Bytes;
  /** The text as a JSON string with its quotes. Control characters are escaped, invalid UTF-8 becomes U+FFFD. */
  readonly json: (this: void, text: Bytes) => Bytes;
  /** Makes a refusal. The first word is its class. */
  readonly error: (this: void, text: Bytes) => ErrorReply;
}

/** One act: reads and writes through `server` only, and answers. */
export type Transition = (this: void, server: Server, keys: Bytes[], args: Bytes[]) => TransitionReply;
