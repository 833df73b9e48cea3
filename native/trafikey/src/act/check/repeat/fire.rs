// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Generated from `spec/` by `npm run generate`. Do not edit: a test fails when this file is stale.

use crate::runtime::*;

/// Shape, values and layout of `EMQ.FIRE`: the text of the refusal, empty when all is well.
pub fn check_fire<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Text<'a> {
    if keys.len() != 4 {
        return text!(b"ERR EMQ.FIRE takes 4 keys");
    }
    if args.len() < 4 || args.len() > 10 {
        return text!(b"ERR wrong number of arguments for 'EMQ.FIRE' command");
    }
    if !s.name(args.get(0)) {
        return text!(b"ERR EMQ.FIRE bad argument name");
    }
    if !s.int(args.get(2), 0, 9007199254740991) {
        return text!(b"ERR EMQ.FIRE bad argument due_at");
    }
    if args.get(3) != text!(b"") && !s.int(args.get(3), 0, 9007199254740991) {
        return text!(b"ERR EMQ.FIRE bad argument next_at");
    }
    if args.len() > 4 && !s.int(args.get(4), 0, 9007199254740991) {
        return text!(b"ERR EMQ.FIRE bad argument rev");
    }
    if args.len() > 5 && !s.int(args.get(5), 0, 9007199254740991) {
        return text!(b"ERR EMQ.FIRE bad argument slot");
    }
    if args.len() > 6 && !s.int(args.get(6), 0, 9007199254740991) {
        return text!(b"ERR EMQ.FIRE bad argument delay_ms");
    }
    if args.len() > 7 && !s.int(args.get(7), 0, 1000000000) {
        return text!(b"ERR EMQ.FIRE bad argument skipped");
    }
    if args.len() > 8 && !s.int(args.get(8), 0, 9007199254740991) {
        return text!(b"ERR EMQ.FIRE bad argument skip_slot");
    }
    if args.len() > 9 && args.get(9) != text!(b"missed") && args.get(9) != text!(b"dst") && args.get(9) != text!(b"hand") {
        return text!(b"ERR EMQ.FIRE bad argument why");
    }
    let base: Text<'a> = keys.get(3);
    let plane: Text<'a> = if keys.get(0) == s.concat(&[base, text!(b"cron")]) { text!(b"cron") } else { text!(b"repeat") };
    if !s.base(base) || keys.get(0) != s.concat(&[base, plane]) || keys.get(1) != s.concat(&[base, plane, text!(b":"), args.get(0)]) || keys.get(2) != s.concat(&[base, text!(b"job:"), args.get(1)]) {
        return text!(b"ERR EMQ.FIRE keys do not match the wire-4 layout");
    }
    return s.fence();
}