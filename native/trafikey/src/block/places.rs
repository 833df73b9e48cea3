//! Who waits at which queue, in the order in which they came, and when time alone will let them go on.
//!
//! Free of the server's types, so that it can be tested alone.

use std::collections::{BTreeSet, HashMap};

/// What a waiting client can be served with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Flat work alone, as `CLAIM` takes it.
    Flat,
    /// All that the queue has, and what falls due, as `TURN` takes it.
    Whole,
}

impl Kind {
    fn other(self) -> Kind {
        match self {
            Kind::Flat => Kind::Whole,
            Kind::Whole => Kind::Flat,
        }
    }
}

/// One waiting client, known by a number that grows: who came first has the lowest.
pub type Ticket = u64;

/// A queue of one database, by its base key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spot {
    pub db: i32,
    pub base: Vec<u8>,
}

/// A timer that runs for a queue.
#[derive(Clone, Copy)]
struct Alarm<T> {
    timer: T,
    at: i64,
}

/// Those who wait for one kind of work of a queue.
#[derive(Default)]
struct Line {
    tickets: BTreeSet<Ticket>,
    /// When time lets the first of them go on, in ms.
    due_at: Option<i64>,
}

/// A queue at which somebody waits.
struct Queue<T> {
    lines: [Line; 2],
    /// Who was called and has not answered yet; there is one at a time, or order would be lost between the lines.
    called: Option<Ticket>,
    /// Whether the queue has changed since.
    has_news: bool,
    /// Whether the first of one line was called, since the queue has changed last, and got nothing.
    is_passed: bool,
    /// Whether something may have changed that is not seen by what waits in the queue: the schedule, or the time.
    must_look: bool,
    alarm: Option<Alarm<T>>,
    /// What its timer is known by.
    number: usize,
}

impl<T> Queue<T> {
    fn line(&mut self, kind: Kind) -> &mut Line {
        &mut self.lines[kind as usize]
    }

    /// Calls whoever has waited longest.
    fn call_oldest(&mut self) -> Option<Ticket> {
        self.is_passed = false;
        self.has_news = false;
        self.called = self.lines.iter().filter_map(|line| line.tickets.first().copied()).min();
        self.called
    }
}

/// What has to be done about the timer of a queue: one that is stopped, and one that is started.
#[derive(PartialEq, Eq, Debug)]
pub struct Change<T> {
    pub stop: Option<T>,
    /// The number of the queue, and when.
    pub start: Option<(usize, i64)>,
}

/// All that wait. `T` is what the server knows a timer by.
pub struct Places<T> {
    queues: HashMap<i32, HashMap<Vec<u8>, Queue<T>>>,
    spots: HashMap<usize, Spot>,
    last_ticket: Ticket,
    last_number: usize,
}

impl<T: Copy> Places<T> {
    pub fn new() -> Self {
        Places { queues: HashMap::new(), spots: HashMap::new(), last_ticket: 0, last_number: 0 }
    }

    /// Whether nobody waits anywhere.
    pub fn is_empty(&self) -> bool {
        self.spots.is_empty()
    }

    fn queue(&mut self, spot: &Spot) -> Option<&mut Queue<T>> {
        self.queue_at(spot.db, &spot.base)
    }

    fn queue_at(&mut self, db: i32, base: &[u8]) -> Option<&mut Queue<T>> {
        self.queues.get_mut(&db)?.get_mut(base)
    }

    /// The queues of a database at which somebody waits.
    pub fn spots_of(&self, db: i32) -> Vec<Spot> {
        self.spots.values().filter(|spot| spot.db == db).cloned().collect()
    }

    /// The queue that a timer is for.
    pub fn spot_of(&self, number: usize) -> Option<Spot> {
        self.spots.get(&number).cloned()
    }

    /// Begins to wait, behind all who do already.
    pub fn enter(&mut self, spot: &Spot, kind: Kind) -> Ticket {
        self.last_ticket += 1;
        let ticket = self.last_ticket;
        if self.queue(spot).is_none() {
            self.last_number += 1;
            let number = self.last_number;
            let queue = Queue {
                lines: Default::default(),
                called: None,
                has_news: false,
                is_passed: false,
                must_look: false,
                alarm: None,
                number,
            };
            self.queues.entry(spot.db).or_default().insert(spot.base.clone(), queue);
            self.spots.insert(number, spot.clone());
        }
        if let Some(queue) = self.queue(spot) {
            queue.line(kind).tickets.insert(ticket);
        }
        ticket
    }

    /// Waits no longer; whether it was called and has not answered, so that the call has to go to another one. A queue
    /// that nobody waits at any more is forgotten, and its timer is to be stopped.
    pub fn leave(&mut self, spot: &Spot, kind: Kind, ticket: Ticket) -> (bool, Option<T>) {
        let Some(queue) = self.queue(spot) else {
            return (false, None);
        };
        queue.line(kind).tickets.remove(&ticket);
        let was_called = queue.called.take_if(|called| *called == ticket).is_some();
        if queue.lines.iter().any(|line| !line.tickets.is_empty()) {
            return (was_called, None);
        }
        let (number, timer) = (queue.number, queue.alarm.map(|alarm| alarm.timer));
        self.spots.remove(&number);
        if let Some(queues) = self.queues.get_mut(&spot.db) {
            queues.remove(&spot.base);
        }
        (false, timer)
    }

    /// A queue has changed: whoever has waited longest is to try, unless one is called already.
    pub fn call(&mut self, db: i32, base: &[u8], must_look: bool) -> Option<Ticket> {
        let queue = self.queue_at(db, base)?;
        queue.must_look |= must_look;
        queue.has_news = true;
        if queue.called.is_some() { None } else { queue.call_oldest() }
    }

    /// One that was called tries now; whether more may have changed for it than what waits in the queue.
    pub fn answer(&mut self, spot: &Spot, kind: Kind) -> bool {
        let Some(queue) = self.queue(spot) else {
            return false;
        };
        queue.called = None;
        // Where no flat work waits, neither the schedule nor the time gives any.
        kind == Kind::Whole && std::mem::take(&mut queue.must_look)
    }

    /// One that was called has got nothing: what is there may still be for the first of the other line.
    pub fn pass(&mut self, spot: &Spot, kind: Kind) -> Option<Ticket> {
        let queue = self.queue(spot)?;
        if queue.has_news {
            return queue.call_oldest();
        }
        if !std::mem::replace(&mut queue.is_passed, true) {
            queue.called = queue.line(kind.other()).tickets.first().copied();
        }
        queue.called
    }

    /// Notes when time lets a line go on, in ms.
    pub fn note_due(&mut self, spot: &Spot, kind: Kind, at: Option<i64>) {
        if let Some(queue) = self.queue(spot) {
            queue.line(kind).due_at = at;
        }
    }

    /// When time lets a line go on, in ms.
    pub fn due_of(&mut self, spot: &Spot, kind: Kind) -> Option<i64> {
        self.queue(spot).and_then(|queue| queue.line(kind).due_at)
    }

    /// What is to be done so that a timer runs for the earliest such time, and none where there is no such time.
    pub fn retime(&mut self, spot: &Spot) -> Change<T> {
        let Some(queue) = self.queue(spot) else {
            return Change { stop: None, start: None };
        };
        let waited = queue.lines.iter().filter(|line| !line.tickets.is_empty());
        let due = waited.filter_map(|line| line.due_at).min();
        if due == queue.alarm.map(|alarm| alarm.at) {
            return Change { stop: None, start: None };
        }
        let number = queue.number;
        let stop = queue.alarm.take().map(|alarm| alarm.timer);
        Change { stop, start: due.map(|at| (number, at)) }
    }

    /// Notes a timer that was started.
    pub fn timed(&mut self, spot: &Spot, timer: T, at: i64) {
        if let Some(queue) = self.queue(spot) {
            queue.alarm = Some(Alarm { timer, at });
        }
    }

    /// A timer has gone off: it is no longer, and what it was set for is worked out anew by those who look.
    pub fn rang(&mut self, spot: &Spot) {
        if let Some(queue) = self.queue(spot) {
            queue.alarm = None;
            for line in &mut queue.lines {
                line.due_at = None;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spot() -> Spot {
        Spot { db: 0, base: b"emq:{q}:".to_vec() }
    }

    fn call(places: &mut Places<u64>) -> Option<Ticket> {
        places.call(0, b"emq:{q}:", false)
    }

    #[test]
    fn who_has_waited_longest_is_called_and_nobody_else_until_it_answers() {
        let mut places = Places::new();
        let [first, flat, last] = [Kind::Whole, Kind::Flat, Kind::Whole].map(|kind| places.enter(&spot(), kind));
        assert_eq!(call(&mut places), Some(first));
        assert_eq!(call(&mut places), None);
        assert_eq!(places.leave(&spot(), Kind::Whole, first), (true, None));
        assert_eq!(call(&mut places), Some(flat));
        places.answer(&spot(), Kind::Flat);
        assert_eq!(places.leave(&spot(), Kind::Flat, flat), (false, None));
        assert_eq!(call(&mut places), Some(last));
    }

    #[test]
    fn what_one_line_cannot_take_is_offered_to_the_other_once() {
        let mut places = Places::new();
        let [flat, whole] = [Kind::Flat, Kind::Whole].map(|kind| places.enter(&spot(), kind));
        assert_eq!(call(&mut places), Some(flat));
        places.answer(&spot(), Kind::Flat);
        assert_eq!(places.pass(&spot(), Kind::Flat), Some(whole));
        places.answer(&spot(), Kind::Whole);
        assert_eq!(places.pass(&spot(), Kind::Whole), None);
        assert_eq!(call(&mut places), Some(flat));
        assert_eq!(call(&mut places), None);
        places.answer(&spot(), Kind::Flat);
        // The queue has changed meanwhile, so the oldest tries again.
        assert_eq!(places.pass(&spot(), Kind::Flat), Some(flat));
    }

    #[test]
    fn who_leaves_twice_has_left_once_and_the_last_takes_the_timer_along() {
        let mut places = Places::new();
        let ticket = places.enter(&spot(), Kind::Flat);
        places.note_due(&spot(), Kind::Flat, Some(70));
        assert_eq!(places.retime(&spot()), Change { stop: None, start: Some((1, 70)) });
        places.timed(&spot(), 9, 70);
        assert_eq!(places.leave(&spot(), Kind::Flat, ticket), (false, Some(9)));
        assert_eq!(places.leave(&spot(), Kind::Flat, ticket), (false, None));
        assert!(places.is_empty() && places.spot_of(1).is_none());
    }

    #[test]
    fn the_timer_is_that_of_the_earliest_time_that_anybody_waits_for() {
        let mut places = Places::new();
        let whole = places.enter(&spot(), Kind::Whole);
        places.enter(&spot(), Kind::Flat);
        places.note_due(&spot(), Kind::Whole, Some(50));
        places.note_due(&spot(), Kind::Flat, Some(60));
        assert_eq!(places.retime(&spot()).start, Some((1, 50)));
        places.timed(&spot(), 5, 50);
        assert_eq!(places.retime(&spot()), Change { stop: None, start: None });
        places.leave(&spot(), Kind::Whole, whole);
        assert_eq!(places.retime(&spot()), Change { stop: Some(5), start: Some((1, 60)) });
        places.timed(&spot(), 6, 60);
        places.rang(&spot());
        assert_eq!((places.due_of(&spot(), Kind::Flat), places.spot_of(1)), (None, Some(spot())));
    }

    #[test]
    fn a_change_that_only_a_look_can_find_is_looked_for_once() {
        let mut places = Places::<u64>::new();
        places.enter(&spot(), Kind::Whole);
        places.enter(&spot(), Kind::Flat);
        places.call(0, b"emq:{q}:", true);
        assert!(!places.answer(&spot(), Kind::Flat));
        assert!(places.answer(&spot(), Kind::Whole));
        assert!(!places.answer(&spot(), Kind::Whole));
        assert_eq!(places.call(1, b"emq:{q}:", true), None);
    }
}
