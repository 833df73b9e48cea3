// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! Limits: how much of a queue, and of each of its lanes, may be claimed now.
//!
//! A queue has a ceiling of leased jobs (`meta.concurrency`) and a rate (`meta.max` claims in `meta.duration` ms); a
//! lane has a rate in the hash `rate`. A limited job is not touched: no order, no attempt, no row changes. What has
//! spent its rate goes into the sorted set `rest` until it may be claimed from again, a lane by its name and the queue
//! by the empty name. So a limited lane is off the ring and no claim looks at it, and a limited queue is known by one
//! look. An act that puts something at the head of `rest` pushes a token, so that one worker keeps the time of its end,
//! as for the schedule.
//!
//! A rate counts in one of three ways, told by its `burst`: none is a window that begins with the first claim in it, as
//! wire 3 has it; 0 is a sliding window, which counts the window before by the share that the span still covers; a
//! number is a bucket of so many, filled evenly by `max` in `duration`. What a rate has spent are three whole numbers:
//!
//!     window    at: end of the window        level: claims in it
//!     sliding   at: beginning of the window  level: claims in it           before: claims of the window before
//!     bucket    at: when level was right     level: what is gone, in claims x duration
//!
//! They stay below 2^53, since `max` and `burst` are at most 2^20 and `duration` at most 2^31.
//!
//! A job takes its `cost` from each rate that it passes, which is 1 unless its row says another; it takes at most what
//! the rate can hold, so that no job is too dear for ever. Where the next job costs more than is left, its lane, or the
//! queue, rests until there is enough: nothing that waits behind it passes it.

use crate::runtime::*;
use crate::act::step::bound::{NUMBER_MAX};

/// Claims of a rate in one of its durations, at most; also the largest burst.
pub const RATE_MAX: i64 = 1048576;

/// The longest duration of a rate, in ms: 24 days.
pub const RATE_MS_MAX: i64 = 2147483648;

/// The burst of a plain window.
pub const WINDOW: i64 = -1;

/// A rate and what is spent of it. Only the steps of one act see it.
pub struct Rate<'a> {
    /// A lane, or empty for the queue.
    pub subject: Text<'a>,
    pub max: i64,
    pub duration: i64,
    pub burst: i64,
    pub at: Cell<i64>,
    pub level: Cell<i64>,
    pub before: Cell<i64>,
    /// What this act may still take, and what it has taken.
    pub left: Cell<i64>,
    pub spent: Cell<i64>,
    /// What the next job costs, if that is more than is left; 0 otherwise.
    pub lacks: Cell<i64>,
    pub here: Here<'a>,
}

/// A whole number in a field that others may have written; `other` for anything else.
pub fn number_in<'a>(s: &Server<'a>, field: Option<Text<'a>>, most: i64, other: i64) -> Act<i64> {
    return Ok(if field.is_some() && s.int(field.unwrap(), 0, most) { s.num(field.unwrap())? } else { other });
}

/// Brings what is spent up to this instant. A clock that was set back begins anew.
pub fn age<'a>(s: &Server<'a>, rate: &'a Rate<'a>) {
    let now: i64 = s.now();
    let duration: i64 = rate.duration;
    if rate.burst == WINDOW {
        if rate.at.get() <= now || rate.at.get() > now + duration {
            rate.at.set(now + duration);
            rate.level.set(0);
        }
        return;
    }
    let elapsed: i64 = now - rate.at.get();
    if rate.burst > 0 {
        let gone: i64 = i64::min(rate.level.get(), rate.burst * duration);
        if elapsed > 0 {
            rate.level.set(if elapsed * rate.max >= gone { 0 } else { gone - elapsed * rate.max });
        } else {
            rate.level.set(gone);
        }
        rate.at.set(now);
    } else if elapsed < 0 || elapsed >= 2 * duration {
        rate.at.set(now);
        rate.level.set(0);
        rate.before.set(0);
    } else if elapsed >= duration {
        rate.at.set(rate.at.get() + duration);
        rate.before.set(rate.level.get());
        rate.level.set(0);
    }
}

/// What an aged rate can hold, which is what a job costs at most.
pub fn capacity<'a>(rate: &'a Rate<'a>) -> i64 {
    return if rate.burst > 0 { rate.burst } else { rate.max };
}

/// How many claims an aged rate has left at this instant.
pub fn allowance<'a>(s: &Server<'a>, rate: &'a Rate<'a>) -> i64 {
    let duration: i64 = rate.duration;
    if rate.burst > 0 {
        return i64::max(0, floor_div((rate.burst * duration - rate.level.get()), duration));
    }
    if rate.burst == WINDOW {
        return i64::max(0, rate.max - rate.level.get());
    }
    let share: i64 = floor_div((rate.before.get() * (duration - (s.now() - rate.at.get()))), duration);
    return i64::max(0, rate.max - rate.level.get() - share);
}

/// When an aged rate that has less than `need` left has so much again.
pub fn free_at<'a>(s: &Server<'a>, rate: &'a Rate<'a>, need: i64) -> i64 {
    let duration: i64 = rate.duration;
    if rate.burst == WINDOW {
        return rate.at.get();
    }
    if rate.burst > 0 {
        return s.now() + ceil_div((rate.level.get() + (need - rate.burst) * duration), rate.max);
    }
    let is_full: bool = rate.level.get() + need > rate.max;
    let from: i64 = if is_full { rate.at.get() + duration } else { rate.at.get() };
    let fading: i64 = if is_full { rate.level.get() } else { rate.before.get() };
    let room: i64 = (if is_full { rate.max } else { rate.max - rate.level.get() }) - need + 1;
    // The first instant at which the share that still counts has fallen below the room.
    let wait: i64 = if fading < room { 0 } else { duration - ceil_div((room * duration), fading) + 1 };
    return from + i64::max(0, wait);
}

/// Until when a lane, or with the empty name the queue, is not to be claimed from; 0 for no such time.
pub fn rests_until<'a>(s: &Server<'a>, base: Text<'a>, subject: Text<'a>) -> Act<i64> {
    let until: Option<Text<'a>> = s.zscore(&[Arg::Text(s.concat(&[base, text!(b"rest")])), Arg::Text(subject)])?;
    return Ok(if until.is_none() { 0 } else { s.num(until.unwrap())? });
}

/// Whether a lane stays off the ring because of its rate, also when its time has come and no act has seen it yet.
pub fn is_resting<'a>(s: &Server<'a>, base: Text<'a>, lane: Text<'a>) -> Act<bool> {
    return Ok(s.zscore(&[Arg::Text(s.concat(&[base, text!(b"rest")])), Arg::Text(lane)])?.is_some());
}

/// Lets a lane, or the queue, rest until an instant; one that rests longer goes on doing so. It is taken out before it
/// is put in: that is a write which a full server admits, and this may be the first of its act.
pub fn let_rest<'a>(s: &Server<'a>, base: Text<'a>, subject: Text<'a>, until: i64) -> Act<()> {
    if rests_until(s, base, subject)? >= until {
        return Ok(());
    }
    s.zrem(&[Arg::Text(s.concat(&[base, text!(b"rest")])), Arg::Text(subject)])?;
    s.zadd(&[Arg::Text(s.concat(&[base, text!(b"rest")])), Arg::Int(until), Arg::Text(subject)])?;
    Ok(())
}

/// A rate from max, duration, burst, at, level and before, which stand at place `from` of a list.
pub fn rate_of<'a>(s: &Server<'a>, subject: Text<'a>, fields: List<'a, Option<Text<'a>>>, from: i64) -> Act<Option<&'a Rate<'a>>> {
    let max: i64 = number_in(s, fields.pick(from), RATE_MAX, 0)?;
    let duration: i64 = number_in(s, fields.pick(from + 1), RATE_MS_MAX, 0)?;
    if max == 0 || duration == 0 {
        return Ok(None);
    }
    let rate: &'a Rate<'a> = s.make(Rate { subject: subject, max: max, duration: duration, burst: number_in(s, fields.pick(from + 2), RATE_MAX, WINDOW)?, at: Cell::new(number_in(s, fields.pick(from + 3), NUMBER_MAX, 0)?), level: Cell::new(number_in(s, fields.pick(from + 4), NUMBER_MAX, 0)?), before: Cell::new(number_in(s, fields.pick(from + 5), RATE_MAX, 0)?), left: Cell::new(0), spent: Cell::new(0), lacks: Cell::new(0), here: Here::new() });
    age(s, rate);
    rate.left.set(allowance(s, rate));
    return Ok(Some(rate));
}

/// The rate of a lane with what is left of it now, `false` when it has none.
pub fn read_lane_rate<'a>(s: &Server<'a>, base: Text<'a>, lane: Text<'a>) -> Act<Option<&'a Rate<'a>>> {
    let fields: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(s.concat(&[base, text!(b"rate")])), Arg::Text(s.concat(&[text!(b"m"), lane])), Arg::Text(s.concat(&[text!(b"d"), lane])), Arg::Text(s.concat(&[text!(b"b"), lane])), Arg::Text(s.concat(&[text!(b"a"), lane])), Arg::Text(s.concat(&[text!(b"l"), lane])), Arg::Text(s.concat(&[text!(b"p"), lane]))])?;
    return Ok(rate_of(s, lane, fields, 0)?);
}

/// The rate of the queue, `false` when it has none. Others that count in `limiter` by hand are heeded while it lives and
/// no window of ours is on.
pub fn read_queue_rate<'a>(s: &Server<'a>, base: Text<'a>, settings: List<'a, Option<Text<'a>>>) -> Act<Option<&'a Rate<'a>>> {
    let spent: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(s.concat(&[base, text!(b"rate")])), Arg::Word(text!(b"a")), Arg::Word(text!(b"l")), Arg::Word(text!(b"p"))])?;
    let fields: List<'a, Option<Text<'a>>> = s.list(&[settings.pick(2), settings.pick(3), settings.pick(4), spent.pick(0), spent.pick(1), spent.pick(2)]);
    let rate: Option<&'a Rate<'a>> = rate_of(s, text!(b""), fields, 0)?;
    if rate.is_none() || rate.unwrap().burst != WINDOW || rate.unwrap().level.get() > 0 {
        return Ok(rate);
    }
    if s.holds(s.concat(&[base, text!(b"limiter")]))? != text!(b"string") {
        return Ok(Some(rate.unwrap()));
    }
    let count: i64 = number_in(s, s.get(&[Arg::Text(s.concat(&[base, text!(b"limiter")]))])?, RATE_MAX, 0)?;
    if count == 0 {
        return Ok(Some(rate.unwrap()));
    }
    let left: i64 = s.pttl(&[Arg::Text(s.concat(&[base, text!(b"limiter")]))])?;
    if left <= 0 || left > rate.unwrap().duration {
        return Ok(Some(rate.unwrap()));
    }
    rate.unwrap().at.set(s.now() + left);
    rate.unwrap().level.set(count);
    rate.unwrap().left.set(allowance(s, rate.unwrap()));
    return Ok(Some(rate.unwrap()));
}

/// What an act that claims knows of the limits of its queue.
pub struct Gate<'a> {
    /// How many jobs it may claim: what it wants, or less.
    pub room: Cell<i64>,
    /// The rate of the queue, `false` for none.
    pub rate: Cell<Option<&'a Rate<'a>>>,
    /// Whether anything but a pause may hold jobs back, so that this act must look and write.
    pub limited: Cell<bool>,
    /// Whether lanes have rates.
    pub rated: Cell<bool>,
    /// Whether names of jobs have limits, which sends flat jobs of these names into lanes.
    pub named: Cell<bool>,
    /// What this act sent to rest: lanes, and the empty name for the queue.
    pub rested: List<'a, Text<'a>>,
    pub here: Here<'a>,
}

/// Lets what has too little left rest until it has enough for the next job, as far as that is known.
pub fn send_to_rest<'a>(s: &Server<'a>, base: Text<'a>, gate: &'a Gate<'a>, rate: &'a Rate<'a>) -> Act<()> {
    let until: i64 = free_at(s, rate, i64::max(1, rate.lacks.get()));
    let_rest(s, base, rate.subject, until)?;
    gate.rested.push(rate.subject);
    if rate.subject == text!(b"") {
        // A reader of wire 3 sees a spent counter that ends when claims go on.
        s.set(&[Arg::Text(s.concat(&[base, text!(b"limiter")])), Arg::Int(i64::max(rate.max, rate.level.get()))])?;
        s.pexpireat(&[Arg::Text(s.concat(&[base, text!(b"limiter")])), Arg::Int(until)])?;
    }
    Ok(())
}

/// The gate of a queue without any limit.
pub fn open_gate<'a>(s: &Server<'a>, want: i64) -> &'a Gate<'a> {
    return s.make(Gate { room: Cell::new(want), rate: Cell::new(None), limited: Cell::new(false), rated: Cell::new(false), named: Cell::new(false), rested: s.list::<Text<'a>>(&[]), here: Here::new() });
}

/// Reads how much may be claimed of a queue that has settings or something at rest. Reads all that limits write to, so a
/// foreign type ends the act while nothing is written.
#[cold]
pub fn read_gate<'a>(s: &Server<'a>, base: Text<'a>, want: i64) -> Act<&'a Gate<'a>> {
    let gate: &'a Gate<'a> = open_gate(s, want);
    let settings: List<'a, Option<Text<'a>>> = s.hmget(&[Arg::Text(s.concat(&[base, text!(b"meta")])), Arg::Word(text!(b"paused")), Arg::Word(text!(b"concurrency")), Arg::Word(text!(b"max")), Arg::Word(text!(b"duration")), Arg::Word(text!(b"burst"))])?;
    gate.limited.set(s.zcard(&[Arg::Text(s.concat(&[base, text!(b"rest")]))])? > 0 || settings.pick(2).is_some());
    if s.hlen(&[Arg::Text(s.concat(&[base, text!(b"rate")]))])? > 0 {
        gate.limited.set(true);
        gate.rated.set(true);
        gate.named.set(s.hexists(&[Arg::Text(s.concat(&[base, text!(b"rate")])), Arg::Word(text!(b"n"))])? == 1);
    }
    if settings.pick(0).is_some() || want == 0 || rests_until(s, base, text!(b""))? > s.now() {
        gate.room.set(0);
        return Ok(gate);
    }
    let ceiling: i64 = number_in(s, settings.pick(1), NUMBER_MAX, 0)?;
    if ceiling > 0 {
        gate.room.set(i64::min(want, i64::max(0, ceiling - s.zcard(&[Arg::Text(s.concat(&[base, text!(b"active")]))])?)));
    }
    if settings.pick(2).is_none() || gate.room.get() == 0 {
        return Ok(gate);
    }
    let rate: Option<&'a Rate<'a>> = read_queue_rate(s, base, settings)?;
    if rate.is_none() {
        return Ok(gate);
    }
    gate.rate.set(Some(rate.unwrap()));
    if rate.unwrap().left.get() == 0 {
        send_to_rest(s, base, gate, rate.unwrap())?;
    }
    gate.room.set(i64::min(gate.room.get(), rate.unwrap().left.get()));
    return Ok(gate);
}

/// What a job with this field `cost` takes from a rate.
pub fn price_of<'a>(s: &Server<'a>, rate: &'a Rate<'a>, cost: Option<Text<'a>>) -> Act<i64> {
    return Ok(i64::min(i64::max(1, number_in(s, cost, RATE_MAX, 1)?), capacity(rate)));
}

/// Whether a rate has enough left for a job with this field `cost`; notes what it lacks if not.
pub fn affords<'a>(s: &Server<'a>, rate: &'a Rate<'a>, cost: Option<Text<'a>>) -> Act<bool> {
    let price: i64 = price_of(s, rate, cost)?;
    rate.lacks.set(if price > rate.left.get() { price } else { 0 });
    return Ok(rate.lacks.get() == 0);
}

/// Takes what a job with this field `cost` costs from what a rate has left.
pub fn charge<'a>(s: &Server<'a>, rate: &'a Rate<'a>, cost: Option<Text<'a>>) -> Act<()> {
    let price: i64 = price_of(s, rate, cost)?;
    rate.left.set(rate.left.get() - price);
    rate.spent.set(rate.spent.get() + price);
    Ok(())
}

/// Writes what was taken from a rate, and lets its subject rest when too little is left. Answers whether it rests.
#[cold]
pub fn spend<'a>(s: &Server<'a>, base: Text<'a>, gate: &'a Gate<'a>, rate: &'a Rate<'a>) -> Act<bool> {
    let spent: i64 = rate.spent.get();
    if spent > 0 {
        let subject: Text<'a> = rate.subject;
        rate.level.set(rate.level.get() + if rate.burst > 0 { spent * rate.duration } else { spent });
        rate.spent.set(0);
        s.hset(&[Arg::Text(s.concat(&[base, text!(b"rate")])), Arg::Text(s.concat(&[text!(b"a"), subject])), Arg::Int(rate.at.get()), Arg::Text(s.concat(&[text!(b"l"), subject])), Arg::Int(rate.level.get())])?;
        if rate.burst == 0 {
            s.hset(&[Arg::Text(s.concat(&[base, text!(b"rate")])), Arg::Text(s.concat(&[text!(b"p"), subject])), Arg::Int(rate.before.get())])?;
        }
        if subject == text!(b"") && rate.burst == WINDOW {
            s.set(&[Arg::Text(s.concat(&[base, text!(b"limiter")])), Arg::Int(rate.level.get())])?;
            s.pexpireat(&[Arg::Text(s.concat(&[base, text!(b"limiter")])), Arg::Int(rate.at.get())])?;
        }
    }
    if rate.lacks.get() == 0 && rate.left.get() > 0 {
        return Ok(false);
    }
    send_to_rest(s, base, gate, rate)?;
    return Ok(true);
}

/// Whether limits keep the queue from being claimed from. Asked after the writes of an act, so a foreign type is no
/// error here.
pub fn is_limited<'a>(s: &Server<'a>, base: Text<'a>) -> Act<bool> {
    if s.holds(s.concat(&[base, text!(b"rest")]))? == text!(b"zset") && rests_until(s, base, text!(b""))? > s.now() {
        return Ok(true);
    }
    let ceiling: i64 = number_in(s, s.hget(&[Arg::Text(s.concat(&[base, text!(b"meta")])), Arg::Word(text!(b"concurrency"))])?, NUMBER_MAX, 0)?;
    return Ok(ceiling > 0 && s.holds(s.concat(&[base, text!(b"active")]))? == text!(b"zset") && s.zcard(&[Arg::Text(s.concat(&[base, text!(b"active")]))])? >= ceiling);
}

/// Whether the queue has a ceiling of leased jobs, so that the end of any job can let another one run.
pub fn has_ceiling<'a>(s: &Server<'a>, base: Text<'a>) -> Act<bool> {
    return Ok(s.hexists(&[Arg::Text(s.concat(&[base, text!(b"meta")])), Arg::Word(text!(b"concurrency"))])? == 1);
}

/// The lane whose rate a field of `rate` sets, empty for any other field.
pub fn rated_lane<'a>(s: &Server<'a>, field: Text<'a>) -> Text<'a> {
    return if s.char(field, 0) == text!(b"m") { field.from(1) } else { text!(b"") };
}

/// The burst that a rate is kept with, from its max, duration, way and burst at place `from`: empty for a window, `0`
/// for a sliding one, the size of a bucket.
pub fn burst_of<'a>(args: List<'a, Text<'a>>, from: i64) -> Text<'a> {
    if args.get(from + 2) == text!(b"window") {
        return text!(b"");
    }
    if args.get(from + 2) == text!(b"sliding") {
        return text!(b"0");
    }
    return if args.get(from + 3) == text!(b"0") { args.get(from) } else { args.get(from + 3) };
}

/// Whether another duration or burst than before means that what was spent cannot be counted on.
pub fn changes_counting<'a>(before: List<'a, Option<Text<'a>>>, duration: Text<'a>, burst: Text<'a>) -> bool {
    return before.pick(0) != Some(duration) || (if before.pick(1).is_none() { text!(b"") } else { before.pick(1).unwrap() }) != burst;
}

/// Forgets what a rate has spent.
pub fn forget_spent<'a>(s: &Server<'a>, base: Text<'a>, subject: Text<'a>) -> Act<()> {
    s.hdel(&[Arg::Text(s.concat(&[base, text!(b"rate")])), Arg::Text(s.concat(&[text!(b"a"), subject])), Arg::Text(s.concat(&[text!(b"l"), subject])), Arg::Text(s.concat(&[text!(b"p"), subject]))])?;
    Ok(())
}