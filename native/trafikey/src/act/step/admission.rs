// Generated from `src/transition/` by `npm run generate`. Do not edit: a test fails when this file is stale.

//! What one `ADMIT` gathers before it writes: the runs of its rows, where each job is going to wait, and what it
//! answers.
//!
//! Everything is decided here first, in memory, and written afterwards by one command for many members.

use crate::runtime::*;
use crate::act::step::bound::{due_in};
use crate::act::step::dedup_rows::{Named};
use crate::act::step::lane::{is_ordered};

/// The rows of one run that are new, and where in a row each value lies: its offset, 0 for a letter not in the shape.
pub struct Run<'a> {
    pub shape: Text<'a>,
    pub name: i64,
    pub priority: i64,
    pub lane: i64,
    pub opts: i64,
    pub due_at: i64,
    pub due_in: i64,
    pub expire: i64,
    pub cost: i64,
    /// Whether its rows carry a deduplication id, an alias or a limit of their lane.
    pub is_named: bool,
    /// Position in `args` of each new row, and the key of that row; rows that carry a name are none of these. More keys
    /// may stand behind those.
    pub fresh: List<'a, i64>,
    pub keys: List<'a, Text<'a>>,
    pub here: Here<'a>,
}

/// What one act gathers.
pub struct Admission<'a> {
    pub base: Text<'a>,
    pub runs: List<'a, &'a Run<'a>>,
    pub exceptions: List<'a, Value<'a>>,
    /// Id to the state of each job that this act admits, but for pending ones while `ascends`: `stateOf` reads it. Ids are
    /// of the job kind by then, so any text is safe as a key.
    pub admitted: Dict<'a, Text<'a>>,
    /// Whether every id so far came behind the one before it, `last`, and is of a flat row. Then none of them stands
    /// twice, and no table of them is needed, which costs more than all else that judges such a row.
    pub ascends: Cell<bool>,
    pub last: Cell<Text<'a>>,
    /// Score and member in turn, for the flat queue and the schedule.
    pub flat: List<'a, Value<'a>>,
    pub later: List<'a, Value<'a>>,
    /// Id to the instant before which a job that goes into an ordered lane at once does not run.
    pub dues: Dict<'a, i64>,
    /// Lane and id in turn, and the score of each pair.
    pub lanes: List<'a, Text<'a>>,
    pub lane_scores: List<'a, i64>,
    /// The rows that carry a name, `false` while there is none.
    pub named: Cell<Option<&'a Named<'a>>>,
    /// Whether anybody listens to events; asked with the first rows.
    pub heard: Cell<i64>,
    pub here: Here<'a>,
}

/// The state of a job that this act admits.
pub fn state_of<'a>(admission: &'a Admission<'a>, id: Text<'a>) -> Text<'a> {
    let state: Option<Text<'a>> = admission.admitted.get(id);
    return if state.is_none() { text!(b"pending") } else { state.unwrap() };
}

/// Offset of a letter's value within a row, 0 for none.
pub fn offset_of<'a>(shape: Text<'a>, letter: Text<'a>) -> i64 {
    let at: i64 = shape.index_of(letter);
    return if at < 0 { 0 } else { at + 2 };
}

/// When a row asks to fall due, -1 for at once.
pub fn due_of<'a>(s: &Server<'a>, run: &'a Run<'a>, args: List<'a, Text<'a>>, at: i64) -> Act<i64> {
    if run.due_at > 0 {
        return Ok(s.num(args.get(at + run.due_at))?);
    }
    return Ok(if run.due_in > 0 { due_in(s, s.num(args.get(at + run.due_in))?) } else { -1 });
}

/// Decides where a job will wait; answers its state. A job of an ordered lane keeps its place there although it falls
/// due later. `due` is when it falls due, -1 for at once, and `at` the position
/// of the row that says the rest.
pub fn place<'a>(s: &Server<'a>, admission: &'a Admission<'a>, run: &'a Run<'a>, args: List<'a, Text<'a>>, at: i64, id: Text<'a>, due: i64) -> Act<Text<'a>> {
    if due >= 0 && run.lane > 0 && is_ordered(s, admission.base, Some(args.get(at + run.lane)))? {
        admission.dues.set(id, due);
    } else if due >= 0 {
        let later: List<'a, Value<'a>> = admission.later;
        let size: i64 = later.len();
        later.set(size, Value::from(due));
        later.set(size + 1, Value::from(id));
        return Ok(text!(b"scheduled"));
    }
    let score: i64 = if run.priority > 0 { s.num(args.get(at + run.priority))? } else { 0 };
    if run.lane > 0 {
        admission.lanes.push(args.get(at + run.lane));
        admission.lanes.push(id);
        admission.lane_scores.push(score);
    } else {
        let flat: List<'a, Value<'a>> = admission.flat;
        let size: i64 = flat.len();
        flat.set(size, Value::from(score));
        flat.set(size + 1, Value::from(id));
    }
    return Ok(text!(b"pending"));
}

/// Appends one field and its value, unless the value says nothing.
pub fn add_field<'a>(fields: List<'a, Text<'a>>, name: Text<'a>, value: Text<'a>, silent: Text<'a>) {
    if value == text!(b"") || value == silent {
        return;
    }
    fields.push(name);
    fields.push(value);
}

/// Appends the fields that a row's letters name.
pub fn add_letters<'a>(fields: List<'a, Text<'a>>, run: &'a Run<'a>, args: List<'a, Text<'a>>, at: i64) {
    if run.lane > 0 {
        add_field(fields, text!(b"group"), args.get(at + run.lane), text!(b""));
    }
    if run.name > 0 {
        add_field(fields, text!(b"name"), args.get(at + run.name), text!(b"default"));
    }
    if run.priority > 0 {
        add_field(fields, text!(b"priority"), args.get(at + run.priority), text!(b"0"));
    }
    if run.opts > 0 {
        add_field(fields, text!(b"opts"), args.get(at + run.opts), text!(b""));
    }
    if run.cost > 0 {
        add_field(fields, text!(b"cost"), args.get(at + run.cost), text!(b"1"));
    }
}

/// Reports what became of a row that was not simply admitted.
pub fn except<'a>(admission: &'a Admission<'a>, position: i64, verdict: Value<'a>) {
    let exceptions: List<'a, Value<'a>> = admission.exceptions;
    exceptions.push(Value::from(position));
    exceptions.push(verdict);
}