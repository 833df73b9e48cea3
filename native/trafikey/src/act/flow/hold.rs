// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! `HOLD`: admits a parent that waits for children which are going to land by `CHILD`, in this queue or in others.
//!
//! It comes before its children, so none can end before the parent counts it. A parent that exists is left as it is; it
//! is linked to the parents of the call if it is not yet, which lets a flow be added again that broke half-way.

use crate::runtime::*;
use crate::act::check::flow::hold::{check_hold};
use crate::act::step::bulk::{write_pairs};
use crate::act::step::child_list::{child_entry};
use crate::act::step::event::{heard_by};
use crate::act::step::flow_job::{tell_added, width_of_job, write_parent};
use crate::act::step::link::{add_parent, link_existing, link_fields};
use crate::act::step::row::{NO_JOB_ID, is_job_id};

/// Where the links to parents stand, the first of them behind the job at `from`.
pub fn links_of<'a>(s: &Server<'a>, args: List<'a, Text<'a>>, from: i64) -> List<'a, i64> {
    let links: List<'a, i64> = s.list::<i64>(&[]);
    let stop: i64 = args.len();
    if from < stop && args.get(from) != text!(b"") {
        links.set(0, from);
    }
    {
        let mut at: i64 = from + 3;
        while at < stop {
            if args.get(at) == text!(b"p") {
                links.push(at + 1);
            }
            at += 5;
        }
    }
    return links;
}

/// The children that the call names, and what is kept of each.
pub fn children_of<'a>(s: &Server<'a>, base: Text<'a>, args: List<'a, Text<'a>>, from: i64) -> List<'a, Text<'a>> {
    let pairs: List<'a, Text<'a>> = s.list::<Text<'a>>(&[]);
    let stop: i64 = args.len();
    {
        let mut at: i64 = from + 3;
        while at < stop {
            if args.get(at) == text!(b"c") {
                pairs.push(args.get(at + 1));
                pairs.push(child_entry(s, base, args, at + 1, text!(b""), args.get(at + 4)));
            }
            at += 5;
        }
    }
    return pairs;
}

/// Keys: row, pending, base. Arguments: n, job, link, groups. Answers 1, or 0 when the job exists.
pub fn hold<'a>(s: &Server<'a>, keys: List<'a, Text<'a>>, args: List<'a, Text<'a>>) -> Act<Value<'a>> {
    let refusal: Text<'a> = check_hold(s, keys, args)?;
    if refusal != text!(b"") {
        return Ok(Value::Error(refusal));
    }
    let base: Text<'a> = keys.get(2);
    let id: Text<'a> = args.get(2);
    if !is_job_id(id) {
        return Ok(Value::Error(NO_JOB_ID));
    }
    let from: i64 = 1 + width_of_job(args.get(1));
    let links: List<'a, i64> = links_of(s, args, from);
    if s.exists(&[Arg::Text(keys.get(0))])? == 1 {
        let full: Text<'a> = if links.len() > 0 { link_existing(s, base, id, args, links, id)? } else { text!(b"") };
        return Ok(if full == text!(b"") { Value::from(0) } else { Value::Error(full) });
    }
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"awaiting")]))])?;
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"ttl")]))])?;
    if heard_by(s, base)? > 0 {
        tell_added(s, base, args, 1, text!(b"awaiting_children"))?;
    }
    let first: List<'a, Text<'a>> = if links.len() > 0 { link_fields(s, base, args, links.get(0), text!(b"")) } else { s.list::<Text<'a>>(&[]) };
    write_parent(s, base, args, 1, first, s.num(args.get(0))?)?;
    {
        let mut i: i64 = 1;
        while i < links.len() {
            add_parent(s, base, keys.get(0), args, links.get(i), text!(b""))?;
            i += 1;
        }
    }
    write_pairs(s, s.concat(&[keys.get(0), text!(b":children")]), children_of(s, base, args, from))?;
    return Ok(Value::from(1));
}