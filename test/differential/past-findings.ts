/**
 * What random calls and sessions once showed to be answered in another way than by the server, in the shortest form.
 * They run each time, whatever the seed.
 */

import type { Call } from "./plain-commands.ts";
import type { Sequence } from "./served-calls.ts";
import type { Step } from "./served-sessions.ts";

const UNEVEN: Call = ["ZADD", "uneven", "0", "a", "1", "", "1", "b", "0", "-7"];

/** Plain calls, by what was wrong. */
export const PLAIN_FINDINGS: Readonly<Record<string, readonly Call[]>> = {
  "a range by bytes that is empty stays so behind what a limit passes over": [
    UNEVEN,
    ["ZRANGEBYLEX", "uneven", "[a", "[10", "LIMIT", "1", "100"],
    ["ZREVRANGEBYLEX", "uneven", "[10", "[a", "LIMIT", "1", "100"],
    ["ZRANGE", "uneven", "[a", "[10", "BYLEX", "LIMIT", "2", "100"],
  ],
  "a range by bytes is empty when the first member in it from one side is beyond the other": [
    ["ZADD", "uneven", "0", "c", "0", "d", "1", "a", "1", "b", "2", "e"],
    ["ZRANGEBYLEX", "uneven", "(c", "[c", "LIMIT", "1", "2"],
    ["ZRANGEBYLEX", "uneven", "[b", "[b", "LIMIT", "3", "2"],
    ["ZREVRANGEBYLEX", "uneven", "[c", "[c", "LIMIT", "1", "2"],
    ["ZREVRANGEBYLEX", "uneven", "[c", "[b", "LIMIT", "1", "2"],
    ["ZLEXCOUNT", "uneven", "[b", "[b"],
    ["ZREMRANGEBYLEX", "uneven", "[b", "[b"],
  ],
  "a word where a time should stand is no option": [
    ["SET", "string1", "", "EXAT", "get", "EXAT", "4102444800"],
    ["SET", "string1", "", "PX", "GET", "PX", "100000000"],
    ["SET", "string1", "1", "EX", "GET"],
    ["SET", "string1", "1", "PXAT", "NX", "PXAT", "4102444800000", "GET"],
    ["GETEX", "string1", "PX", "PERSIST", "PX", "100000000"],
    ["GETEX", "string1", "EX", "PERSIST"],
  ],
  "ends of a range that differ beyond 2^53 are not the same": [
    ["SET", "string1", "9"],
    ["SUBSTR", "string1", "-9223372036854775807", "-9223372036854775808"],
    ["GETRANGE", "string1", "-9223372036854775808", "-9223372036854775807"],
    ["LPUSH", "list1", "a"],
    ["LRANGE", "list1", "-9223372036854775807", "-9223372036854775808"],
    ["ZADD", "zset1", "0", "a"],
    ["ZRANGE", "zset1", "-9223372036854775807", "-9223372036854775808"],
  ],
  "whole nodes of a stream are counted by the entries that it got, deleted ones as well": [
    ["XADD", "stream1", "1-1", "f", ""],
    ["XSETID", "stream1", "1-1", "ENTRIESADDED", "100"],
    ["XADD", "stream1", "MAXLEN", "~", "1", "LIMIT", "0", "9-9", "f", ""],
    ["XADD", "stream2", "1-1", "f", ""],
    ["XADD", "stream2", "9-9", "f", ""],
    ["XDEL", "stream2", "9-9"],
    ["XTRIM", "stream2", "MINID", "~", "7"],
    ["XTRIM", "stream2", "MINID", "~", "40"],
  ],
};

/** Calls of one client. */
export const SERVED_FINDINGS: Readonly<Record<string, Sequence>> = {
  "a word where a time should stand is no option": {
    together: [["ZREVRANGE", "zset1", "0", "0"]],
    apart: [["SET", "string1", "", "EXAT", "get", "EXAT", "4102444800"]],
  },
};

/** Calls of one client about itself and others, whose ids are written as in `served-connections.ts`. */
export const CONNECTION_FINDINGS: Readonly<Record<string, readonly Call[]>> = {
  "the options of HELLO are judged one by one, and before the login": [
    ["HELLO", "3", "SETNAME", "a b", "FOO"],
    ["HELLO", "2", "SETNAME", "a b", "AUTH", "default"],
    ["HELLO", "2", "SETNAME", "me", "SETNAME", "you"],
    ["CLIENT", "GETNAME"],
    ["HELLO", "03"],
  ],
  "of filters of one kind the last counts": [
    ["CLIENT", "KILL", "ID", "@other", "ID", "99999999"],
    ["CLIENT", "KILL", "TYPE", "normal", "TYPE", "pubsub"],
    ["CLIENT", "KILL", "ID", "99999999", "ID", "@other"],
  ],
  "numbers are judged as the server judges them": [
    ["SELECT", "00"],
    ["SELECT", "2147483648"],
    ["CLIENT", "LIST", "ID", "0"],
    ["CLIENT", "UNBLOCK", "01"],
    ["CLIENT", "UNBLOCK", "1", "TIMEOUT", "ERROR"],
    ["CLIENT", "KILL", "MAXAGE", "x"],
    ["CLIENT", "KILL", "MAXAGE", "0"],
  ],
  "keys are found where the server finds them": [
    ["COMMAND", "GETKEYS", "evalsha", "x", "0", "a"],
    ["COMMAND", "GETKEYS", "xread", "COUNT", "STREAMS", "STREAMS", "0"],
    ["COMMAND", "GETKEYS", "xread", "a", "STREAMS", "b"],
    ["COMMAND", "GETKEYS", "client", "foo"],
    ["COMMAND", "GETKEYS", "client"],
  ],
};

/** Sessions of several clients. */
export const SESSION_FINDINGS: Readonly<Record<string, readonly Step[]>> = {
  "a message is for those who listened when it was published": [
    {
      who: 0,
      calls: [
        ["XREADGROUP", "GROUP", "g", "a", "BLOCK", "0", "STREAMS", "s1", ">"],
        ["SUBSCRIBE", "c1"],
      ],
    },
    { who: 1, calls: [["MULTI"], ["PUBLISH", "c1", "a"], ["SUBSCRIBE", "c1", "c1"], ["EXEC"]] },
    { who: 0, calls: [["BLPOP", "l1", "0"]] },
  ],
  "a message is for a client that leaves in the same transaction": [
    {
      who: 0,
      calls: [
        ["MULTI"],
        ["SUBSCRIBE", "c1"],
        ["PSUBSCRIBE", "c*"],
        ["PUBLISH", "c1", "a"],
        ["UNSUBSCRIBE", "c1"],
        ["PUBLISH", "c1", "b"],
        ["PUNSUBSCRIBE", "c*"],
        ["PUBLISH", "c1", "c"],
        ["EXEC"],
      ],
    },
  ],
  "a message comes before what the same transaction does to who waits": [
    {
      who: 0,
      calls: [
        ["XGROUP", "CREATE", "s1", "g", "$", "MKSTREAM"],
        ["HELLO", "3"],
      ],
    },
    {
      who: 3,
      calls: [
        ["HELLO", "3"],
        ["SUBSCRIBE", "c2"],
      ],
    },
    { who: 3, calls: [["XREADGROUP", "GROUP", "g", "a", "BLOCK", "0", "STREAMS", "s1", ">"]] },
    { who: 0, calls: [["MULTI"], ["PUBLISH", "c2", "a"], ["FLUSHALL"], ["EXEC"]] },
    { who: 3, calls: [["BLPOP", "l1", "0"]] },
    { who: 0, calls: [["MULTI"], ["RPUSH", "l1", "a"], ["PUBLISH", "c2", "b"], ["EXEC"]] },
  ],
  "a message has the form of the protocol in which it was published": [
    { who: 0, calls: [["SUBSCRIBE", "c1"], ["MULTI"], ["PUBLISH", "c1", "a"], ["HELLO", "2"], ["EXEC"]] },
    { who: 1, calls: [["MULTI"], ["SUBSCRIBE", "c1"], ["PUBLISH", "c1", "a"], ["HELLO", "3"], ["EXEC"]] },
  ],
  "BLOCK is an option only where an option stands, and the last one counts": [
    { who: 0, calls: [["XGROUP", "CREATE", "s1", "BLOCK", "$", "MKSTREAM"]] },
    { who: 0, calls: [["XREADGROUP", "GROUP", "BLOCK", "BLOCK", "STREAMS", "s1", ">"]] },
    { who: 1, calls: [["XREADGROUP", "GROUP", "BLOCK", "BLOCK", "BLOCK", "1", "BLOCK", "0", "STREAMS", "s1", ">"]] },
    { who: 2, calls: [["XREAD", "BLOCK", "1", "COUNT", "1", "block", "0", "STREAMS", "s1", "$"]] },
    { who: 3, calls: [["XADD", "s1", "0-1", "f", "a"]] },
  ],
};
