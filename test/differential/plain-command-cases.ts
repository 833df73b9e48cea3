/**
 * Random calls of every plain command of the embedded engine: right ones, and such as no program should send.
 *
 * A call is drawn from the command's own grammar and then, one time in four, bent: an argument lost, doubled, swapped
 * or replaced by something odd, options in another case, twice, or from another command. Keys, members and numbers are
 * few so that calls meet one another's values.
 */

import fc from "fast-check";

export type Part = fc.Arbitrary<string | readonly string[]>;

/** A sorted set of several scores that is read by bytes; only where no text is too long for the compact form. */
export const UNEVEN_KEY = "uneven";

/** An instant that passes in no test, in milliseconds and in seconds. */
const FAR_AT = "4102444800000";
const FAR_AT_S = "4102444800";

const LONG = "l".repeat(65);
const LONGER = "m".repeat(45);

const ODD_NUMBERS = [
  "-0",
  "00",
  "01",
  "+1",
  " 1",
  "1 ",
  "1.0",
  "1e2",
  "1e400",
  "-1e400",
  "1e-400",
  "5e-324",
  "nan",
  "-nan",
  "inf",
  "-inf",
  "+inf",
  "Infinity",
  "infinit",
  "0x10",
  "0X1.8p1",
  "2147483648",
  "4294967296",
  "9007199254740991",
  "9007199254740992",
  "9007199254740993",
  "-9007199254740993",
  "9223372036854775807",
  "9223372036854775808",
  "-9223372036854775807",
  "-9223372036854775808",
  "-9223372036854775809",
  "18446744073709551615",
  "18446744073709551616",
];

const ODD_TEXTS = [
  "",
  "\0",
  "1\0",
  "a\r\nb",
  "\r\n",
  "\xff\xfe",
  " ",
  "*",
  "$",
  ">",
  "~",
  "=",
  "-",
  "+",
  "(",
  "[",
  "(1",
  "[a",
  "?",
  "[^a]",
  "\\",
  "-x-",
  "1-",
  "-1-1",
  "x".repeat(140),
  LONG,
];

const WORDS = [
  "NX XX GT LT CH INCR EX PX EXAT PXAT KEEPTTL PERSIST GET COUNT MATCH TYPE NOVALUES NOSCORES LIMIT",
  "WITHSCORES WITHSCORE REV BYSCORE BYLEX LEFT RIGHT BEFORE AFTER RANK MAXLEN MINID NOMKSTREAM",
  "BLOCK STREAMS GROUP NOACK JUSTID FORCE IDLE TIME RETRYCOUNT LASTID MKSTREAM ENTRIESREAD",
  "ENTRIESADDED MAXDELETEDID FULL REPLACE DB FIELDS SYNC ASYNC",
].flatMap((line) => line.split(" "));

export const odd = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...ODD_NUMBERS) },
  { weight: 2, arbitrary: fc.constantFrom(...ODD_TEXTS) },
  { weight: 3, arbitrary: fc.constantFrom(...WORDS) },
);

const member = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom("a", "b", "c", "dd", "e\x00f", "\xff", "", "0", "10", "-7") },
  { weight: 1, arbitrary: fc.constantFrom(LONG, LONGER, "9223372036854775807", "007", "a\r\nb") },
);
const field = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom("f", "g", "h", "state", "\x00", "") },
  { weight: 1, arbitrary: fc.constant(LONG) },
);
const text = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.constantFrom("", "1", "-7", "text", "4503599627370496", "\xc3\x28\x00", "9223372036854775806"),
  },
  { weight: 2, arbitrary: fc.constantFrom(LONG, LONGER, "9007199254740993", "-9223372036854775808", " 1", "01") },
);
const few = fc.constantFrom("0", "1", "2", "-1", "-2", "3", "5", "100", "-100");
const integer = fc.oneof({ weight: 12, arbitrary: few }, { weight: 1, arbitrary: fc.constantFrom(...ODD_NUMBERS) });
const by = fc.oneof(
  { weight: 6, arbitrary: few },
  { weight: 2, arbitrary: fc.constantFrom("9007199254740993", "9223372036854775807", "-9223372036854775808") },
);
const score = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom("0", "1", "2", "-1", "5", "1.5", "-0", "0.1", "inf", "-inf") },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "1e21",
      "1e-7",
      "123456789.123",
      "4503599627370496.5",
      "1e17",
      "9007199254740993",
      "1.7976931348623157e308",
      "3.14159265358979",
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom(...ODD_NUMBERS) },
);
const scoreEnd = fc.oneof(
  { weight: 6, arbitrary: score },
  { weight: 3, arbitrary: score.map((end) => `(${end}`) },
  { weight: 1, arbitrary: fc.constantFrom("x", "(x", "", "(", " 1", "( 1", "1\0x") },
);
const bytesEnd = fc.oneof(
  member.map((end) => `[${end}`),
  member.map((end) => `(${end}`),
  fc.constantFrom("-", "+", "x", "", "+x"),
);
const side = fc.constantFrom("LEFT", "RIGHT", "left", "right");
const expiresAt = fc.constantFrom(FAR_AT, FAR_AT, "1", "-5");

function key(type: string): fc.Arbitrary<string> {
  const own = fc.constantFrom(`${type}1`, `${type}2`);
  return fc.oneof({ weight: 12, arbitrary: own }, { weight: 1, arbitrary: anyKey });
}

const TYPES = ["string", "hash", "list", "set", "zset", "stream"];
const anyKey = fc.constantFrom(...TYPES.flatMap((type) => [`${type}1`, `${type}2`]));

export function call(name: string, ...parts: readonly Part[]): fc.Arbitrary<string[]> {
  return fc.tuple(...parts).map((args) => [name, ...args.flat()]);
}

export function some(part: Part, most = 3): Part {
  return fc.array(part, { minLength: 1, maxLength: most }).map((parts) => parts.flat());
}

export function maybe(...words: readonly (string | readonly string[])[]): Part {
  return fc.constantFrom<string | readonly string[]>([], [], [], ...words);
}

export function words(...choices: readonly (string | readonly string[])[]): Part {
  return fc.constantFrom<string | readonly string[]>(...choices);
}

function pair(word: string, value: fc.Arbitrary<string>): Part {
  return fc.oneof(
    fc.constant([]),
    value.map((each) => [word, each]),
  );
}

/** Any number of these options, in any order, also twice. */
export function options(...choices: readonly Part[]): Part {
  return fc.array(fc.oneof(...choices), { maxLength: 3 }).map((parts) => parts.flat());
}

const limit: Part = fc.tuple(integer, integer).map(([offset, count]) => ["LIMIT", offset, count]);
const expiry: Part = fc.oneof(
  fc.constantFrom(["EXAT", FAR_AT_S], ["PXAT", FAR_AT], ["EX", "100000"], ["PX", "100000000"], ["EXAT", "1"]),
  fc.tuple(fc.constantFrom("EX", "PX", "EXAT", "PXAT"), fc.constantFrom(...ODD_NUMBERS, "0", "-1")).map((both) => both),
);

const strings = [
  call("GET", key("string")),
  call("GETDEL", key("string")),
  call("GETSET", key("string"), text),
  call("GETEX", key("string"), options(expiry, words("PERSIST"))),
  call("SET", key("string"), text),
  call("SET", key("string"), text, options(expiry, words("NX", "XX", "GET", "KEEPTTL", "nx", "get"))),
  call("SETNX", key("string"), text),
  call("SETEX", key("string"), fc.oneof(fc.constant("100000"), integer), text),
  call("PSETEX", key("string"), fc.oneof(fc.constant("100000000"), integer), text),
  call("MGET", some(anyKey)),
  call("MSET", some(fc.tuple(key("string"), text))),
  call("MSETNX", some(fc.tuple(key("string"), text), 2)),
  call("APPEND", key("string"), text),
  call("STRLEN", key("string")),
  call("GETRANGE", key("string"), integer, integer),
  call("SUBSTR", key("string"), integer, integer),
  call("SETRANGE", key("string"), fc.constantFrom("0", "1", "3", "70", "-1", "x", "9007199254740993"), text),
  call("INCR", key("string")),
  call("DECR", key("string")),
  call("INCRBY", key("string"), by),
  call("DECRBY", key("string"), by),
];

const keys = [
  call("DEL", some(anyKey)),
  call("UNLINK", anyKey),
  call("EXISTS", some(anyKey)),
  call("TOUCH", some(anyKey)),
  call("TYPE", anyKey),
  call("DBSIZE"),
  call("EXPIRE", anyKey, words("100000", "0", "-1", "9223372036854775807", "9223372036854775", "-9223372036854775808")),
  call("PEXPIRE", anyKey, words("100000000", "0", "-1", "9223372036854775807", "x")),
  call("EXPIREAT", anyKey, words(FAR_AT_S, "1", "0", "9223372036854775807"), options(words("NX", "XX", "GT", "lt"))),
  call("PEXPIREAT", anyKey, expiresAt, options(words("NX", "XX", "GT", "LT"))),
  call("PEXPIREAT", anyKey, words(FAR_AT, "9223372036854775807", "9007199254740993")),
  call("PERSIST", anyKey),
  call("TTL", anyKey),
  call("PTTL", anyKey),
  call("EXPIRETIME", anyKey),
  call("PEXPIRETIME", anyKey),
  call("RENAME", anyKey, anyKey),
  call("RENAMENX", anyKey, anyKey),
  call("COPY", anyKey, anyKey, options(words("REPLACE", ["DB", "0"], ["DB", "1"], ["DB", "x"]))),
  call("KEYS", words("*", "hash?", "[a-m]*", "*\\1", "nothing", "[^s]*", "[", "*[1")),
  call("OBJECT", words("ENCODING", "REFCOUNT", "FREQ", "encoding", "NONE"), key("string")),
  call("SCAN", words("0"), words(["COUNT", "1000"]), maybe(["MATCH", "*1"], ["TYPE", "hash"], ["TYPE", "none"])),
  call("SCAN", words("x", "-1", "", "1x", " 1"), maybe(["COUNT", "0"], ["COUNT", "x"], ["FOO", "1"])),
  call("SCAN", words("0"), words(["COUNT", "0"], ["COUNT", "x"], ["FOO", "1"], "COUNT", ["TYPE", "x"])),
];

const hashes = [
  call("HSET", key("hash"), some(fc.tuple(field, text))),
  call("HMSET", key("hash"), some(fc.tuple(field, text))),
  call("HSET", key("hash"), field, text, field),
  call("HSETNX", key("hash"), field, text),
  call("HGET", key("hash"), field),
  call("HMGET", key("hash"), some(field)),
  call("HGETALL", key("hash")),
  call("HKEYS", key("hash")),
  call("HVALS", key("hash")),
  call("HLEN", key("hash")),
  call("HSTRLEN", key("hash"), field),
  call("HDEL", key("hash"), some(field)),
  call("HEXISTS", key("hash"), field),
  call("HINCRBY", key("hash"), field, by),
  call("HSCAN", key("hash"), words("0", "0", "x", ""), options(words("NOVALUES", ["MATCH", "[f-g]"], ["COUNT", "1"]))),
];

const lists = [
  call("LPUSH", key("list"), some(member)),
  call("RPUSH", key("list"), some(member, 6)),
  call("LPUSHX", key("list"), some(member)),
  call("RPUSHX", key("list"), some(member)),
  call("LPOP", key("list"), maybe("0", "1", "2", "-1", "x", "9223372036854775807")),
  call("RPOP", key("list"), maybe("0", "2")),
  call("LLEN", key("list")),
  call("LRANGE", key("list"), integer, integer),
  call("LINDEX", key("list"), integer),
  call("LSET", key("list"), integer, member),
  call("LREM", key("list"), integer, member),
  call("LTRIM", key("list"), integer, integer),
  call("LINSERT", key("list"), words("BEFORE", "AFTER", "before", "UP"), member, member),
  call("LMOVE", key("list"), key("list"), side, side),
  call("RPOPLPUSH", key("list"), key("list")),
  call("LPOS", key("list"), member, options(pair("RANK", integer), pair("COUNT", integer), pair("MAXLEN", integer))),
];

const sets = [
  call("SADD", key("set"), some(member)),
  call("SADD", key("set"), some(fc.constantFrom("1", "22", "-3", "007", "9223372036854775807"))),
  call("SREM", key("set"), some(member)),
  call("SMOVE", key("set"), key("set"), member),
  call("SISMEMBER", key("set"), member),
  call("SMISMEMBER", key("set"), some(member)),
  call("SMEMBERS", key("set")),
  call("SCARD", key("set")),
  call("SSCAN", key("set"), words("0", "0", "x"), options(words(["MATCH", "[a-c]"], ["COUNT", "1"], "NOVALUES"))),
  call("OBJECT", words("ENCODING"), key("set")),
];

const sortedSets = [
  call("ZADD", key("zset"), some(fc.tuple(score, member), 5)),
  call("ZADD", key("zset"), some(fc.tuple(score, member), 5)),
  call("ZADD", key("zset"), options(words("NX", "XX", "GT", "LT", "CH", "xx", "ch")), score, member),
  call("ZADD", key("zset"), options(words("CH", "XX", "NX", "GT", "lt")), words("INCR", "incr"), score, member),
  call("ZADD", key("zset"), score, member, score),
  call("ZREM", key("zset"), some(member)),
  call("ZCARD", key("zset")),
  call("ZSCORE", key("zset"), member),
  call("ZMSCORE", key("zset"), some(member)),
  call("ZRANK", key("zset"), member, maybe("WITHSCORE", "withscore", "x")),
  call("ZREVRANK", key("zset"), member, maybe("WITHSCORE")),
  call("ZINCRBY", key("zset"), score, member),
  call("ZPOPMIN", key("zset"), maybe("0", "2", "-1", "x", ["1", "2"])),
  call("ZPOPMAX", key("zset"), maybe("2", "9223372036854775807")),
  call("ZSCAN", key("zset"), words("0", "0", "x"), options(words("NOSCORES", ["MATCH", "[a-c]"], ["COUNT", "1"]))),
  call("OBJECT", words("ENCODING"), key("zset")),
];

const scores = words("WITHSCORES", "withscores");

const ranges = [
  call("ZRANGE", key("zset"), integer, integer, options(words("REV"), scores, limit)),
  call("ZRANGE", key("zset"), scoreEnd, scoreEnd, words("BYSCORE"), options(words("REV"), limit, scores)),
  call("ZREVRANGE", key("zset"), integer, integer, options(scores)),
  call("ZRANGEBYSCORE", key("zset"), scoreEnd, scoreEnd, options(limit, scores)),
  call("ZREVRANGEBYSCORE", key("zset"), scoreEnd, scoreEnd, options(limit, scores)),
  call("ZCOUNT", key("zset"), scoreEnd, scoreEnd),
  call("ZREMRANGEBYRANK", key("zset"), integer, integer),
  call("ZREMRANGEBYSCORE", key("zset"), scoreEnd, scoreEnd),
];

// What an order by bytes means among members with several scores the server leaves open where it keeps many members or
// a long one, so these have sets of their own.
const byBytes = ["flat", UNEVEN_KEY].flatMap((name) => [
  call(
    "ZADD",
    words(name),
    some(fc.tuple(name === "flat" ? fc.constant("0") : fc.constantFrom("0", "1", "-1"), member), 5),
  ),
  call("ZREM", words(name), member),
  call("ZRANGE", words(name), bytesEnd, bytesEnd, words("BYLEX"), options(words("REV"), limit, scores)),
  call("ZRANGEBYLEX", words(name), bytesEnd, bytesEnd, options(limit)),
  call("ZREVRANGEBYLEX", words(name), bytesEnd, bytesEnd, options(limit)),
  call("ZLEXCOUNT", words(name), bytesEnd, bytesEnd),
  call("ZREMRANGEBYLEX", words(name), bytesEnd, bytesEnd),
]);

const entryId = fc.constantFrom("1-1", "1-2", "2", "2-5", "3-0", "7-1", "7-20", "9-9", "40-0");
const oddId = fc.oneof(
  { weight: 12, arbitrary: entryId },
  {
    weight: 3,
    arbitrary: fc.constantFrom("0-0", "5-*", "x", "1-2-3", "", "-", "+", "3-*", "*", "1-", "-1", "01-1", "1-01"),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "9007199254740993-1",
      "40-18446744073709551615",
      "40-*",
      "18446744073709551615-18446744073709551614",
      "18446744073709551616-1",
    ),
  },
);
const rangeEnd = fc.oneof(
  { weight: 4, arbitrary: oddId },
  { weight: 2, arbitrary: fc.constantFrom("-", "+", "0") },
  { weight: 2, arbitrary: oddId.map((id) => `(${id}`) },
);
// Trims that are not exact depend on how the server cuts a stream into nodes; small ones take nothing, or all.
const trims: Part = options(
  words("NOMKSTREAM", "nomkstream"),
  words(["MAXLEN", "3"], ["MAXLEN", "=", "1"], ["MAXLEN", "~", "2"], ["MINID", "2-5"], ["MINID", "~", "7"]),
  words(["MAXLEN", "-1"], ["MAXLEN", "x"], ["MAXLEN", "=", "2", "LIMIT", "3"], ["LIMIT", "3"], ["LIMIT", "0"]),
  words(["MAXLEN", "~", "1", "LIMIT", "-3"], ["MAXLEN", "~", "1", "LIMIT", "0"], ["MINID", "=", "x"], "MAXLEN"),
);
const count: Part = fc.oneof(fc.constant([]), pair("COUNT", integer));

const streams = [
  call("XADD", key("stream"), trims, oddId, some(fc.tuple(field, text), 2)),
  call("XADD", key("stream"), entryId, field, text),
  call("XADD", key("stream"), entryId, field, text),
  call("XADD", key("stream"), entryId, field, text, field),
  call("XLEN", key("stream")),
  call("XRANGE", key("stream"), rangeEnd, rangeEnd, count),
  call("XREVRANGE", key("stream"), rangeEnd, rangeEnd, count),
  call("XTRIM", key("stream"), trims),
  call("XDEL", key("stream"), some(oddId)),
  call("XREAD", count, words("STREAMS", "streams"), key("stream"), fc.oneof(oddId, fc.constantFrom("$", ">", "+"))),
  call(
    "XREAD",
    options(count, words(["BLOCK", "0"], ["BLOCK", "x"], ["BLOCK", "-1"], "NOACK", ["GROUP", "g", "c"])),
    words("STREAMS"),
    words(["stream1", "stream2"]),
    entryId,
    fc.constantFrom("0", "$", ">", "+", "9-9"),
  ),
  call("XREAD", words("STREAMS"), key("stream"), key("stream"), oddId),
  call(
    "XSETID",
    key("stream"),
    oddId,
    options(words(["ENTRIESADDED", "100"], ["ENTRIESADDED", "-1"], ["MAXDELETEDID", "2-0"], ["MAXDELETEDID", "99-1"])),
  ),
  call("XINFO", words("STREAM", "stream"), key("stream"), maybe("FULL", ["FULL", "COUNT", "1"], ["COUNT", "1"])),
];

const group = fc.constantFrom("g", "g", "g", "h");
const consumer = fc.constantFrom("c", "d");
const read: Part = fc.tuple(group, consumer).map((names) => ["GROUP", ...names]);
const newEntries = call("XREADGROUP", read, count, words("STREAMS"), key("stream"), words(">"));

const groups = [
  call(
    "XGROUP",
    words("CREATE", "create"),
    key("stream"),
    group,
    fc.oneof(fc.constantFrom("0", "$", "2-5", "x", "+", "-"), oddId),
    options(words("MKSTREAM", ["ENTRIESREAD", "2"], ["ENTRIESREAD", "-2"], ["ENTRIESREAD", "-1"], "FOO")),
  ),
  call("XGROUP", words("CREATE"), key("stream"), group, words("0"), words("MKSTREAM")),
  call("XGROUP", words("SETID"), key("stream"), group, oddId, maybe(["ENTRIESREAD", "3"], "MKSTREAM")),
  call("XGROUP", words("DESTROY", "FOO", "DESTROY", "CREATE"), key("stream"), group, maybe("more")),
  call("XGROUP", words("CREATECONSUMER", "DELCONSUMER"), key("stream"), group, consumer, maybe("more")),
  newEntries,
  newEntries,
  call("XREADGROUP", read, count, words("STREAMS"), key("stream"), fc.oneof(oddId, fc.constantFrom("0", "$"))),
  call(
    "XREADGROUP",
    read,
    options(words("NOACK", ["BLOCK", "1"], ["COUNT", "1"])),
    words("STREAMS"),
    words(["stream1", "stream2"]),
    fc.constantFrom(">", "0"),
    fc.constantFrom(">", "0", "3-0"),
  ),
  call("XREADGROUP", maybe(["COUNT", "1", "NOACK"]), words(["STREAMS", "stream1", "stream2", ">", ">"])),
  call("XREADGROUP", read, words("STREAMS"), key("stream"), key("stream"), words(">")),
  call("XACK", key("stream"), group, some(oddId)),
  call("XPENDING", key("stream"), group),
  call(
    "XPENDING",
    key("stream"),
    group,
    maybe(["IDLE", "0"], ["IDLE", "x"], ["FOO", "0"], ["idle", "600000"]),
    rangeEnd,
    rangeEnd,
    integer,
    maybe("c", "d", "nobody"),
  ),
  call("XPENDING", key("stream"), group, rangeEnd),
  call(
    "XAUTOCLAIM",
    key("stream"),
    group,
    consumer,
    fc.constantFrom("0", "-5", "600000", "x", "9223372036854775808"),
    rangeEnd,
    options(words("JUSTID", "justid"), pair("COUNT", integer)),
  ),
  call(
    "XCLAIM",
    key("stream"),
    group,
    consumer,
    fc.constantFrom("0", "0", "600000", "x"),
    some(entryId),
    options(
      words("JUSTID", "justid", "FORCE", "force"),
      words(["IDLE", "900000"], ["TIME", "5"], ["RETRYCOUNT", "7"], ["LASTID", "7-1"], ["LASTID", "99"]),
      words(["IDLE", "x"], ["IDLE", "-5"], ["TIME", FAR_AT], ["TIME", "x"], ["RETRYCOUNT", "-1"], ["LASTID", "x"]),
      words("RETRYCOUNT", "FOO"),
    ),
  ),
  call("XINFO", words("GROUPS", "groups", "FOO"), key("stream"), maybe("more")),
  call("XINFO", words("CONSUMERS"), key("stream"), group),
];

const others = [
  call("PING", maybe("hello", ["a", "b"])),
  call("ECHO", text),
  call("PUBLISH", text, text),
  call("WAIT", fc.constantFrom("0", "1", "-1", "x"), fc.constantFrom("0", "10", "-1", "x", "9223372036854775808")),
  call("NOSUCH", odd),
  call("GET"),
  call("XINFO"),
];

const rare = [call("FLUSHALL", maybe("SYNC", "async", "x", ["SYNC", "ASYNC"])), call("FLUSHDB", maybe("ASYNC"))];

const sound = fc.oneof(
  { weight: 6, arbitrary: fc.oneof(...strings) },
  { weight: 4, arbitrary: fc.oneof(...keys) },
  { weight: 5, arbitrary: fc.oneof(...hashes) },
  { weight: 6, arbitrary: fc.oneof(...lists) },
  { weight: 4, arbitrary: fc.oneof(...sets) },
  { weight: 6, arbitrary: fc.oneof(...sortedSets) },
  { weight: 5, arbitrary: fc.oneof(...ranges) },
  { weight: 4, arbitrary: fc.oneof(...byBytes) },
  { weight: 6, arbitrary: fc.oneof(...streams) },
  { weight: 9, arbitrary: fc.oneof(...groups) },
  { weight: 1, arbitrary: fc.oneof(...others) },
);

/** Whether an argument is a time so short that it may pass while the test runs. */
function mayPass(name: string, args: readonly string[], at: number): boolean {
  if (!/^[1-9][0-9]{0,4}$/.test(args[at] ?? "")) return false;
  if (name === "SET" || name === "GETEX") return /^[EP]X$/i.test(args[at - 1] ?? "");
  return at === 1 && !name.endsWith("AT");
}

type Bend = (parts: readonly string[], at: number, odd: string) => readonly string[];

const BENDS: readonly Bend[] = [
  (parts, at) => parts.toSpliced(at, 1),
  (parts, at) => parts.toSpliced(at, 0, parts[at] ?? ""),
  (parts, at, what) => parts.toSpliced(at, 1, what),
  (parts, at, what) => parts.toSpliced(at, 1, what),
  (parts, at, what) => parts.toSpliced(at, 0, what),
  (parts, _, what) => [...parts, what],
  (parts, at) => [...parts, ...parts.slice(at)],
  (parts) => parts.map((part) => (/^[A-Z]{2,}$/.test(part) ? part.toLowerCase() : part)),
  (parts, at) => parts.toSpliced(at, 2, ...parts.slice(at, at + 2).reverse()),
];

/** Calls with one thing about each changed. The name stays, or nearly all of them would be unknown. */
export function bent(calls: fc.Arbitrary<readonly string[]>): fc.Arbitrary<string[]> {
  return fc
    .tuple(calls, fc.constantFrom(...BENDS), fc.nat(1000), odd)
    .map(([parts, bend, place, what]) => [
      parts[0] ?? "",
      ...bend(parts.slice(1), place % Math.max(1, parts.length - 1), what),
    ]);
}

/** One call of a plain command. */
export const anyCall: fc.Arbitrary<string[]> = fc
  .oneof(
    { weight: 300, arbitrary: sound },
    { weight: 100, arbitrary: bent(sound) },
    { weight: 1, arbitrary: fc.oneof(...rare) },
  )
  .filter((parts) => !isLeftOut(parts));

/** Whether a call is one that docs/operate/serve.md names as answered in another way. */
function isLeftOut([name = "", ...args]: readonly string[]): boolean {
  const subcommand = args[0]?.toUpperCase() ?? "";
  if (name === "OBJECT") return ["REFCOUNT", "FREQ", "IDLETIME", "HELP"].includes(subcommand);
  if (name === "XINFO" || name === "XGROUP") return subcommand === "HELP";
  // The server takes memory for as many ids as are asked for, and has it or has not.
  // Instants beyond 2^53 are refused.
  if (/^(?:SET|GETEX|SETEX|PSETEX|P?EXPIRE|P?EXPIREAT)$/.test(name)) {
    return args.slice(1).some((argument, at) => /^-?[0-9]{16,}$/.test(argument) || mayPass(name, args, at + 1));
  }
  // Counts are exact up to 2^53.
  if (/^(?:XSETID|XGROUP|XCLAIM)$/.test(name)) return args.some((argument) => /^-?[0-9]{16,}$/.test(argument));
  // So is what one step finds of more keys than it looks at.
  if (name === "SCAN" && /^\s*[+-]?0*(?:$|\0)/.test(args[0] ?? ""))
    return !/\b(?:count (?:[0-9]{4,}|0|x|$)|foo\b)/i.test(`${args.join(" ")} `);
  // Where a step of a scan goes on is each server's own. A cursor ends at a NUL, and may wrap round below 0.
  if (/^(?:SCAN|[HSZ]SCAN)$/.test(name))
    return /^\s*[+-]?0*[1-9][0-9]*(?:$|\0)/.test(args[name === "SCAN" ? 0 : 1] ?? "");
  // The server cuts the index to 32 bits.
  if (name === "LSET") return /^-?[0-9]{10,}$/.test(args[1] ?? "");
  // What an order by bytes means among several scores is left open.
  if (/^Z(?:ADD|INCRBY)$/.test(name) && args[0] === "flat")
    return args.some((score, at) => at % 2 === 1 && score !== "0");
  if (name === "XAUTOCLAIM") return args.slice(5).some((argument) => /^[0-9]{9,}$/.test(argument));
  return false;
}

/** Commands that read the whole of what a key holds, by its type. */
export const READS: Readonly<Record<string, (key: string) => string[][]>> = {
  string: (name) => [["GET", name]],
  hash: (name) => [["HGETALL", name]],
  list: (name) => [["LRANGE", name, "0", "-1"]],
  set: (name) => [["SMEMBERS", name]],
  zset: (name) => [["ZRANGE", name, "0", "-1", "WITHSCORES"]],
  stream: (name) => [
    ["XRANGE", name, "-", "+"],
    ["XINFO", "STREAM", name, "FULL", "COUNT", "0"],
  ],
};
