// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Putting one job right: its row, and that it lies where its row says and nowhere else.
//!
//! The row's word for the state decides, as it does for every act: a claim drops a member whose row says otherwise, and
//! a settlement is judged by it. What lies elsewhere is taken out, what lies nowhere is put back. Everything is read
//! before the first write, and that takes something out, so a full server admits the rest.

use crate::runtime::*;
use crate::act::step::bound::{NUMBER_MAX, PRIORITY_MAX};
use crate::act::step::dedup::{Names, let_go, read_stray};
use crate::act::step::erase::{erase};
use crate::act::step::evidence::{side_keys_of};
use crate::act::step::lane::{BEGUN_SCORE, enter_lane, lane_key, leave_lane, read_lanes};
use crate::act::step::limit::{RATE_MAX};
use crate::act::step::open_children::{count_open};
use crate::act::step::parent::{open_in};

/// What `mendJob` and its like answer.
pub const RIGHT: i64 = 0;

pub const MENDED: i64 = 1;

pub const LEFT: i64 = 2;

/// How long a job that is active and leased to nobody is leased again, in ms: the default lease. A holder that still
/// works renews it meanwhile; without one a sweep takes it back.
pub const AGAIN_MS: i64 = 30000;

/// The sets in which a job lies by its state.
pub fn sets<'a>(s: &Server<'a>) -> List<'a, Text<'a>> {
    s.list(&[text!(b"pending"), text!(b"active"), text!(b"schedule"), text!(b"dead"), text!(b"completed"), text!(b"awaiting")])
}

/// Fields that count, with the least and the most that they may hold: a counter of nothing is absent.
pub fn counters<'a>(s: &Server<'a>) -> List<'a, Text<'a>> {
    s.list(&[text!(b"stalled"), text!(b"deferred"), text!(b"finished_at"), text!(b"wait"), text!(b"due"), text!(b"expires"), text!(b"cost")])
}

pub fn least<'a>(s: &Server<'a>) -> List<'a, i64> {
    s.list(&[1, 1, 0, 0, 0, 0, 1])
}

pub fn most<'a>(s: &Server<'a>) -> List<'a, i64> {
    s.list(&[NUMBER_MAX, NUMBER_MAX, NUMBER_MAX, NUMBER_MAX, NUMBER_MAX, NUMBER_MAX, RATE_MAX])
}

/// A job as it was found.
pub struct Found<'a> {
    pub base: Text<'a>,
    pub id: Text<'a>,
    pub row: Text<'a>,
    /// The lane of the row, empty for none.
    pub group: Text<'a>,
    /// A further lane that it may lie in, empty for none.
    pub lane: Text<'a>,
    pub scores: List<'a, Option<Text<'a>>>,
    pub lane_score: Option<Text<'a>>,
    pub here: Here<'a>,
}

/// Whether text is a whole number in range.
pub fn is_whole<'a>(s: &Server<'a>, text: Option<Text<'a>>, min: i64, max: i64) -> bool {
    return text.is_some() && s.int(text.unwrap(), min, max);
}

/// The set of a state, the empty text for one without.
pub fn set_of<'a>(state: Text<'a>) -> Text<'a> {
    return if state == text!(b"scheduled") { text!(b"schedule") } else { if state == text!(b"awaiting_children") { text!(b"awaiting") } else { state } };
}

/// Whether a word is a state of the wire.
pub fn is_state<'a>(word: Option<Text<'a>>) -> bool {
    if word == Some(text!(b"awaiting_children")) || word == Some(text!(b"scheduled")) {
        return true;
    }
    return word == Some(text!(b"pending")) || word == Some(text!(b"active")) || word == Some(text!(b"dead")) || word == Some(text!(b"completed"));
}

/// The state of a row that has no word for it: by where it lies, else it waits.
pub fn state_by_place<'a>(scores: List<'a, Option<Text<'a>>>) -> Text<'a> {
    if scores.pick(1).is_some() {
        return text!(b"active");
    }
    if scores.pick(2).is_some() {
        return text!(b"scheduled");
    }
    if scores.pick(3).is_some() {
        return text!(b"dead");
    }
    if scores.pick(4).is_some() {
        return text!(b"completed");
    }
    return if scores.pick(5).is_none() { text!(b"pending") } else { text!(b"awaiting_children") };
}

/// Takes a job out of every place but the set or lane where it belongs; answers how many it left.
pub fn leave_places<'a>(s: &Server<'a>, found: &'a Found<'a>, state: Text<'a>) -> Act<i64> {
    let own: Text<'a> = set_of(state);
    let waits_in_lane: bool = state == text!(b"pending") && found.group != text!(b"");
    let mut left: i64 = 0;
    for set in sets(s).iter() {
        // A parent that waits for a time at most lies in the schedule as well.
        let is_time: bool = set == text!(b"schedule") && state == text!(b"awaiting_children");
        if (set != own && !is_time) || waits_in_lane {
            left += s.zrem(&[Arg::Text(s.concat(&[found.base, set])), Arg::Text(found.id)])?;
        }
    }
    if state != text!(b"dead") && state != text!(b"completed") {
        left += s.zrem(&[Arg::Text(s.concat(&[found.base, text!(b"expiry")])), Arg::Text(found.id)])?;
    }
    if found.group != text!(b"") && !waits_in_lane {
        left += leave_lane(s, found.base, found.group, found.id)?;
    }
    if found.lane != text!(b"") && found.lane != found.group {
        left += leave_lane(s, found.base, found.lane, found.id)?;
    }
    return Ok(left);
}

/// Sets the score of a job in its set, where it is missing or another; answers how many it set.
pub fn enter_set<'a>(s: &Server<'a>, found: &'a Found<'a>, set: Text<'a>, score: i64, is_any: bool, at: i64) -> Act<i64> {
    let present: Option<Text<'a>> = found.scores.pick(at);
    if present.is_some() && is_any && s.int(present.unwrap(), 0, NUMBER_MAX) {
        return Ok(0);
    }
    if present.is_some() && !is_any && s.int(present.unwrap(), 0, NUMBER_MAX) && s.num(present.unwrap())? == score {
        return Ok(0);
    }
    s.zadd(&[Arg::Text(s.concat(&[found.base, set])), Arg::Int(score), Arg::Text(found.id)])?;
    return Ok(1);
}

/// Lets a job wait where it belongs; answers how many scores it set.
pub fn enter_waiting<'a>(s: &Server<'a>, found: &'a Found<'a>, priority: i64, is_held: bool) -> Act<i64> {
    if found.group == text!(b"") {
        return Ok(enter_set(s, found, text!(b"pending"), priority, false, 0)?);
    }
    let present: Option<Text<'a>> = found.lane_score;
    if present.is_some() && s.int(present.unwrap(), 0, NUMBER_MAX) && s.num(present.unwrap())? == priority {
        return Ok(0);
    }
    if present == Some(text!(b"-1")) && is_held {
        return Ok(0);
    }
    let score: i64 = if is_held { BEGUN_SCORE } else { priority };
    if present.is_none() {
        enter_lane(s, found.base, found.group, found.id, score)?;
    } else {
        s.zadd(&[Arg::Text(lane_key(s, found.base, found.group)), Arg::Int(score), Arg::Text(found.id)])?;
    }
    return Ok(1);
}

/// Puts a job where its state says, if it is not there with the right score; answers how many scores it set.
pub fn enter_place<'a>(s: &Server<'a>, found: &'a Found<'a>, state: Text<'a>, fields: List<'a, Option<Text<'a>>>) -> Act<i64> {
    let now: i64 = s.now();
    if state == text!(b"pending") {
        let priority: Option<Text<'a>> = fields.pick(3);
        let rank: i64 = if priority.is_some() && s.int(priority.unwrap(), 1, PRIORITY_MAX) { s.num(priority.unwrap())? } else { 0 };
        return Ok(enter_waiting(s, found, rank, fields.pick(5).is_some())?);
    }
    if state == text!(b"active") {
        return Ok(enter_set(s, found, text!(b"active"), now + AGAIN_MS, true, 1)?);
    }
    if state == text!(b"scheduled") {
        return Ok(enter_set(s, found, text!(b"schedule"), now, true, 2)?);
    }
    if state == text!(b"awaiting_children") {
        return Ok(enter_set(s, found, text!(b"awaiting"), now, true, 5)?);
    }
    if state == text!(b"dead") {
        return Ok(enter_set(s, found, text!(b"dead"), 0, false, 3)?);
    }
    if state != text!(b"completed") {
        return Ok(0);
    }
    let finished: Option<Text<'a>> = fields.pick(6);
    if finished.is_some() && s.int(finished.unwrap(), 0, NUMBER_MAX) {
        return Ok(enter_set(s, found, text!(b"completed"), s.num(finished.unwrap())?, false, 4)?);
    }
    s.hset(&[Arg::Text(found.row), Arg::Word(text!(b"finished_at")), Arg::Int(now)])?;
    return Ok(enter_set(s, found, text!(b"completed"), now, false, 4)?);
}

/// Drops fields that say nothing right; answers how many. `more` are fields that the record does not know.
pub fn drop_fields<'a>(s: &Server<'a>, found: &'a Found<'a>, state: Text<'a>, fields: List<'a, Option<Text<'a>>>, more: List<'a, Text<'a>>) -> Act<i64> {
    let mut dropped: i64 = 0;
    if fields.pick(3).is_some() && !s.int(fields.pick(3).unwrap(), 1, PRIORITY_MAX) {
        dropped += s.hdel(&[Arg::Text(found.row), Arg::Word(text!(b"priority"))])?;
    }
    if fields.pick(2).is_some() && found.group == text!(b"") {
        dropped += s.hdel(&[Arg::Text(found.row), Arg::Word(text!(b"group"))])?;
    }
    let owner: Option<Text<'a>> = fields.pick(4);
    let may_have_owner: bool = state == text!(b"active") || (state == text!(b"pending") && owner == Some(text!(b"")));
    if owner.is_some() && !may_have_owner {
        dropped += s.hdel(&[Arg::Text(found.row), Arg::Word(text!(b"owner"))])?;
    }
    {
        let mut i: i64 = 0;
        while i < counters(s).len() {
            let text: Option<Text<'a>> = s.hget(&[Arg::Text(found.row), Arg::Text(counters(s).get(i))])?;
            if text.is_some() && !s.int(text.unwrap(), least(s).get(i), most(s).get(i)) {
                dropped += s.hdel(&[Arg::Text(found.row), Arg::Text(counters(s).get(i))])?;
            }
            i += 1;
        }
    }
    for field in more.iter() {
        // The fields of birth are never foreign, whatever the caller says.
        if field != text!(b"state") && field != text!(b"attempts") && field != text!(b"payload") {
            dropped += s.hdel(&[Arg::Text(found.row), Arg::Text(field)])?;
        }
    }
    return Ok(dropped);
}

/// A member without a row: it is taken out of wherever it lies, and what a row left goes if that is allowed.
pub fn drop_ghost<'a>(s: &Server<'a>, found: &'a Found<'a>, may_destroy: bool) -> Act<i64> {
    let side: List<'a, Text<'a>> = if s.branded(found.id) { side_keys_of(s, found.row)? } else { s.list::<Text<'a>>(&[]) };
    let left: i64 = leave_places(s, found, text!(b""))?;
    if side.len() == 0 {
        return Ok(if left > 0 { MENDED } else { RIGHT });
    }
    if !may_destroy {
        return Ok(LEFT);
    }
    for type_ in side.iter() {
        s.del(&[Arg::Text(s.concat(&[found.row, text!(b":"), type_]))])?;
    }
    return Ok(MENDED);
}

/// Reads a job and everything that mending it writes to.
pub fn find<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, lane: Text<'a>, group: Text<'a>) -> Act<&'a Found<'a>> {
    let scores: List<'a, Option<Text<'a>>> = s.list::<Option<Text<'a>>>(&[]);
    for set in sets(s).iter() {
        scores.push(s.zscore(&[Arg::Text(s.concat(&[base, set])), Arg::Text(id)])?);
    }
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"expiry")]))])?;
    s.zcard(&[Arg::Text(s.concat(&[base, text!(b"ttl")]))])?;
    let mut lane_score: Option<Text<'a>> = None;
    if group != text!(b"") {
        read_lanes(s, base, s.list(&[group]), 1)?;
        lane_score = s.zscore(&[Arg::Text(lane_key(s, base, group)), Arg::Text(id)])?;
    }
    if lane != text!(b"") {
        read_lanes(s, base, s.list(&[lane]), 1)?;
    }
    return Ok(s.make(Found { base: base, id: id, row: s.concat(&[base, text!(b"job:"), id]), group: group, lane: lane, scores: scores, lane_score: lane_score, here: Here::new() }));
}

/// Sets the count of a parent to its open children; answers how many changes that were.
#[cold]
pub fn mend_count<'a>(s: &Server<'a>, row: Text<'a>, count: Text<'a>) -> Act<i64> {
    if s.exists(&[Arg::Text(s.concat(&[row, text!(b":children")]))])? == 0 {
        return Ok(0);
    }
    let open: i64 = count_open(s, row)?;
    if s.int(count, 0, NUMBER_MAX) && s.num(count)? == open {
        return Ok(0);
    }
    s.set(&[Arg::Text(s.concat(&[row, text!(b":dependencies")])), Arg::Int(open)])?;
    return Ok(1);
}

/// Whether a parent waits for nobody.
pub fn waits_for_nobody<'a>(s: &Server<'a>, row: Text<'a>) -> Act<bool> {
    return Ok(open_in(s, s.get(&[Arg::Text(s.concat(&[row, text!(b":dependencies")]))])?)? == 0);
}

/// Lists a job that waits by the end of its time to live, if it has one; answers how many entries it wrote.
pub fn list_time<'a>(s: &Server<'a>, found: &'a Found<'a>, state: Text<'a>) -> Act<i64> {
    let expires: Option<Text<'a>> = s.hget(&[Arg::Text(found.row), Arg::Word(text!(b"expires"))])?;
    let waits: bool = state == text!(b"pending") || state == text!(b"scheduled") || state == text!(b"awaiting_children");
    if !waits || expires.is_none() || !s.int(expires.unwrap(), 0, NUMBER_MAX) {
        return Ok(0);
    }
    let listed: Option<Text<'a>> = s.zscore(&[Arg::Text(s.concat(&[found.base, text!(b"ttl")])), Arg::Text(found.id)])?;
    if listed.is_some() && s.int(listed.unwrap(), 0, NUMBER_MAX) && s.num(listed.unwrap())? <= s.num(expires.unwrap())? {
        return Ok(0);
    }
    s.zrem(&[Arg::Text(s.concat(&[found.base, text!(b"ttl")])), Arg::Text(found.id)])?;
    s.zadd(&[Arg::Text(s.concat(&[found.base, text!(b"ttl")])), Arg::Text(expires.unwrap()), Arg::Text(found.id)])?;
    return Ok(1);
}

/// Puts a row right that has everything to run, and its places; answers `MENDED` if anything was wrong.
pub fn mend_row<'a>(s: &Server<'a>, found: &'a Found<'a>, fields: List<'a, Option<Text<'a>>>, more: List<'a, Text<'a>>) -> Act<i64> {
    let word: Option<Text<'a>> = fields.pick(0);
    let mut state: Text<'a> = if word.is_some() && is_state(Some(word.unwrap())) { word.unwrap() } else { state_by_place(found.scores) };
    let count: Option<Text<'a>> = s.get(&[Arg::Text(s.concat(&[found.row, text!(b":dependencies")]))])?;
    let mut changes: i64 = if count.is_none() { 0 } else { mend_count(s, found.row, count.unwrap())? };
    if state == text!(b"awaiting_children") && waits_for_nobody(s, found.row)? {
        state = text!(b"pending");
    }
    changes += leave_places(s, found, state)?;
    changes += drop_fields(s, found, state, fields, more)?;
    if word != Some(state) {
        s.hset(&[Arg::Text(found.row), Arg::Word(text!(b"state")), Arg::Text(state)])?;
        changes += 1;
    }
    if !is_whole(s, fields.pick(1), 0, NUMBER_MAX) {
        s.hset(&[Arg::Text(found.row), Arg::Word(text!(b"attempts")), Arg::Int(0)])?;
        changes += 1;
    }
    changes += enter_place(s, found, state, fields)?;
    changes += list_time(s, found, state)?;
    return Ok(if changes > 0 { MENDED } else { RIGHT });
}

/// Puts one job right. `lane` is a further lane in which it was seen; `more` are fields to take out of its row.
pub fn mend_job<'a>(s: &Server<'a>, base: Text<'a>, id: Text<'a>, lane: Text<'a>, may_destroy: bool, more: List<'a, Text<'a>>) -> Act<i64> {
    let row: Text<'a> = s.concat(&[base, text!(b"job:"), id]);
    if !s.branded(id) || s.exists(&[Arg::Text(row)])? == 0 {
        return Ok(drop_ghost(s, find(s, base, id, lane, text!(b""))?, may_destroy)?);
    }
    let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(row), Arg::Word(text!(b"state")), Arg::Word(text!(b"attempts")), Arg::Word(text!(b"group")), Arg::Word(text!(b"priority")), Arg::Word(text!(b"owner")), Arg::Word(text!(b"held")), Arg::Word(text!(b"finished_at"))])?;
    let named: Option<Text<'a>> = fields.pick(2);
    let group: Text<'a> = if named.is_some() && s.name(named.unwrap()) { named.unwrap() } else { text!(b"") };
    let found: &'a Found<'a> = find(s, base, id, lane, group)?;
    if s.hexists(&[Arg::Text(row), Arg::Word(text!(b"payload"))])? == 1 {
        let stray: Option<&'a Names<'a>> = read_stray(s, base, id)?;
        let outcome: i64 = mend_row(s, found, fields, if may_destroy { more } else { s.list::<Text<'a>>(&[]) })?;
        let_go(s, base, stray)?;
        return Ok(if stray.is_none() { outcome } else { MENDED });
    }
    // Nobody can run it: what is left of it is no job.
    if !may_destroy {
        return Ok(LEFT);
    }
    let own: Option<Text<'a>> = if group == text!(b"") { None } else { Some(group) };
    erase(s, base, id, own, None)?;
    if lane != text!(b"") && lane != group {
        leave_lane(s, base, lane, id)?;
    }
    return Ok(MENDED);
}