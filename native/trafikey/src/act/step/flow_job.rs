// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! One job of a flow verb: shape, id, payload and one value for each letter of the shape, as in a row of `ADMIT`.
//!
//! What is judged here is judged before the act reads anything; then the places are read that the job may go to; then it
//! is written, its member first and its row by one command, links to its parents included: no other act can ever see the
//! job without them.

use crate::runtime::*;
use crate::act::step::admit_rows::{bad_value, letters_of};
use crate::act::step::bound::{due_in};
use crate::act::step::event::{tell};
use crate::act::step::lane::{is_ordered};
use crate::act::step::ttl::{limit_time};
use crate::act::step::waiting::{let_wait, read_place};

/// Letters that a parent may have.
pub const PARENT_LETTERS: Text<'static> = text!(b"npgoixc");

/// Letters that a child may have that is admitted together with its parent.
pub const CHILD_LETTERS: Text<'static> = text!(b"npgoaixc");

/// Letters that a child may have that is admitted by itself: names too.
pub const NAMED_CHILD_LETTERS: Text<'static> = text!(b"npgoaidtjxc");

/// The arguments that a job takes.
pub fn width_of_job<'a>(shape: Text<'a>) -> i64 {
    return 3 + shape.len();
}

/// The name of the first bad part of the job at `at`, empty when it is well formed. `letters` are those it may have.
pub fn bad_job<'a>(s: &Server<'a>, args: List<'a, Text<'a>>, at: i64, letters: Text<'a>) -> Text<'a> {
    if at >= args.len() {
        return text!(b"shape");
    }
    let shape: Text<'a> = args.get(at);
    let stop: i64 = shape.len();
    if stop > 0 && letters_of(s, shape).get(0) == text!(b"") {
        return text!(b"shape");
    }
    if at + width_of_job(shape) > args.len() {
        return text!(b"row");
    }
    if !(s.branded(args.get(at + 1))) {
        return text!(b"id");
    }
    {
        let mut i: i64 = 0;
        while i < stop {
            let letter: Text<'a> = s.char(shape, i);
            if letters.index_of(letter) < 0 {
                return text!(b"shape");
            }
            let bad: Text<'a> = bad_value(s, letter, args.get(at + 3 + i));
            if bad != text!(b"") {
                return bad;
            }
            i += 1;
        }
    }
    return text!(b"");
}

/// The value of a letter of the job at `at`, empty where it has no such letter.
pub fn value_of<'a>(args: List<'a, Text<'a>>, at: i64, letter: Text<'a>) -> Text<'a> {
    let index: i64 = args.get(at).index_of(letter);
    return if index < 0 { text!(b"") } else { args.get(at + 3 + index) };
}

/// The lane of the job at `at`, `false` for none.
pub fn lane_of<'a>(args: List<'a, Text<'a>>, at: i64) -> Option<Text<'a>> {
    let lane: Text<'a> = value_of(args, at, text!(b"g"));
    return if lane == text!(b"") { None } else { Some(lane) };
}

/// The priority of the job at `at`, `false` for none.
pub fn priority_of<'a>(args: List<'a, Text<'a>>, at: i64) -> Option<Text<'a>> {
    let priority: Text<'a> = value_of(args, at, text!(b"p"));
    return if priority == text!(b"") { None } else { Some(priority) };
}

/// When the job at `at` falls due, -1 for at once.
pub fn due_at<'a>(s: &Server<'a>, args: List<'a, Text<'a>>, at: i64) -> Act<i64> {
    let instant: Text<'a> = value_of(args, at, text!(b"a"));
    if instant != text!(b"") {
        return Ok(s.num(instant)?);
    }
    let delay: Text<'a> = value_of(args, at, text!(b"i"));
    return Ok(if delay == text!(b"") { -1 } else { due_in(s, s.num(delay)?) });
}

/// Where the job at `at` is going to wait: its state.
pub fn state_of<'a>(s: &Server<'a>, base: Text<'a>, args: List<'a, Text<'a>>, at: i64) -> Act<Text<'a>> {
    return Ok(if due_at(s, args, at)? >= 0 && !(is_ordered(s, base, lane_of(args, at))?) { text!(b"scheduled") } else { text!(b"pending") });
}

/// Reads the places that the job at `at` may go to.
pub fn read_job_place<'a>(s: &Server<'a>, base: Text<'a>, args: List<'a, Text<'a>>, at: i64) -> Act<()> {
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"schedule")]))])?;
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"ttl")]))])?;
    read_place(s, base, lane_of(args, at))?;
    Ok(())
}

/// Tells that the job at `at` is added.
pub fn tell_added<'a>(s: &Server<'a>, base: Text<'a>, args: List<'a, Text<'a>>, at: i64, state: Text<'a>) -> Act<()> {
    let more: List<'a, Text<'a>> = s.list(&[text!(b"state"), state, text!(b"name"), value_of(args, at, text!(b"n")), text!(b"lane"), value_of(args, at, text!(b"g"))]);
    more.set(6, text!(b"alias"));
    more.set(7, value_of(args, at, text!(b"j")));
    tell(s, base, text!(b"added"), args.get(at + 1), more)?;
    Ok(())
}

/// Appends one field and its value, unless the value says nothing.
pub fn add_field<'a>(fields: List<'a, Text<'a>>, name: Text<'a>, value: Text<'a>, silent: Text<'a>) {
    if value == text!(b"") || value == silent {
        return;
    }
    fields.push(name);
    fields.push(value);
}

/// Adds to the fields of a row those that the letters of the job at `at` name.
pub fn add_letters<'a>(fields: List<'a, Text<'a>>, args: List<'a, Text<'a>>, at: i64) {
    add_field(fields, text!(b"group"), value_of(args, at, text!(b"g")), text!(b""));
    add_field(fields, text!(b"name"), value_of(args, at, text!(b"n")), text!(b"default"));
    add_field(fields, text!(b"priority"), value_of(args, at, text!(b"p")), text!(b"0"));
    add_field(fields, text!(b"opts"), value_of(args, at, text!(b"o")), text!(b""));
    add_field(fields, text!(b"cost"), value_of(args, at, text!(b"c")), text!(b"1"));
    let dedup: Text<'a> = value_of(args, at, text!(b"d"));
    let alias: Text<'a> = value_of(args, at, text!(b"j"));
    if dedup == text!(b"") && alias == text!(b"") {
        return;
    }
    // A row that has an alias has this field as well, perhaps empty: it is what every end of a job looks at.
    fields.push(text!(b"dedup"));
    fields.push(dedup);
    add_field(fields, text!(b"alias"), alias, text!(b""));
}

/// Writes the row of the job at `at`; `links` are the fields that name its parent, and others of its own.
pub fn write_row<'a>(s: &Server<'a>, base: Text<'a>, args: List<'a, Text<'a>>, at: i64, state: Text<'a>, links: List<'a, Text<'a>>) -> Act<()> {
    let fields: List<'a, Text<'a>> = s.list(&[text!(b"state"), state, text!(b"attempts"), text!(b"0"), text!(b"payload"), args.get(at + 2)]);
    for part in links.iter() {
        fields.push(part);
    }
    if args.get(at) != text!(b"") {
        add_letters(fields, args, at);
    }
    let id: Text<'a> = args.get(at + 1);
    s.hset(s.spread(&[Arg::Text(s.concat(&[base, text!(b"job:"), id]))], fields))?;
    let expire: Text<'a> = value_of(args, at, text!(b"x"));
    if expire != text!(b"") {
        limit_time(s, base, id, due_at(s, args, at)?, expire)?;
    }
    Ok(())
}

/// Writes the job at `at` as one that waits for its turn or its time; answers its state.
pub fn write_job<'a>(s: &Server<'a>, base: Text<'a>, args: List<'a, Text<'a>>, at: i64, links: List<'a, Text<'a>>) -> Act<Text<'a>> {
    let id: Text<'a> = args.get(at + 1);
    let due: i64 = due_at(s, args, at)?;
    let state: Text<'a> = state_of(s, base, args, at)?;
    if state == text!(b"scheduled") {
        s.zadd(&[Arg::Text(s.concat(&[base, text!(b"schedule")])), Arg::Int(due), Arg::Text(id)])?;
    } else {
        let_wait(s, base, id, lane_of(args, at), priority_of(args, at))?;
    }
    write_row(s, base, args, at, state, links)?;
    if state == text!(b"pending") && due >= 0 {
        s.hset(&[Arg::Text(s.concat(&[base, text!(b"job:"), id])), Arg::Word(text!(b"due")), Arg::Int(due)])?;
    }
    return Ok(state);
}

/// Writes the job at `at` as a parent that waits for `open` children. A delay counts from when they have ended, so it
/// stays in the row.
pub fn write_parent<'a>(s: &Server<'a>, base: Text<'a>, args: List<'a, Text<'a>>, at: i64, links: List<'a, Text<'a>>, open: i64) -> Act<()> {
    let id: Text<'a> = args.get(at + 1);
    s.zadd(&[Arg::Text(s.concat(&[base, text!(b"awaiting")])), Arg::Int(s.now()), Arg::Text(id)])?;
    add_field(links, text!(b"delay"), value_of(args, at, text!(b"i")), text!(b"0"));
    write_row(s, base, args, at, text!(b"awaiting_children"), links)?;
    s.set(&[Arg::Text(s.concat(&[base, text!(b"job:"), id, text!(b":dependencies")])), Arg::Int(open)])?;
    Ok(())
}