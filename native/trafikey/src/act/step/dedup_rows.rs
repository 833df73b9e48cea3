// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! The rows of `ADMIT` that carry a deduplication id or an alias.
//!
//! A name is a key `de:<name>` that holds the id of a job. It counts only while that job lives, whatever the key says,
//! so a name that a crash or a foreign speaker left behind holds nothing back. What each name means is read once an act
//! and then kept in a slot, so that rows of one act see one another, and a thousand rows of one name cost one write.
//!
//! A job that is replaced keeps its id and its place in the order of its lane: whoever waits for it still gets an
//! answer, and a stream of replacements does not push it back for ever.

use crate::runtime::*;
use crate::act::step::admission::{Admission, Run, add_letters, due_of, except, offset_of, place};
use crate::act::step::bound::{due_in};
use crate::act::step::dedup::{PARKED_AT, read_names};
use crate::act::step::erase::{erase};
use crate::act::step::lane::{LANE_SETTINGS_MAX, SETTINGS_FULL, read_lanes};
use crate::act::step::ttl::{limit_time, unlimit_time};
use crate::act::step::waiting::{stop_waiting};

/// Fields of a holder's row, in the order in which `readRow` reads them.
pub const STATE: i64 = 0;

pub const GROUP: i64 = 1;

pub const DEDUP: i64 = 2;

pub const ALIAS: i64 = 3;

pub const NEXT: i64 = 4;

pub const ATTEMPTS: i64 = 5;

pub const LATEST: i64 = 6;

pub const HELD: i64 = 7;

/// What is to become of a row whose deduplication id is held or free.
pub const FRESH: i64 = 0;

pub const HELD_BACK: i64 = 1;

pub const REPLACE: i64 = 2;

pub const FOLLOW: i64 = 3;

/// One name, as the act sees it.
pub struct Slot<'a> {
    pub key: Text<'a>,
    /// The id that holds it, empty for none.
    pub id: Cell<Text<'a>>,
    /// The holder's row as it is stored.
    pub fields: Cell<List<'a, Option<Text<'a>>>>,
    /// The job of this act that holds it.
    pub entry: Cell<Option<&'a Entry<'a>>>,
    /// The job of this act that runs after the holder.
    pub follower: Cell<Option<&'a Entry<'a>>>,
    /// Id and row of the stored job that runs after the holder; empty for none, `sought` once it was looked for.
    pub next_id: Cell<Text<'a>>,
    pub next_fields: Cell<List<'a, Option<Text<'a>>>>,
    pub sought: Cell<bool>,
    /// Whether the key is to be written, and how long it holds at most; empty for as long as its job lives.
    pub is_written: Cell<bool>,
    pub ms: Cell<Text<'a>>,
    pub here: Here<'a>,
}

/// One job that is to be written: a new one, or one that is replaced in its place.
pub struct Entry<'a> {
    pub id: Text<'a>,
    pub row: Text<'a>,
    /// The row as it is stored, empty for a new job.
    pub stored: List<'a, Option<Text<'a>>>,
    /// The job after whose end it runs, empty for none.
    pub follows: Text<'a>,
    /// Where its values stand: those of the last row that asked for it.
    pub run: Cell<&'a Run<'a>>,
    pub at: Cell<i64>,
    /// The name that it holds and goes with it, and its alias; empty for none.
    pub dedup: Cell<Text<'a>>,
    pub alias: Cell<Text<'a>>,
    pub alias_slot: Cell<Option<&'a Slot<'a>>>,
    /// The latest instant at which it may fall due, -1 for any; and when it does, -1 for at once.
    pub latest: Cell<i64>,
    pub due: Cell<i64>,
    /// Where it is going to wait, once that is decided.
    pub state: Cell<Text<'a>>,
    pub here: Here<'a>,
}

/// A finished job that gives way to one of the same alias.
pub struct Finished<'a> {
    pub id: Text<'a>,
    pub group: Option<Text<'a>>,
    pub dedup: Option<Text<'a>>,
    pub here: Here<'a>,
}

/// What an act gathers of its named rows.
pub struct Named<'a> {
    pub slots: Dict<'a, &'a Slot<'a>>,
    pub used: List<'a, &'a Slot<'a>>,
    pub entries: List<'a, &'a Entry<'a>>,
    /// `s:<id>` to the entry of a stored job: two names may hold one job, which must not be placed twice.
    pub known: Dict<'a, &'a Entry<'a>>,
    pub finished: List<'a, &'a Finished<'a>>,
    /// Keys of aliases that their jobs give up.
    pub loose: List<'a, Text<'a>>,
    /// Lane and limit in turn, for lanes that have none yet.
    pub limits: List<'a, Text<'a>>,
    /// The lanes of `limits`: the first row of an act that gives a lane its limit wins.
    pub limited: Dict<'a, bool>,
    pub here: Here<'a>,
}

pub fn read_row<'a>(s: &Server<'a>, row: Text<'a>) -> Act<List<'a, Option<Text<'a>>>> {
    return Ok(s.hmget(&[Arg::Text(row), Arg::Word(text!(b"state")), Arg::Word(text!(b"group")), Arg::Word(text!(b"dedup")), Arg::Word(text!(b"alias")), Arg::Word(text!(b"next")), Arg::Word(text!(b"attempts")), Arg::Word(text!(b"latest")), Arg::Word(text!(b"held"))])?);
}

/// The slot of a name.
pub fn slot_of<'a>(s: &Server<'a>, base: Text<'a>, named: &'a Named<'a>, name: Text<'a>) -> Act<&'a Slot<'a>> {
    let key: Text<'a> = s.concat(&[base, text!(b"de:"), name]);
    let known: Option<&'a Slot<'a>> = named.slots.get(key);
    if known.is_some() {
        return Ok(known.unwrap());
    }
    let id: Option<Text<'a>> = s.get(&[Arg::Text(key)])?;
    let slot: &'a Slot<'a> = s.make(Slot { key: key, id: Cell::new(if id.is_none() { text!(b"") } else { id.unwrap() }), fields: Cell::new(if id.is_none() { s.list(&[None]) } else { read_row(s, s.concat(&[base, text!(b"job:"), id.unwrap()]))? }), entry: Cell::new(None), follower: Cell::new(None), next_id: Cell::new(text!(b"")), next_fields: Cell::new(s.list::<Option<Text<'a>>>(&[])), sought: Cell::new(false), is_written: Cell::new(false), ms: Cell::new(text!(b"")), here: Here::new() });
    named.slots.set(key, slot);
    named.used.push(slot);
    return Ok(slot);
}

/// The state of a job that this act writes.
pub fn planned_state<'a>(s: &Server<'a>, entry: &'a Entry<'a>, args: List<'a, Text<'a>>) -> Act<Text<'a>> {
    return Ok(if entry.follows != text!(b"") || due_of(s, entry.run.get(), args, entry.at.get())? >= 0 { text!(b"scheduled") } else { text!(b"pending") });
}

/// The state of a slot's holder, `false` when there is none.
pub fn holder_state<'a>(s: &Server<'a>, slot: &'a Slot<'a>, args: List<'a, Text<'a>>) -> Act<Option<Text<'a>>> {
    let entry: Option<&'a Entry<'a>> = slot.entry.get();
    return Ok(if entry.is_none() { slot.fields.get().pick(STATE) } else { Some(planned_state(s, entry.unwrap(), args)?) });
}

/// What a mode makes of a row while `state` is that of the holder of its deduplication id.
pub fn decide<'a>(slot: &'a Slot<'a>, mode: Text<'a>, state: Option<Text<'a>>) -> i64 {
    if mode == text!(b"throttle") || mode == text!(b"slide") {
        return if slot.id.get() == text!(b"") { FRESH } else { HELD_BACK };
    }
    let begun: bool = state == Some(text!(b"active")) || (slot.entry.get().is_none() && slot.fields.get().pick(HELD) == Some(text!(b"1")));
    if begun && (state == Some(text!(b"active")) || state == Some(text!(b"scheduled")) || state == Some(text!(b"pending"))) {
        if mode == text!(b"debounce") || mode == text!(b"short") {
            return FRESH;
        }
        return if mode == text!(b"follow") || mode == text!(b"latest") { FOLLOW } else { HELD_BACK };
    }
    if state == Some(text!(b"pending")) || state == Some(text!(b"scheduled")) {
        return if mode == text!(b"replace") || mode == text!(b"debounce") || mode == text!(b"latest") { REPLACE } else { HELD_BACK };
    }
    return if state == Some(text!(b"awaiting_children")) { HELD_BACK } else { FRESH };
}

/// Looks for the job that runs after a slot's holder. One that was promoted by hand, or is gone, is none.
pub fn seek_next<'a>(s: &Server<'a>, base: Text<'a>, slot: &'a Slot<'a>) -> Act<()> {
    let next: Option<Text<'a>> = slot.fields.get().pick(NEXT);
    if slot.sought.get() {
        return Ok(());
    }
    slot.sought.set(true);
    if slot.entry.get().is_some() || next.is_none() || next.is_none() {
        return Ok(());
    }
    let fields: List<'a, Option<Text<'a>>> = read_row(s, s.concat(&[base, text!(b"job:"), next.unwrap()]))?;
    let score: Option<Text<'a>> = s.zscore(&[Arg::Text(s.concat(&[base, text!(b"schedule")])), Arg::Text(next.unwrap())])?;
    if fields.pick(STATE) != Some(text!(b"scheduled")) || score.is_none() || s.num(score.unwrap())? != PARKED_AT {
        return Ok(());
    }
    slot.next_id.set(next.unwrap());
    slot.next_fields.set(fields);
    Ok(())
}

/// Reads where a stored job waits, before the first write.
pub fn read_stored_place<'a>(s: &Server<'a>, base: Text<'a>, fields: List<'a, Option<Text<'a>>>) -> Act<()> {
    let group: Option<Text<'a>> = fields.pick(GROUP);
    if group.is_some() {
        read_lanes(s, base, s.list(&[group.unwrap()]), 1)?;
    }
    Ok(())
}

/// Lets an entry give up the alias that this act, or an earlier one, gave it.
pub fn give_up_alias<'a>(s: &Server<'a>, base: Text<'a>, named: &'a Named<'a>, entry: &'a Entry<'a>) -> Act<()> {
    let slot: Option<&'a Slot<'a>> = entry.alias_slot.get();
    if slot.is_some() {
        slot.unwrap().id.set(text!(b""));
        slot.unwrap().fields.set(s.list(&[None]));
        slot.unwrap().entry.set(None);
        slot.unwrap().is_written.set(false);
        entry.alias_slot.set(None);
    }
    if entry.stored.len() == 0 {
        return Ok(());
    }
    let old: Option<Text<'a>> = entry.stored.pick(ALIAS);
    if old.is_none() || old == Some(text!(b"")) || old == Some(entry.alias.get()) {
        return Ok(());
    }
    let known: &'a Slot<'a> = slot_of(s, base, named, old.unwrap())?;
    if known.id.get() != entry.id {
        return Ok(());
    }
    named.loose.push(known.key);
    known.id.set(text!(b""));
    known.fields.set(s.list(&[None]));
    known.entry.set(None);
    Ok(())
}

/// Lets an entry hold an alias. While the job that it follows holds it, it has to wait for it.
pub fn take_alias<'a>(entry: &'a Entry<'a>, alias: Text<'a>, slot: &'a Slot<'a>) {
    entry.alias.set(alias);
    if slot.id.get() != text!(b"") && slot.id.get() != entry.id {
        return;
    }
    slot.id.set(entry.id);
    slot.entry.set(Some(entry));
    slot.is_written.set(true);
    entry.alias_slot.set(Some(slot));
}

/// The alias that a row asks for, empty for none.
pub fn alias_of<'a>(run: &'a Run<'a>, args: List<'a, Text<'a>>, at: i64) -> Text<'a> {
    let offset: i64 = offset_of(run.shape, text!(b"j")) + offset_of(run.shape, text!(b"k"));
    return if offset > 0 { args.get(at + offset) } else { text!(b"") };
}

/// Keeps the first bound of a chain of replacements.
pub fn bound_due<'a>(s: &Server<'a>, entry: &'a Entry<'a>, args: List<'a, Text<'a>>) -> Act<()> {
    let offset: i64 = offset_of(entry.run.get().shape, text!(b"w"));
    if offset > 0 && entry.latest.get() < 0 {
        entry.latest.set(due_in(s, s.num(args.get(entry.at.get() + offset))?));
    }
    Ok(())
}

/// A job that is to be written, with the values of a row.
pub fn add_entry<'a>(s: &Server<'a>, admission: &'a Admission<'a>, named: &'a Named<'a>, run: &'a Run<'a>, at: i64, id: Text<'a>, stored: List<'a, Option<Text<'a>>>, follows: Text<'a>) -> Act<&'a Entry<'a>> {
    let known: Option<&'a Entry<'a>> = named.known.get(s.concat(&[text!(b"s:"), id]));
    if known.is_some() {
        return Ok(known.unwrap());
    }
    let latest: Option<Text<'a>> = if stored.len() > 0 { stored.pick(LATEST) } else { None };
    let entry: &'a Entry<'a> = s.make(Entry { id: id, row: s.concat(&[admission.base, text!(b"job:"), id]), stored: stored, follows: follows, run: Cell::new(run), at: Cell::new(at), dedup: Cell::new(text!(b"")), alias: Cell::new(text!(b"")), alias_slot: Cell::new(None), latest: Cell::new(if latest.is_none() { -1 } else { s.num(latest.unwrap())? }), due: Cell::new(-1), state: Cell::new(text!(b"")), here: Here::new() });
    named.entries.push(entry);
    if stored.len() > 0 {
        named.known.set(s.concat(&[text!(b"s:"), id]), entry);
        read_stored_place(s, admission.base, stored)?;
    }
    return Ok(entry);
}

/// Gives a job that waits the values of a row.
pub fn rework<'a>(s: &Server<'a>, admission: &'a Admission<'a>, named: &'a Named<'a>, entry: &'a Entry<'a>, run: &'a Run<'a>, args: List<'a, Text<'a>>, at: i64) -> Act<()> {
    let alias: Text<'a> = alias_of(run, args, at);
    entry.run.set(run);
    entry.at.set(at);
    bound_due(s, entry, args)?;
    if alias != text!(b"") && alias != entry.alias.get() {
        let slot: &'a Slot<'a> = slot_of(s, admission.base, named, alias)?;
        entry.alias.set(alias);
        give_up_alias(s, admission.base, named, entry)?;
        take_alias(entry, alias, slot);
    }
    admission.admitted.set(entry.id, planned_state(s, entry, args)?);
    Ok(())
}

/// How long a name is to hold at most, empty for no such bound.
pub fn ms_of<'a>(run: &'a Run<'a>, args: List<'a, Text<'a>>, at: i64) -> Text<'a> {
    let offset: i64 = offset_of(run.shape, text!(b"t"));
    return if offset > 0 { args.get(at + offset) } else { text!(b"") };
}

/// The mode of a row.
pub fn mode_of<'a>(run: &'a Run<'a>, args: List<'a, Text<'a>>, at: i64) -> Text<'a> {
    let offset: i64 = offset_of(run.shape, text!(b"m"));
    return if offset > 0 { args.get(at + offset) } else { text!(b"keep") };
}

/// Admits a row as a job of its own.
pub fn admit_new<'a>(s: &Server<'a>, admission: &'a Admission<'a>, named: &'a Named<'a>, run: &'a Run<'a>, args: List<'a, Text<'a>>, at: i64, slot: Option<&'a Slot<'a>>, follows: Text<'a>) -> Act<()> {
    let id: Text<'a> = args.get(at);
    let mode: Text<'a> = mode_of(run, args, at);
    let alias: Text<'a> = alias_of(run, args, at);
    let entry: &'a Entry<'a> = add_entry(s, admission, named, run, at, id, s.list::<Option<Text<'a>>>(&[]), follows)?;
    bound_due(s, entry, args)?;
    if alias != text!(b"") {
        take_alias(entry, alias, slot_of(s, admission.base, named, alias)?);
    }
    if slot.is_some() {
        // A window that outlasts its job is not the job's to end.
        if mode != text!(b"throttle") && mode != text!(b"slide") {
            entry.dedup.set(args.get(at + offset_of(run.shape, text!(b"d"))));
        }
        if follows == text!(b"") {
            slot.unwrap().id.set(id);
            slot.unwrap().entry.set(Some(entry));
            slot.unwrap().follower.set(None);
            slot.unwrap().sought.set(false);
            slot.unwrap().next_id.set(text!(b""));
            slot.unwrap().is_written.set(true);
            slot.unwrap().ms.set(ms_of(run, args, at));
        } else {
            slot.unwrap().follower.set(Some(entry));
        }
    }
    admission.admitted.set(id, planned_state(s, entry, args)?);
    Ok(())
}

/// Admits a row that runs after the active holder, or gives its values to the one that does already.
pub fn follow<'a>(s: &Server<'a>, admission: &'a Admission<'a>, named: &'a Named<'a>, run: &'a Run<'a>, args: List<'a, Text<'a>>, at: i64, slot: &'a Slot<'a>, position: i64) -> Act<()> {
    if slot.follower.get().is_none() && slot.next_id.get() != text!(b"") {
        let next: &'a Entry<'a> = add_entry(s, admission, named, run, at, slot.next_id.get(), slot.next_fields.get(), slot.id.get())?;
        next.dedup.set(args.get(at + offset_of(run.shape, text!(b"d"))));
        let alias: Option<Text<'a>> = slot.next_fields.get().pick(ALIAS);
        if alias.is_some() {
            next.alias.set(alias.unwrap());
        }
        slot.follower.set(Some(next));
    }
    let follower: Option<&'a Entry<'a>> = slot.follower.get();
    if follower.is_none() {
        admit_new(s, admission, named, run, args, at, Some(slot), slot.id.get())?;
    } else {
        rework(s, admission, named, follower.unwrap(), run, args, at)?;
        except(admission, position, Value::from(s.list(&[Value::from(3), Value::from(follower.unwrap().id)])));
    }
    Ok(())
}

/// Gives the values of a row to the holder of its deduplication id.
pub fn replace<'a>(s: &Server<'a>, admission: &'a Admission<'a>, named: &'a Named<'a>, run: &'a Run<'a>, args: List<'a, Text<'a>>, at: i64, slot: &'a Slot<'a>, position: i64) -> Act<()> {
    let mut entry: Option<&'a Entry<'a>> = slot.entry.get();
    if entry.is_none() {
        entry = Some(add_entry(s, admission, named, run, at, slot.id.get(), slot.fields.get(), text!(b""))?);
        let dedup: Option<Text<'a>> = slot.fields.get().pick(DEDUP);
        let alias: Option<Text<'a>> = slot.fields.get().pick(ALIAS);
        if dedup.is_some() {
            entry.unwrap().dedup.set(dedup.unwrap());
        }
        if alias.is_some() {
            entry.unwrap().alias.set(alias.unwrap());
        }
        slot.entry.set(Some(entry.unwrap()));
    }
    rework(s, admission, named, entry.unwrap(), run, args, at)?;
    if mode_of(run, args, at) == text!(b"debounce") {
        slot.ms.set(ms_of(run, args, at));
    }
    except(admission, position, Value::from(s.list(&[Value::from(3), Value::from(entry.unwrap().id)])));
    Ok(())
}

/// Whether the job that an alias names is the one that the row is going to change, and so not in its way.
pub fn is_changed<'a>(slot: Option<&'a Slot<'a>>, what: i64, id: Text<'a>) -> bool {
    if slot.is_none() || what < REPLACE {
        return false;
    }
    let follower: Text<'a> = if slot.unwrap().follower.get().is_none() { slot.unwrap().next_id.get() } else { slot.unwrap().follower.get().unwrap().id };
    return id == slot.unwrap().id.get() || id == follower;
}

/// Lets a row pass its alias: nobody has it, the job that has it is changed by the row, or it is over and gives way.
/// Answers false when the row is a duplicate.
pub fn pass_alias<'a>(s: &Server<'a>, admission: &'a Admission<'a>, named: &'a Named<'a>, run: &'a Run<'a>, args: List<'a, Text<'a>>, at: i64, slot: Option<&'a Slot<'a>>, what: i64, position: i64) -> Act<bool> {
    let own: &'a Slot<'a> = slot_of(s, admission.base, named, alias_of(run, args, at))?;
    let state: Option<Text<'a>> = holder_state(s, own, args)?;
    let is_over: bool = own.entry.get().is_none() && (state == Some(text!(b"dead")) || state == Some(text!(b"completed")));
    let gives: bool = is_over && offset_of(run.shape, text!(b"k")) > 0;
    if state.is_some() && !gives {
        if is_changed(slot, what, own.id.get()) {
            return Ok(true);
        }
        except(admission, position, Value::from(s.list(&[Value::from(1), Value::from(own.id.get()), Value::from(state.unwrap())])));
        return Ok(false);
    }
    if what == HELD_BACK {
        return Ok(true);
    }
    if gives {
        named.finished.push(s.make(Finished { id: own.id.get(), group: own.fields.get().pick(GROUP), dedup: own.fields.get().pick(DEDUP), here: Here::new() }));
        read_stored_place(s, admission.base, own.fields.get())?;
        read_names(s, admission.base, own.id.get(), own.fields.get().pick(DEDUP), true)?;
        if what == FRESH {
            except(admission, position, Value::from(s.list(&[Value::from(4), Value::from(own.id.get()), Value::from(state.unwrap())])));
        }
    }
    own.id.set(text!(b""));
    own.fields.set(s.list(&[None]));
    return Ok(true);
}

/// Judges one row that carries a name and whose own id is new.
pub fn judge_row<'a>(s: &Server<'a>, admission: &'a Admission<'a>, named: &'a Named<'a>, run: &'a Run<'a>, args: List<'a, Text<'a>>, at: i64, position: i64) -> Act<()> {
    let dedup_at: i64 = offset_of(run.shape, text!(b"d"));
    let slot: Option<&'a Slot<'a>> = if dedup_at > 0 { Some(slot_of(s, admission.base, named, args.get(at + dedup_at))?) } else { None };
    let mode: Text<'a> = mode_of(run, args, at);
    let what: i64 = if slot.is_none() { FRESH } else { decide(slot.unwrap(), mode, holder_state(s, slot.unwrap(), args)?) };
    if slot.is_some() && what == FOLLOW {
        seek_next(s, admission.base, slot.unwrap())?;
    }
    if alias_of(run, args, at) != text!(b"") && !(pass_alias(s, admission, named, run, args, at, slot, what, position)?) {
        return Ok(());
    }
    if slot.is_none() || what == FRESH {
        admit_new(s, admission, named, run, args, at, slot, text!(b""))?;
    } else if what == REPLACE {
        replace(s, admission, named, run, args, at, slot.unwrap(), position)?;
    } else if what == FOLLOW {
        follow(s, admission, named, run, args, at, slot.unwrap(), position)?;
    } else {
        except(admission, position, Value::from(s.list(&[Value::from(2), Value::from(slot.unwrap().id.get())])));
        if mode == text!(b"extend") || mode == text!(b"slide") {
            slot.unwrap().ms.set(ms_of(run, args, at));
        }
    }
    Ok(())
}

/// Notes the limit that a row asks for its lane, when neither the queue nor a row before has given it one. Answers false
/// when there is no room for it.
pub fn note_limit<'a>(s: &Server<'a>, admission: &'a Admission<'a>, named: &'a Named<'a>, run: &'a Run<'a>, args: List<'a, Text<'a>>, at: i64) -> Act<bool> {
    let offset: i64 = offset_of(run.shape, text!(b"l"));
    if offset == 0 || run.lane == 0 {
        return Ok(true);
    }
    let lane: Text<'a> = args.get(at + run.lane);
    let limits: Text<'a> = s.concat(&[admission.base, text!(b"glimit")]);
    if named.limited.get(s.concat(&[text!(b"l:"), lane])) == Some(true) || s.hexists(&[Arg::Text(limits), Arg::Text(lane)])? == 1 {
        return Ok(true);
    }
    if s.hlen(&[Arg::Text(limits)])? + named.limits.len() / 2 >= LANE_SETTINGS_MAX {
        return Ok(false);
    }
    // Read before the first write, as lowering a lane to its limit touches them.
    s.hget(&[Arg::Text(s.concat(&[admission.base, text!(b"gactive")])), Arg::Text(lane)])?;
    s.llen(&[Arg::Text(s.concat(&[admission.base, text!(b"ring")]))])?;
    named.limited.set(s.concat(&[text!(b"l:"), lane]), true);
    named.limits.push(lane);
    named.limits.push(args.get(at + offset));
    return Ok(true);
}

/// Judges one row of a run whose rows carry a name, and whose own id is new. Answers the refusal of the whole act, empty
/// for none.
#[cold]
pub fn judge_named<'a>(s: &Server<'a>, admission: &'a Admission<'a>, run: &'a Run<'a>, args: List<'a, Text<'a>>, at: i64, pos: i64) -> Act<Text<'a>> {
    let mut named: Option<&'a Named<'a>> = admission.named.get();
    if named.is_none() {
        named = Some(s.make(Named { slots: s.dict(), used: s.list::<&'a Slot<'a>>(&[]), entries: s.list::<&'a Entry<'a>>(&[]), known: s.dict(), finished: s.list::<&'a Finished<'a>>(&[]), loose: s.list::<Text<'a>>(&[]), limits: s.list::<Text<'a>>(&[]), limited: s.dict(), here: Here::new() }));
        admission.named.set(Some(named.unwrap()));
    }
    if !(note_limit(s, admission, named.unwrap(), run, args, at)?) {
        return Ok(SETTINGS_FULL);
    }
    judge_row(s, admission, named.unwrap(), run, args, at, pos)?;
    return Ok(text!(b""));
}

/// Decides where the jobs of named rows wait, and reads what writing them will meet.
#[cold]
pub fn place_named<'a>(s: &Server<'a>, admission: &'a Admission<'a>, args: List<'a, Text<'a>>) -> Act<()> {
    let named: Option<&'a Named<'a>> = admission.named.get();
    if named.is_none() {
        return Ok(());
    }
    for entry in named.unwrap().entries.iter() {
        let due: i64 = due_of(s, entry.run.get(), args, entry.at.get())?;
        entry.due.set(if due < 0 || entry.latest.get() < 0 { due } else { i64::min(due, entry.latest.get()) });
        if entry.follows == text!(b"") {
            entry.state.set(place(s, admission, entry.run.get(), args, entry.at.get(), entry.id, entry.due.get())?);
        } else {
            let later: List<'a, Value<'a>> = admission.later;
            let size: i64 = later.len();
            entry.state.set(text!(b"scheduled"));
            later.set(size, Value::from(PARKED_AT));
            later.set(size + 1, Value::from(entry.id));
        }
        admission.admitted.set(entry.id, entry.state.get());
    }
    if named.unwrap().entries.len() > 0 {
        s.zcard(&[Arg::Text(s.concat(&[admission.base, text!(b"schedule")]))])?;
        s.zcard(&[Arg::Text(s.concat(&[admission.base, text!(b"ttl")]))])?;
    }
    if named.unwrap().finished.len() > 0 {
        for set in s.list(&[text!(b"active"), text!(b"dead"), text!(b"completed"), text!(b"expiry")]).iter() {
            s.zcard(&[Arg::Text(s.concat(&[admission.base, set]))])?;
        }
    }
    Ok(())
}

/// Takes a job that is replaced from where it waited, unless it waits there still.
pub fn leave_old_place<'a>(s: &Server<'a>, base: Text<'a>, entry: &'a Entry<'a>, args: List<'a, Text<'a>>) -> Act<()> {
    let stored: List<'a, Option<Text<'a>>> = entry.stored;
    let later: bool = entry.state.get() == text!(b"scheduled");
    if stored.pick(STATE) == Some(text!(b"scheduled")) {
        if !later {
            s.zrem(&[Arg::Text(s.concat(&[base, text!(b"schedule")])), Arg::Text(entry.id)])?;
        }
        return Ok(());
    }
    let group: Option<Text<'a>> = stored.pick(GROUP);
    let lane: Option<Text<'a>> = if entry.run.get().lane > 0 { Some(args.get(entry.at.get() + entry.run.get().lane)) } else { None };
    if later || group != lane {
        stop_waiting(s, base, entry.id, group)?;
    }
    Ok(())
}

/// Lets the job that a new one follows know of it, whoever holds the name of both by the end of the act.
pub fn tell_leader<'a>(s: &Server<'a>, base: Text<'a>, entry: &'a Entry<'a>) -> Act<()> {
    let leader: Text<'a> = s.concat(&[base, text!(b"job:"), entry.follows]);
    // A job that a window admitted bears no name, and without this field no end of a job looks who follows it.
    if s.hexists(&[Arg::Text(leader), Arg::Word(text!(b"dedup"))])? == 0 {
        s.hset(&[Arg::Text(leader), Arg::Word(text!(b"dedup")), Arg::Word(text!(b""))])?;
    }
    s.hset(&[Arg::Text(leader), Arg::Word(text!(b"next")), Arg::Text(entry.id)])?;
    Ok(())
}

/// Writes the row of a new job, or gives a row that is replaced a fresh life: what its last one left says nothing.
pub fn write_entry<'a>(s: &Server<'a>, admission: &'a Admission<'a>, entry: &'a Entry<'a>, args: List<'a, Text<'a>>) -> Act<()> {
    let at: i64 = entry.at.get();
    let stored: List<'a, Option<Text<'a>>> = entry.stored;
    let fields: List<'a, Text<'a>> = s.list(&[text!(b"state"), entry.state.get()]);
    if stored.len() == 0 {
        fields.set(2, text!(b"attempts"));
        fields.set(3, text!(b"0"));
    } else {
        // With an owner, the late holder of a lapsed lease could settle the new data with its old token.
        s.hdel(&[Arg::Text(entry.row), Arg::Word(text!(b"owner")), Arg::Word(text!(b"last_error")), Arg::Word(text!(b"progress")), Arg::Word(text!(b"stalled")), Arg::Word(text!(b"deferred")), Arg::Word(text!(b"cancel")), Arg::Word(text!(b"held")), Arg::Word(text!(b"due"))])?;
        s.hdel(&[Arg::Text(entry.row), Arg::Word(text!(b"group")), Arg::Word(text!(b"name")), Arg::Word(text!(b"priority")), Arg::Word(text!(b"opts")), Arg::Word(text!(b"cost")), Arg::Word(text!(b"follow_at"))])?;
        unlimit_time(s, admission.base, entry.id)?;
        let attempts: Option<Text<'a>> = stored.pick(ATTEMPTS);
        if attempts.is_some() && attempts != Some(text!(b"0")) {
            fields.set(2, text!(b"deferred"));
            fields.set(3, attempts.unwrap());
        }
    }
    fields.push(text!(b"payload"));
    fields.push(args.get(at + 1));
    add_letters(fields, entry.run.get(), args, at);
    // A row that has an alias has this field as well, perhaps empty: it is what every end of a job looks at.
    if entry.dedup.get() != text!(b"") || entry.alias.get() != text!(b"") {
        fields.push(text!(b"dedup"));
        fields.push(entry.dedup.get());
    }
    if entry.alias.get() != text!(b"") {
        fields.push(text!(b"alias"));
        fields.push(entry.alias.get());
    }
    s.hset(s.spread(&[Arg::Text(entry.row)], fields))?;
    let due: Option<i64> = admission.dues.get(entry.id);
    if due.is_some() {
        s.hset(&[Arg::Text(entry.row), Arg::Word(text!(b"due")), Arg::Int(due.unwrap())])?;
    }
    if entry.latest.get() >= 0 {
        s.hset(&[Arg::Text(entry.row), Arg::Word(text!(b"latest")), Arg::Int(entry.latest.get())])?;
    }
    if entry.follows != text!(b"") {
        s.hset(&[Arg::Text(entry.row), Arg::Word(text!(b"follows")), Arg::Text(entry.follows)])?;
        if entry.due.get() >= 0 {
            s.hset(&[Arg::Text(entry.row), Arg::Word(text!(b"follow_at")), Arg::Int(entry.due.get())])?;
        }
        if stored.len() == 0 {
            tell_leader(s, admission.base, entry)?;
        }
    }
    let expire: i64 = entry.run.get().expire;
    if expire > 0 {
        limit_time(s, admission.base, entry.id, entry.due.get(), args.get(at + expire))?;
    }
    if stored.len() > 0 {
        leave_old_place(s, admission.base, entry, args)?;
    }
    Ok(())
}

/// Gives lanes their first limit; one that is at it by now leaves the ring.
pub fn limit_lanes<'a>(s: &Server<'a>, base: Text<'a>, limits: List<'a, Text<'a>>) -> Act<()> {
    let stop: i64 = limits.len();
    {
        let mut i: i64 = 0;
        while i < stop {
            let lane: Text<'a> = limits.get(i);
            s.hset(&[Arg::Text(s.concat(&[base, text!(b"glimit")])), Arg::Text(lane), Arg::Text(limits.get(i + 1))])?;
            let active: Option<Text<'a>> = s.hget(&[Arg::Text(s.concat(&[base, text!(b"gactive")])), Arg::Text(lane)])?;
            if active.is_some() && s.num(active.unwrap())? >= s.num(limits.get(i + 1))? {
                s.lrem(&[Arg::Text(s.concat(&[base, text!(b"ring")])), Arg::Int(0), Arg::Text(lane)])?;
            }
            i += 2;
        }
    }
    Ok(())
}

/// Writes what becomes of one name.
pub fn write_slot<'a>(s: &Server<'a>, slot: &'a Slot<'a>) -> Act<()> {
    if slot.is_written.get() {
        if slot.ms.get() == text!(b"") {
            s.set(&[Arg::Text(slot.key), Arg::Text(slot.id.get())])?;
        } else {
            s.set(&[Arg::Text(slot.key), Arg::Text(slot.id.get()), Arg::Word(text!(b"PXAT")), Arg::Int(due_in(s, s.num(slot.ms.get())?))])?;
        }
    } else if slot.ms.get() != text!(b"") {
        s.pexpireat(&[Arg::Text(slot.key), Arg::Int(due_in(s, s.num(slot.ms.get())?))])?;
    }
    Ok(())
}

/// Writes the jobs of named rows, whose members have been added, and their names.
#[cold]
pub fn write_named<'a>(s: &Server<'a>, admission: &'a Admission<'a>, args: List<'a, Text<'a>>) -> Act<()> {
    let named: Option<&'a Named<'a>> = admission.named.get();
    if named.is_none() {
        return Ok(());
    }
    let base: Text<'a> = admission.base;
    for entry in named.unwrap().entries.iter() {
        write_entry(s, admission, entry, args)?;
    }
    limit_lanes(s, base, named.unwrap().limits)?;
    for old in named.unwrap().finished.iter() {
        erase(s, base, old.id, old.group, old.dedup)?;
    }
    for key in named.unwrap().loose.iter() {
        s.del(&[Arg::Text(key)])?;
    }
    for slot in named.unwrap().used.iter() {
        write_slot(s, slot)?;
    }
    Ok(())
}