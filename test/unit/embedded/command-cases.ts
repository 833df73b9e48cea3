/**
 * Random commands of every kind that the embedded engine knows, for the tests that compare it with something.
 *
 * Few keys, few members and few numbers, so that commands meet one another's values; one key in ten is of another type.
 */

import fc from "fast-check";

/** An instant so far away that it passes in no test. */
const FAR_AT = "4102444800000";

const member = fc.constantFrom("a", "b", "c", "dd", "e\x00f", "\xff", "", "0", "10");
const field = fc.constantFrom("f", "g", "h", "state", "\x00");
const text = fc.constantFrom("", "1", "-7", "text", "4503599627370496", "\xc3\x28\x00");
const integer = fc.constantFrom("0", "1", "2", "-1", "-2", "3", "100", "-100");
const oddInteger = fc.oneof({ weight: 9, arbitrary: integer }, fc.constantFrom("x", "1.5", "", "01", "+1", " 1"));
// No -0: the server forgets or keeps the sign by how it happens to encode the set.
const goodScore = fc.constantFrom("0", "1", "2", "-1", "5", "1.5", "inf", "0.1", "0x10", "1e3");
const score = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("0", "1", "2", "-1", "5", "1.5") },
  {
    weight: 2,
    arbitrary: fc.constantFrom("inf", "-inf", "1e21", "0.1", "1e-7", "123456789.123", "4503599627370496.5"),
  },
  { weight: 1, arbitrary: fc.constantFrom("x", "nan", "", "1e999", "0x10", " 1") },
);
// An end of a range with a space or an overflow is read with `strtod` alone by the server, a slip that is not followed.
const scoreEnd = fc.oneof(
  goodScore,
  goodScore.map((end) => `(${end}`),
  fc.constantFrom("-inf", "+inf", "x", "(x"),
);
const bytesEnd = fc.oneof(
  member.map((end) => `[${end}`),
  member.map((end) => `(${end}`),
  fc.constantFrom("-", "+", "x"),
);
const side = fc.constantFrom("LEFT", "RIGHT", "left", "UP");

function key(type: string): fc.Arbitrary<string> {
  const own = fc.constantFrom(`${type}1`, `${type}2`);
  return fc.oneof(
    { weight: 9, arbitrary: own },
    fc.constantFrom("string1", "hash1", "list1", "set1", "zset1", "stream1"),
  );
}

const anyKey = fc.constantFrom(
  "string1",
  "string2",
  "hash1",
  "hash2",
  "list1",
  "list2",
  "set1",
  "set2",
  "zset1",
  "zset2",
  "stream1",
  "stream2",
);

type Part = fc.Arbitrary<string | readonly string[]>;

/** A command of these parts; a part may stand for several arguments. */
function command(name: string, ...parts: readonly Part[]): fc.Arbitrary<string[]> {
  return fc.tuple(...parts).map((args) => [name, ...args.flat()]);
}

function some(part: fc.Arbitrary<string | readonly string[]>, most = 3, least = 1): Part {
  return fc.array(part, { minLength: least, maxLength: most }).map((parts) => parts.flat());
}

function maybe(...words: readonly (string | readonly string[])[]): Part {
  return fc.constantFrom<string | readonly string[]>([], [], ...words);
}

const limit: Part = fc.oneof(
  fc.constant([]),
  fc.tuple(oddInteger, integer).map(([offset, count]) => ["LIMIT", offset, count]),
);
const scores = maybe("WITHSCORES", "withscores");

const strings = [
  command("GET", key("string")),
  command("GETDEL", key("string")),
  command("SET", key("string"), text, maybe("NX", "XX", "GET", ["NX", "GET"], ["XX", "GET"], ["PX", "0"], ["EX", "x"])),
  command("SET", key("string"), text, maybe(["PXAT", FAR_AT], "KEEPTTL", ["NX", "XX"], ["EXAT", "1"], ["PX"], ["FOO"])),
  command("INCR", key("string")),
  command("DECR", key("string")),
  command("INCRBY", key("string"), oddInteger),
];

const keys = [
  command("DEL", some(anyKey)),
  command("UNLINK", anyKey),
  command("EXISTS", some(anyKey)),
  command("TYPE", anyKey),
  command("DBSIZE"),
  command("PEXPIREAT", anyKey, fc.constantFrom(FAR_AT, FAR_AT, "1", "-5", "x"), maybe("NX", "XX", "GT", "LT", "FOO")),
  command("PEXPIRE", anyKey, fc.constantFrom("0", "-1", "x")),
  command("PERSIST", anyKey),
  command("KEYS", fc.constantFrom("*", "hash?", "[a-m]*", "*\\1", "nothing")),
];

const hashes = [
  command("HSET", key("hash"), some(fc.tuple(field, text))),
  command("HSET", key("hash"), field, text, field),
  command("HSETNX", key("hash"), field, text),
  command("HGET", key("hash"), field),
  command("HMGET", key("hash"), some(field)),
  command("HGETALL", key("hash")),
  command("HKEYS", key("hash")),
  command("HVALS", key("hash")),
  command("HLEN", key("hash")),
  command("HDEL", key("hash"), some(field)),
  command("HEXISTS", key("hash"), field),
  command("HINCRBY", key("hash"), field, oddInteger),
];

const lists = [
  command("LPUSH", key("list"), some(member)),
  command("RPUSH", key("list"), some(member, 6)),
  command("LPOP", key("list"), maybe("0", "1", "2", "-1", "x")),
  command("RPOP", key("list"), maybe("0", "2")),
  command("LLEN", key("list")),
  command("LRANGE", key("list"), oddInteger, integer),
  command("LINDEX", key("list"), oddInteger),
  command("LSET", key("list"), oddInteger, member),
  command("LREM", key("list"), oddInteger, member),
  command("LTRIM", key("list"), integer, oddInteger),
  command("LMOVE", key("list"), key("list"), side, side),
  command(
    "LPOS",
    key("list"),
    member,
    maybe(["RANK", "-1"], ["RANK", "2"], ["COUNT", "0"], ["COUNT", "2", "MAXLEN", "3"], ["RANK", "0"]),
  ),
];

const sets = [
  command("SADD", key("set"), some(member)),
  command("SREM", key("set"), some(member)),
  command("SISMEMBER", key("set"), member),
  command("SMISMEMBER", key("set"), some(member)),
  command("SMEMBERS", key("set")),
  command("SCARD", key("set")),
];

const sortedSets = [
  command("ZADD", key("zset"), some(fc.tuple(score, member), 5)),
  command(
    "ZADD",
    key("zset"),
    maybe("NX", "XX", "GT", "LT", "CH", ["XX", "CH"], ["GT", "LT"], ["NX", "XX"]),
    score,
    member,
  ),
  command("ZADD", key("zset"), maybe("CH", "XX", "NX"), fc.constant("INCR"), score, member),
  command("ZADD", key("zset"), score, member, score),
  command("ZREM", key("zset"), some(member)),
  command("ZCARD", key("zset")),
  command("ZSCORE", key("zset"), member),
  command("ZMSCORE", key("zset"), some(member)),
  command("ZRANK", key("zset"), member, maybe("WITHSCORE")),
  command("ZREVRANK", key("zset"), member, maybe("WITHSCORE")),
  command("ZCOUNT", key("zset"), scoreEnd, scoreEnd),
  command("ZINCRBY", key("zset"), score, member),
  command("ZPOPMIN", key("zset"), maybe("0", "2", "-1", "x")),
  command("ZPOPMAX", key("zset"), maybe("2")),
];

const ranges = [
  command("ZRANGE", key("zset"), oddInteger, integer, maybe("REV"), scores),
  command("ZRANGE", key("zset"), scoreEnd, scoreEnd, fc.constant("BYSCORE"), maybe("REV"), limit, scores),
  command("ZREVRANGE", key("zset"), integer, integer, scores),
  command("ZRANGEBYSCORE", key("zset"), scoreEnd, scoreEnd, limit, scores),
  command("ZREVRANGEBYSCORE", key("zset"), scoreEnd, scoreEnd, scores, limit),
  command("ZREMRANGEBYRANK", key("zset"), integer, integer),
  command("ZREMRANGEBYSCORE", key("zset"), scoreEnd, scoreEnd),
];

// The server leaves open what an order by bytes means among members with several scores, so these have a set of their
// own.
const byBytes = [
  command("ZADD", fc.constant("flat"), some(fc.tuple(fc.constant("0"), member), 5)),
  command("ZREM", fc.constant("flat"), member),
  command("ZRANGE", fc.constant("flat"), bytesEnd, bytesEnd, fc.constant("BYLEX"), maybe("REV"), limit),
  command("ZLEXCOUNT", fc.constant("flat"), bytesEnd, bytesEnd),
  command("ZREMRANGEBYLEX", fc.constant("flat"), bytesEnd, bytesEnd),
];

// Ids are few, so that they meet; none is the server's own, which goes by its clock.
const entryId = fc.constantFrom("1-1", "1-2", "2", "2-5", "3-0", "7-1", "7-20", "9-9", "40-0");
const oddId = fc.oneof({ weight: 12, arbitrary: entryId }, fc.constantFrom("0-0", "5-*", "x", "1-2-3", "", "-", "3-*"));
const rangeEnd = fc.oneof(
  { weight: 4, arbitrary: entryId },
  { weight: 2, arbitrary: fc.constantFrom("-", "+", "0") },
  { weight: 2, arbitrary: entryId.map((id) => `(${id}`) },
  { weight: 1, arbitrary: fc.constantFrom("x", "(", "(+", "(0-0", "1-x") },
);
const trims = maybe(
  ["MAXLEN", "3"],
  ["MAXLEN", "=", "1"],
  ["MAXLEN", "~", "2"],
  ["MINID", "2-5"],
  ["MINID", "~", "7"],
  ["MAXLEN", "-1"],
  ["MAXLEN", "x"],
  ["MAXLEN", "1", "MINID", "1"],
  ["LIMIT", "3"],
  ["MAXLEN", "1", "LIMIT", "3"],
  ["MAXLEN", "~", "1", "LIMIT", "-3"],
  ["NOMKSTREAM"],
);
const count = maybe(["COUNT", "1"], ["COUNT", "2"], ["COUNT", "0"], ["COUNT", "-3"], ["COUNT", "x"], ["COUNT"]);

const streams = [
  command("XADD", key("stream"), trims, oddId, some(fc.tuple(field, text), 2)),
  command("XADD", key("stream"), entryId, field, text),
  command("XADD", key("stream"), entryId, field, text),
  command("XADD", key("stream"), entryId, field, text, field),
  command("XADD", key("stream"), trims, fc.constant("50-1")),
  command("XLEN", key("stream")),
  command("XRANGE", key("stream"), rangeEnd, rangeEnd, count),
  command("XREVRANGE", key("stream"), rangeEnd, rangeEnd, count),
  command("XTRIM", key("stream"), trims),
  command("XDEL", key("stream"), some(oddId)),
  command("XREAD", count, fc.constant("STREAMS"), key("stream"), oddId),
  command(
    "XREAD",
    count,
    maybe(["BLOCK", "x"], ["BLOCK", "-1"], "NOACK", ["GROUP", "g", "c"]),
    fc.constant("STREAMS"),
    fc.constant(["stream1", "stream2"]),
    entryId,
    fc.constantFrom("0", "$", ">"),
  ),
  command("XREAD", fc.constant("STREAMS"), key("stream"), key("stream"), oddId),
];

const group = fc.constantFrom("g", "g", "g", "h");
const consumer = fc.constantFrom("c", "d");
const read: Part = fc.tuple(group, consumer).map((names) => ["GROUP", ...names]);

const groups = [
  command(
    "XGROUP",
    fc.constantFrom("CREATE", "create"),
    key("stream"),
    group,
    fc.constantFrom("0", "$", "2-5", "x"),
    maybe("MKSTREAM", ["MKSTREAM", "ENTRIESREAD", "2"], ["ENTRIESREAD", "-2"], "FOO"),
  ),
  command("XGROUP", fc.constant("CREATE"), key("stream"), group, fc.constant("0"), fc.constant("MKSTREAM")),
  command("XGROUP", fc.constantFrom("SETID"), key("stream"), group, fc.constantFrom("0", "$", "3-0", "x")),
  command("XGROUP", fc.constantFrom("DESTROY", "FOO", "DESTROY", "CREATE"), key("stream"), group, maybe("more")),
  command("XGROUP", fc.constantFrom("CREATECONSUMER", "DELCONSUMER"), key("stream"), group, consumer, maybe("more")),
  command("XREADGROUP", read, count, fc.constant("STREAMS"), key("stream"), fc.constant(">")),
  command("XREADGROUP", read, count, fc.constant("STREAMS"), key("stream"), fc.constant(">")),
  command("XREADGROUP", read, count, fc.constant("STREAMS"), key("stream"), fc.constantFrom("0", "1-2", "x", "$")),
  command(
    "XREADGROUP",
    read,
    maybe("NOACK"),
    fc.constant("STREAMS"),
    fc.constant(["stream1", "stream2"]),
    fc.constantFrom(">", "0"),
    fc.constantFrom(">", "0", "3-0"),
  ),
  command("XREADGROUP", maybe(["COUNT", "1", "NOACK"]), fc.constant(["STREAMS", "stream1", "stream2", ">", ">"])),
  command("XREADGROUP", read, fc.constant("STREAMS"), key("stream"), key("stream"), fc.constant(">")),
  command("XACK", key("stream"), group, some(oddId)),
  command("XPENDING", key("stream"), group),
  command(
    "XPENDING",
    key("stream"),
    group,
    maybe(["IDLE", "0"], ["IDLE", "x"], ["FOO", "0"]),
    rangeEnd,
    rangeEnd,
    fc.constantFrom("0", "-1", "10", "x"),
    maybe("c", "d", "nobody"),
  ),
  command("XPENDING", key("stream"), group, rangeEnd),
  command(
    "XAUTOCLAIM",
    key("stream"),
    group,
    consumer,
    fc.constantFrom("0", "-5", "600000", "x"),
    fc.oneof(entryId, fc.constantFrom("0", "x", "(2", "-")),
    maybe("JUSTID", ["COUNT", "1"], ["COUNT", "0"], ["COUNT"], "FOO"),
  ),
  command(
    "XCLAIM",
    key("stream"),
    group,
    consumer,
    fc.constantFrom("0", "600000", "x"),
    some(entryId),
    maybe("JUSTID", "justid", "FOO", ["IDLE", "900000"], ["RETRYCOUNT", "7"], ["IDLE", "x"], ["RETRYCOUNT"]),
    maybe("JUSTID", ["RETRYCOUNT", "x"]),
  ),
  command("XINFO", fc.constantFrom("GROUPS", "GROUPS", "GROUPS", "FOO"), key("stream"), maybe("more")),
];

const others = [
  command("PING"),
  command("ECHO", text),
  command("PUBLISH", text, text),
  command("NOSUCH", integer),
  command("GET"),
  command("HSET", anyKey),
  command("ZRANGE", anyKey, integer),
];

/** One command that changes nothing outside of the keyspace. */
export const anyCommand: fc.Arbitrary<string[]> = fc.oneof(
  { weight: 2, arbitrary: fc.oneof(...strings) },
  { weight: 2, arbitrary: fc.oneof(...keys) },
  { weight: 4, arbitrary: fc.oneof(...hashes) },
  { weight: 5, arbitrary: fc.oneof(...lists) },
  { weight: 2, arbitrary: fc.oneof(...sets) },
  { weight: 6, arbitrary: fc.oneof(...sortedSets) },
  { weight: 4, arbitrary: fc.oneof(...ranges) },
  { weight: 2, arbitrary: fc.oneof(...byBytes) },
  { weight: 4, arbitrary: fc.oneof(...streams) },
  { weight: 5, arbitrary: fc.oneof(...groups) },
  { weight: 1, arbitrary: fc.oneof(...others) },
);

/** Commands whose reply has no order: a list of them is compared after sorting. */
export const UNORDERED: ReadonlySet<string> = new Set(["SMEMBERS", "KEYS", "HKEYS", "HVALS"]);

/** The command that reads the whole value of a key, by its type. */
export function readCommand(key: string, type: string): string[] {
  switch (type) {
    case "string":
      return ["GET", key];
    case "hash":
      return ["HGETALL", key];
    case "list":
      return ["LRANGE", key, "0", "-1"];
    case "set":
      return ["SMEMBERS", key];
    case "stream":
      return ["XRANGE", key, "-", "+"];
    default:
      return ["ZRANGE", key, "0", "-1", "WITHSCORES"];
  }
}
