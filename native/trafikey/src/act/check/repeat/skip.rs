// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.SKIP`: the text of the refusal, empty when all is well.
pub fn check_skip<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 3 {
        return text!(b"ERR EMQ.SKIP takes 3 keys");
    }
    if args.len() != 7 {
        return text!(b"ERR wrong number of arguments for 'EMQ.SKIP' command");
    }
    if !s.name(args.get(0)) {
        return text!(b"ERR EMQ.SKIP bad argument name");
    }
    if !s.int(args.get(1), 0, 9007199254740991) {
        return text!(b"ERR EMQ.SKIP bad argument due_at");
    }
    if !s.int(args.get(2), 0, 9007199254740991) {
        return text!(b"ERR EMQ.SKIP bad argument rev");
    }
    if !s.int(args.get(3), 0, 9007199254740991) {
        return text!(b"ERR EMQ.SKIP bad argument next_at");
    }
    if !s.int(args.get(4), 0, 1000000000) {
        return text!(b"ERR EMQ.SKIP bad argument skipped");
    }
    if !s.int(args.get(5), 0, 9007199254740991) {
        return text!(b"ERR EMQ.SKIP bad argument skip_slot");
    }
    if args.get(6) != text!(b"missed") && args.get(6) != text!(b"dst") && args.get(6) != text!(b"hand") {
        return text!(b"ERR EMQ.SKIP bad argument why");
    }
    let base: Text<'a> = keys.get(2);
    let plane: Text<'a> = if keys.get(0) == s.concat(&[base, text!(b"cron")]) { text!(b"cron") } else { text!(b"repeat") };
    if !s.base(base) || keys.get(0) != s.concat(&[base, plane]) || keys.get(1) != s.concat(&[base, plane, text!(b":"), args.get(0)]) {
        return text!(b"ERR EMQ.SKIP keys do not match the wire-4 layout");
    }
    return s.fence();
}