// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Links between a job and its parents, as flow verbs write them.
//!
//! A link is three arguments: the parent's id, its queue (empty for that of the job), and a policy. `fp` and `id` are
//! the words of the wire; `co` and `rm` are stored as `id`, since what they mean is the parent's to know. A job that
//! exists already is linked as well, under the id of the child that it stands for; one that is over answers at once.

use crate::runtime::*;
use crate::act::step::kin::{FORGET, IGNORE, Kin, PARENTS_FULL, PARENTS_MAX, call_deliverer, nothing_told, queue_of, signal_done, signal_failed};

/// Whether a word is a policy.
pub fn is_policy<'a>(word: Text<'a>) -> bool {
    return word == text!(b"fp") || word == text!(b"id") || word == text!(b"co") || word == text!(b"rm");
}

/// The name of the first bad value of the link at `at`, empty when all suit.
pub fn bad_link<'a>(s: &Server<'a>, args: List<'a, Text<'a>>, at: i64) -> Text<'a> {
    if !s.branded(args.get(at)) {
        return text!(b"parent_id");
    }
    if args.get(at + 1) != text!(b"") && !(s.name(args.get(at + 1))) {
        return text!(b"parent_queue");
    }
    return if is_policy(args.get(at + 2)) { text!(b"") } else { text!(b"policy") };
}

/// The policy as the job's own row has it.
pub fn stored_policy<'a>(word: Text<'a>) -> Text<'a> {
    return if word == text!(b"fp") { word } else { IGNORE };
}

/// The queue of a link as it is stored: empty for the job's own.
pub fn stored_queue<'a>(base: Text<'a>, queue: Text<'a>) -> Text<'a> {
    return if queue == queue_of(base) { text!(b"") } else { queue };
}

/// The fields of a row that name its first parent, by the link at `at`. `childId` is empty for the job's own id.
pub fn link_fields<'a>(s: &Server<'a>, base: Text<'a>, args: List<'a, Text<'a>>, at: i64, child_id: Text<'a>) -> List<'a, Text<'a>> {
    let fields: List<'a, Text<'a>> = s.list(&[text!(b"parent"), args.get(at)]);
    let queue: Text<'a> = stored_queue(base, args.get(at + 1));
    if queue != text!(b"") {
        fields.set(2, text!(b"parent_queue"));
        fields.set(3, queue);
    }
    fields.push(text!(b"parent_policy"));
    fields.push(stored_policy(args.get(at + 2)));
    if args.get(at + 2) == FORGET {
        fields.push(text!(b"forget"));
        fields.push(text!(b"1"));
    }
    if child_id != text!(b"") {
        fields.push(text!(b"parent_as"));
        fields.push(child_id);
    }
    return fields;
}

/// Writes one further parent of a job, by the link at `at`.
pub fn add_parent<'a>(s: &Server<'a>, base: Text<'a>, row: Text<'a>, args: List<'a, Text<'a>>, at: i64, child_id: Text<'a>) -> Act<()> {
    let field: Text<'a> = if child_id == text!(b"") { args.get(at) } else { s.concat(&[args.get(at), text!(b"\x00"), child_id]) };
    s.hset(&[Arg::Text(s.concat(&[row, text!(b":parents")])), Arg::Text(field), Arg::Text(s.concat(&[stored_policy(args.get(at + 2)), text!(b"\x00"), stored_queue(base, args.get(at + 1))]))])?;
    Ok(())
}

/// Whether a job is linked to the parent of the link at `at` under this id.
pub fn is_linked<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, args: List<'a, Text<'a>>, at: i64, child_id: Text<'a>) -> Act<bool> {
    let row: Text<'a> = s.concat(&[base, text!(b"job:"), id]);
    let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(row), Arg::Word(text!(b"parent")), Arg::Word(text!(b"parent_queue")), Arg::Word(text!(b"parent_as"))])?;
    let queue: Text<'a> = if fields.pick(1).is_none() { text!(b"") } else { fields.pick(1).unwrap() };
    let known: Text<'a> = if fields.pick(2).is_none() { id } else { fields.pick(2).unwrap() };
    if fields.pick(0) == Some(args.get(at)) && queue == stored_queue(base, args.get(at + 1)) && known == child_id {
        return Ok(true);
    }
    return Ok(s.hexists(&[Arg::Text(s.concat(&[row, text!(b":parents")])), Arg::Text(if child_id == id { args.get(at) } else { s.concat(&[args.get(at), text!(b"\x00"), child_id]) })])? == 1);
}

/// The places of those links that a job does not have yet. Reads what writing them touches.
pub fn missing_links<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, args: List<'a, Text<'a>>, links: List<'a, i64>, child_id: Text<'a>) -> Act<List<'a, i64>> {
    let missing: List<'a, i64> = s.list::<i64>(&[]);
    s.hlen(&[Arg::Text(s.concat(&[base, text!(b"job:"), id, text!(b":parents")]))])?;
    for at in links.iter() {
        if !(is_linked(s, base, id, args, at, child_id)?) {
            missing.push(at);
        }
    }
    return Ok(missing);
}

/// Answers for a job that is over: its outcome goes to the parents of these links.
pub fn answer_for<'a>(s: &Server<'a>, base: Text<'a>, fields: List<'a, Option<Text<'a>>>, args: List<'a, Text<'a>>, links: List<'a, i64>, child_id: Text<'a>) -> Act<()> {
    let own: Text<'a> = queue_of(base);
    let far: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    for at in links.iter() {
        let next: i64 = far.len();
        far.set(next, if args.get(at + 1) == text!(b"") { own } else { args.get(at + 1) });
        far.set(next + 1, args.get(at));
        far.set(next + 2, child_id);
        far.set(next + 3, stored_policy(args.get(at + 2)));
    }
    let kin: &'a Kin<'a> = s.make(Kin { parent: text!(b""), child: child_id, policy: IGNORE, far: far, here: Here::new() });
    call_deliverer(s, base, nothing_told(s))?;
    if fields.pick(0) == Some(text!(b"completed")) {
        signal_done(s, base, kin, fields.pick(1))?;
    } else {
        signal_failed(s, base, kin, if fields.pick(2).is_none() { text!(b"") } else { fields.pick(2).unwrap() }, false)?;
    }
    Ok(())
}

/// Links a job that exists to the parents of the links at these places, as the child `childId`, unless it is. Answers
/// the refusal, empty for none.
#[cold]
pub fn link_existing<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, args: List<'a, Text<'a>>, links: List<'a, i64>, child_id: Text<'a>) -> Act<Text<'a>> {
    let row: Text<'a> = s.concat(&[base, text!(b"job:"), id]);
    let missing: List<'a, i64> = missing_links(s, base, id, args, links, child_id)?;
    if missing.len() == 0 {
        return Ok(text!(b""));
    }
    let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(row), Arg::Word(text!(b"state")), Arg::Word(text!(b"result")), Arg::Word(text!(b"last_error")), Arg::Word(text!(b"parent"))])?;
    if fields.pick(0) == Some(text!(b"completed")) || fields.pick(0) == Some(text!(b"dead")) {
        answer_for(s, base, fields, args, missing, child_id)?;
        return Ok(text!(b""));
    }
    if s.hlen(&[Arg::Text(s.concat(&[row, text!(b":parents")]))])? + missing.len() > PARENTS_MAX {
        return Ok(PARENTS_FULL);
    }
    let name: Text<'a> = if child_id == id { text!(b"") } else { child_id };
    let mut has_first: bool = fields.pick(3).is_some();
    for at in missing.iter() {
        if has_first {
            add_parent(s, base, row, args, at, name)?;
        } else {
            s.hset(s.spread(&[Arg::Text(row)], link_fields(s, base, args, at, name)))?;
        }
        has_first = true;
    }
    return Ok(text!(b""));
}