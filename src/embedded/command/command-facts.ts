/**
 * What clients and the journal ask about a command before it runs: how many arguments it takes, whether it may write,
 * and where its keys are.
 *
 * One line a command, in the order in which Valkey tells it (`COMMAND INFO`): arity with the name counted, negative for
 * "at least"; flags; first key, last key (negative from the end) and step; ACL categories. A test holds the lines
 * against a real server. A subcommand stands under `CONTAINER|SUBCOMMAND`, its keys counted from the container's name.
 */

import type { Bytes } from "../../protocol/bytes.ts";

export interface CommandFacts {
  /** Number of arguments with the name counted; negative means at least so many. */
  readonly arity: number;
  readonly flags: readonly string[];
  /** Position of the first key, the name being 0; 0 means that there is none at a fixed place. */
  readonly firstKey: number;
  /** Position of the last key; negative counts from the end. */
  readonly lastKey: number;
  readonly keyStep: number;
  /** ACL categories, without the `@`. */
  readonly categories: readonly string[];
}

const FACTS = {
  GET: "2 readonly,fast 1 1 1 read,string,fast",
  SET: "-3 write,denyoom 1 1 1 write,string,slow",
  SETNX: "3 write,denyoom,fast 1 1 1 write,string,fast",
  SETEX: "4 write,denyoom 1 1 1 write,string,slow",
  PSETEX: "4 write,denyoom 1 1 1 write,string,slow",
  GETSET: "3 write,denyoom,fast 1 1 1 write,string,fast",
  GETDEL: "2 write,fast 1 1 1 write,string,fast",
  GETEX: "-2 write,fast 1 1 1 write,string,fast",
  MGET: "-2 readonly,fast 1 -1 1 read,string,fast",
  MSET: "-3 write,denyoom 1 -1 2 write,string,slow",
  MSETNX: "-3 write,denyoom 1 -1 2 write,string,slow",
  APPEND: "3 write,denyoom,fast 1 1 1 write,string,fast",
  STRLEN: "2 readonly,fast 1 1 1 read,string,fast",
  GETRANGE: "4 readonly 1 1 1 read,string,slow",
  SUBSTR: "4 readonly 1 1 1 read,string,slow",
  SETRANGE: "4 write,denyoom 1 1 1 write,string,slow",
  INCR: "2 write,denyoom,fast 1 1 1 write,string,fast",
  DECR: "2 write,denyoom,fast 1 1 1 write,string,fast",
  INCRBY: "3 write,denyoom,fast 1 1 1 write,string,fast",
  DECRBY: "3 write,denyoom,fast 1 1 1 write,string,fast",
  DEL: "-2 write 1 -1 1 keyspace,write,slow",
  UNLINK: "-2 write,fast 1 -1 1 keyspace,write,fast",
  EXISTS: "-2 readonly,fast 1 -1 1 keyspace,read,fast",
  TOUCH: "-2 readonly,fast 1 -1 1 keyspace,read,fast",
  TYPE: "2 readonly,fast 1 1 1 keyspace,read,fast",
  KEYS: "2 readonly 0 0 0 keyspace,read,slow,dangerous",
  SCAN: "-2 readonly 0 0 0 keyspace,read,slow",
  DBSIZE: "1 readonly,fast 0 0 0 keyspace,read,fast",
  FLUSHALL: "-1 write 0 0 0 keyspace,write,slow,dangerous",
  FLUSHDB: "-1 write 0 0 0 keyspace,write,slow,dangerous",
  EXPIRE: "-3 write,fast 1 1 1 keyspace,write,fast",
  PEXPIRE: "-3 write,fast 1 1 1 keyspace,write,fast",
  EXPIREAT: "-3 write,fast 1 1 1 keyspace,write,fast",
  PEXPIREAT: "-3 write,fast 1 1 1 keyspace,write,fast",
  EXPIRETIME: "2 readonly,fast 1 1 1 keyspace,read,fast",
  PEXPIRETIME: "2 readonly,fast 1 1 1 keyspace,read,fast",
  TTL: "2 readonly,fast 1 1 1 keyspace,read,fast",
  PTTL: "2 readonly,fast 1 1 1 keyspace,read,fast",
  PERSIST: "2 write,fast 1 1 1 keyspace,write,fast",
  RENAME: "3 write 1 2 1 keyspace,write,slow",
  RENAMENX: "3 write,fast 1 2 1 keyspace,write,fast",
  COPY: "-3 write,denyoom 1 2 1 keyspace,write,slow",
  OBJECT: "-2 - 0 0 0 slow",
  "OBJECT|ENCODING": "3 readonly 2 2 1 keyspace,read,slow",
  "OBJECT|REFCOUNT": "3 readonly 2 2 1 keyspace,read,slow",
  "OBJECT|FREQ": "3 readonly 2 2 1 keyspace,read,slow",
  HSET: "-4 write,denyoom,fast 1 1 1 write,hash,fast",
  HMSET: "-4 write,denyoom,fast 1 1 1 write,hash,fast",
  HSETNX: "4 write,denyoom,fast 1 1 1 write,hash,fast",
  HGET: "3 readonly,fast 1 1 1 read,hash,fast",
  HMGET: "-3 readonly,fast 1 1 1 read,hash,fast",
  HGETALL: "2 readonly 1 1 1 read,hash,slow",
  HKEYS: "2 readonly 1 1 1 read,hash,slow",
  HVALS: "2 readonly 1 1 1 read,hash,slow",
  HLEN: "2 readonly,fast 1 1 1 read,hash,fast",
  HDEL: "-3 write,fast 1 1 1 write,hash,fast",
  HEXISTS: "3 readonly,fast 1 1 1 read,hash,fast",
  HINCRBY: "4 write,denyoom,fast 1 1 1 write,hash,fast",
  HSTRLEN: "3 readonly,fast 1 1 1 read,hash,fast",
  HSCAN: "-3 readonly 1 1 1 read,hash,slow",
  LPUSH: "-3 write,denyoom,fast 1 1 1 write,list,fast",
  RPUSH: "-3 write,denyoom,fast 1 1 1 write,list,fast",
  LPUSHX: "-3 write,denyoom,fast 1 1 1 write,list,fast",
  RPUSHX: "-3 write,denyoom,fast 1 1 1 write,list,fast",
  LPOP: "-2 write,fast 1 1 1 write,list,fast",
  RPOP: "-2 write,fast 1 1 1 write,list,fast",
  LLEN: "2 readonly,fast 1 1 1 read,list,fast",
  LRANGE: "4 readonly 1 1 1 read,list,slow",
  LINDEX: "3 readonly 1 1 1 read,list,slow",
  LSET: "4 write,denyoom 1 1 1 write,list,slow",
  LREM: "4 write 1 1 1 write,list,slow",
  LTRIM: "4 write 1 1 1 write,list,slow",
  LINSERT: "5 write,denyoom 1 1 1 write,list,slow",
  LMOVE: "5 write,denyoom 1 2 1 write,list,slow",
  RPOPLPUSH: "3 write,denyoom 1 2 1 write,list,slow",
  LPOS: "-3 readonly 1 1 1 read,list,slow",
  SADD: "-3 write,denyoom,fast 1 1 1 write,set,fast",
  SREM: "-3 write,fast 1 1 1 write,set,fast",
  SMOVE: "4 write,fast 1 2 1 write,set,fast",
  SISMEMBER: "3 readonly,fast 1 1 1 read,set,fast",
  SMISMEMBER: "-3 readonly,fast 1 1 1 read,set,fast",
  SMEMBERS: "2 readonly 1 1 1 read,set,slow",
  SCARD: "2 readonly,fast 1 1 1 read,set,fast",
  SSCAN: "-3 readonly 1 1 1 read,set,slow",
  ZADD: "-4 write,denyoom,fast 1 1 1 write,sortedset,fast",
  ZINCRBY: "4 write,denyoom,fast 1 1 1 write,sortedset,fast",
  ZREM: "-3 write,fast 1 1 1 write,sortedset,fast",
  ZCARD: "2 readonly,fast 1 1 1 read,sortedset,fast",
  ZSCORE: "3 readonly,fast 1 1 1 read,sortedset,fast",
  ZMSCORE: "-3 readonly,fast 1 1 1 read,sortedset,fast",
  ZRANK: "-3 readonly,fast 1 1 1 read,sortedset,fast",
  ZREVRANK: "-3 readonly,fast 1 1 1 read,sortedset,fast",
  ZPOPMIN: "-2 write,fast 1 1 1 write,sortedset,fast",
  ZPOPMAX: "-2 write,fast 1 1 1 write,sortedset,fast",
  ZSCAN: "-3 readonly 1 1 1 read,sortedset,slow",
  ZRANGE: "-4 readonly 1 1 1 read,sortedset,slow",
  ZREVRANGE: "-4 readonly 1 1 1 read,sortedset,slow",
  ZRANGEBYSCORE: "-4 readonly 1 1 1 read,sortedset,slow",
  ZREVRANGEBYSCORE: "-4 readonly 1 1 1 read,sortedset,slow",
  ZRANGEBYLEX: "-4 readonly 1 1 1 read,sortedset,slow",
  ZREVRANGEBYLEX: "-4 readonly 1 1 1 read,sortedset,slow",
  ZCOUNT: "4 readonly,fast 1 1 1 read,sortedset,fast",
  ZLEXCOUNT: "4 readonly,fast 1 1 1 read,sortedset,fast",
  ZREMRANGEBYRANK: "4 write 1 1 1 write,sortedset,slow",
  ZREMRANGEBYSCORE: "4 write 1 1 1 write,sortedset,slow",
  ZREMRANGEBYLEX: "4 write 1 1 1 write,sortedset,slow",
  XADD: "-5 write,denyoom,fast 1 1 1 write,stream,fast",
  XLEN: "2 readonly,fast 1 1 1 read,stream,fast",
  XRANGE: "-4 readonly 1 1 1 read,stream,slow",
  XREVRANGE: "-4 readonly 1 1 1 read,stream,slow",
  XTRIM: "-4 write 1 1 1 write,stream,slow",
  XDEL: "-3 write,fast 1 1 1 write,stream,fast",
  XREAD: "-4 readonly,blocking,movablekeys 0 0 0 read,stream,slow,blocking",
  XSETID: "-3 write,denyoom,fast 1 1 1 write,stream,fast",
  XGROUP: "-2 - 0 0 0 slow",
  "XGROUP|SETID": "-5 write 2 2 1 write,stream,slow",
  "XGROUP|DESTROY": "4 write 2 2 1 write,stream,slow",
  "XGROUP|DELCONSUMER": "5 write 2 2 1 write,stream,slow",
  "XGROUP|CREATECONSUMER": "5 write,denyoom 2 2 1 write,stream,slow",
  "XGROUP|CREATE": "-5 write,denyoom 2 2 1 write,stream,slow",
  XREADGROUP: "-7 write,blocking,movablekeys 0 0 0 write,stream,slow,blocking",
  XACK: "-4 write,fast 1 1 1 write,stream,fast",
  XPENDING: "-3 readonly 1 1 1 read,stream,slow",
  XCLAIM: "-6 write,fast 1 1 1 write,stream,fast",
  XAUTOCLAIM: "-6 write,fast 1 1 1 write,stream,fast",
  XINFO: "-2 - 0 0 0 slow",
  "XINFO|STREAM": "-3 readonly 2 2 1 read,stream,slow",
  "XINFO|CONSUMERS": "4 readonly 2 2 1 read,stream,slow",
  "XINFO|GROUPS": "3 readonly 2 2 1 read,stream,slow",
  PING: "-1 fast 0 0 0 fast,connection",
  ECHO: "2 loading,stale,fast 0 0 0 fast,connection",
  TIME: "1 loading,stale,fast 0 0 0 fast",
  PUBLISH: "3 pubsub,loading,stale,fast 0 0 0 pubsub,fast",
  WAIT: "3 blocking 0 0 0 slow,blocking,connection",
  // Valkey 8.0 has none of these; the lines are those of Valkey 9.0 for the same commands.
  HEXPIRE: "-6 write,denyoom,fast 1 1 1 write,hash,fast",
  HPEXPIRE: "-6 write,denyoom,fast 1 1 1 write,hash,fast",
  HEXPIREAT: "-6 write,denyoom,fast 1 1 1 write,hash,fast",
  HPEXPIREAT: "-6 write,denyoom,fast 1 1 1 write,hash,fast",
  HTTL: "-5 readonly,fast 1 1 1 read,hash,fast",
  HPTTL: "-5 readonly,fast 1 1 1 read,hash,fast",
  HPERSIST: "-5 write,fast 1 1 1 write,hash,fast",
} as const;

/** The name of a command of the table, in capitals; subcommands as `CONTAINER|SUBCOMMAND`. */
export type CommandName = keyof typeof FACTS;

/** The facts of every command, by name. */
export const COMMAND_FACTS: ReadonlyMap<string, CommandFacts> = new Map(
  Object.entries(FACTS).map(([name, line]) => [name, commandFacts(line)]),
);

/** Reads a line of facts; for commands of a connection, which are described in the same form where they are run. */
export function commandFacts(line: string): CommandFacts {
  const [arity, flags = "", firstKey, lastKey, keyStep, categories = ""] = line.split(" ");
  return {
    arity: Number(arity),
    flags: flags === "-" ? [] : flags.split(","),
    firstKey: Number(firstKey),
    lastKey: Number(lastKey),
    keyStep: Number(keyStep),
    categories: categories.split(","),
  };
}

/** Whether a command takes this number of arguments, its name not counted. */
export function takes(facts: CommandFacts, args: number): boolean {
  return facts.arity < 0 ? args + 1 >= -facts.arity : args + 1 === facts.arity;
}

/**
 * The positions of a call's keys among its arguments, the name not counted; none for a command that has no keys.
 *
 * `XREAD` and `XREADGROUP` have theirs behind the word `STREAMS`, which the facts cannot say.
 */
export function keyPositions(facts: CommandFacts, args: readonly Bytes[]): number[] {
  if (facts.flags.includes("movablekeys")) return streamPositions(args);
  const positions: number[] = [];
  if (facts.firstKey === 0) return positions;
  const last = facts.lastKey < 0 ? args.length + facts.lastKey : facts.lastKey - 1;
  for (let at = facts.firstKey - 1; at <= last; at += facts.keyStep) positions.push(at);
  return positions;
}

function streamPositions(args: readonly Bytes[]): number[] {
  const at = streamOptions(args).find(([word]) => word === "STREAMS")?.[1] ?? args.length;
  const keys = Math.floor((args.length - at - 1) / 2);
  return Array.from({ length: Math.max(0, keys) }, (_, index) => at + 1 + index);
}

/** How many arguments an option in front of `STREAMS` takes, itself counted, so that no value is taken for a word. */
const STREAM_OPTION_ARGS: Readonly<Record<string, number>> = { COUNT: 2, BLOCK: 2, GROUP: 3, NOACK: 1 };

/** The options of an `XREAD` or `XREADGROUP`, up to `STREAMS`: the word in capitals and where it stands. */
export function streamOptions(args: readonly Bytes[]): (readonly [word: string, at: number])[] {
  const options: (readonly [string, number])[] = [];
  for (let at = 0; at < args.length; ) {
    const word = args[at]?.toUpperCase() ?? "";
    options.push([word, at]);
    if (word === "STREAMS") break;
    at += STREAM_OPTION_ARGS[word] ?? 1;
  }
  return options;
}
