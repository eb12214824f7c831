//! The uses of memory by streams, and the waits that follow from them: bookkeeping alone, no call of the driver.

use std::collections::{BTreeMap, HashMap};

/// The address of a block of memory, and whether it is written.
pub(super) type Access = (u64, bool);

/// A stream that another has to wait for: by an event recorded now, or by the one recorded last, which is late enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wait {
    pub lane: usize,
    pub fresh: bool,
}

/// The uses of every block, and what each stream has waited for. Streams are numbered; the main one is 0.
#[derive(Default)]
pub(super) struct Ledger {
    lanes: Vec<Lane>,
    uses: HashMap<u64, Vec<Use>>,
}

/// A stream's account.
#[derive(Clone, Default)]
struct Lane {
    /// Turns it has had: each is work whose memory is known.
    turns: u64,
    /// The turns that came before its event was recorded last.
    marked: u64,
    /// How many turns of each other stream it has waited for.
    waited: Vec<u64>,
    /// What is in it may stay for ever: only work on the same memory waits for it.
    detached: bool,
}

/// The last turns in which a stream used a block; 0 is never.
#[derive(Clone, Copy, Default)]
struct Use {
    lane: usize,
    read: u64,
    written: u64,
}

impl Ledger {
    /// The number of a new stream.
    pub fn add_lane(&mut self) -> usize {
        self.lanes.push(Lane::default());
        let count = self.lanes.len();
        self.lanes.iter_mut().for_each(|lane| lane.waited.resize(count, 0));
        count - 1
    }

    /// What a stream must wait for before it uses memory so. The caller sees to it at once.
    pub fn waits(&mut self, lane: usize, accesses: impl Iterator<Item = Access>) -> Vec<Wait> {
        let mut needed: BTreeMap<usize, u64> = BTreeMap::new();
        for (address, writes) in accesses {
            for used in self.known(address).iter().filter(|used| used.lane != lane) {
                let turn = if writes { used.read.max(used.written) } else { used.written };
                let latest = needed.entry(used.lane).or_default();
                *latest = turn.max(*latest);
            }
        }
        needed.into_iter().filter_map(|(other, turn)| self.wait(lane, other, turn)).collect()
    }

    /// What a stream must wait for to free a block: everything in all other streams, but of detached ones only what
    /// uses the block.
    pub fn all(&mut self, lane: usize, address: u64) -> Vec<Wait> {
        let turn = |other: usize| match self.lanes[other].detached {
            true => self.used(address, other),
            false => self.lanes[other].turns,
        };
        let others: Vec<(usize, u64)> = (0..self.lanes.len()).map(|other| (other, turn(other))).collect();
        others
            .into_iter()
            .filter(|&(other, _)| other != lane)
            .filter_map(|(o, turn)| self.wait(lane, o, turn))
            .collect()
    }

    /// The last turn in which a stream used a block.
    pub fn used(&self, address: u64, lane: usize) -> u64 {
        let uses = self.uses.get(&address).into_iter().flatten();
        uses.filter(|used| used.lane == lane).map(|used| used.read.max(used.written)).max().unwrap_or(0)
    }

    /// Sets whether only work on the same memory waits for a stream.
    pub fn detach(&mut self, lane: usize, detached: bool) {
        self.lanes[lane].detached = detached;
    }

    pub fn is_detached(&self, lane: usize) -> bool {
        self.lanes[lane].detached
    }

    /// Called before more work is queued in a detached stream. True if its event must be recorded first: otherwise a
    /// wait for the earlier work would also wait for a kernel that may never end.
    pub fn mark(&mut self, lane: usize) -> bool {
        let lane = &mut self.lanes[lane];
        let fresh = lane.detached && lane.marked < lane.turns;
        if fresh {
            lane.marked = lane.turns;
        }
        fresh
    }

    /// A block was allocated in a stream's order.
    pub fn born(&mut self, lane: usize, address: u64) {
        self.lanes[lane].turns += 1;
        let turn = self.lanes[lane].turns;
        self.uses.entry(address).or_insert_with(|| vec![Use { lane, read: turn, written: turn }]);
    }

    /// A block's uses. One that is not known was allocated before there were several streams, and used in the main one if
    /// anywhere.
    fn known(&mut self, address: u64) -> &[Use] {
        let main = &mut self.lanes[0];
        self.uses.entry(address).or_insert_with(|| {
            main.turns += 1;
            vec![Use { lane: 0, read: main.turns, written: main.turns }]
        })
    }

    fn wait(&mut self, lane: usize, other: usize, turn: u64) -> Option<Wait> {
        if self.lanes[lane].waited[other] >= turn {
            return None;
        }
        let fresh = self.lanes[other].marked < turn;
        if fresh {
            self.lanes[other].marked = self.lanes[other].turns;
        }
        self.lanes[lane].waited[other] = self.lanes[other].marked;
        Some(Wait { lane: other, fresh })
    }

    /// The event could not be recorded: the next wait does it.
    pub fn not_marked(&mut self, lane: usize) {
        self.lanes[lane].marked = 0;
    }

    /// A wait could not be queued: the next use tries again.
    pub fn not_waited(&mut self, lane: usize, other: usize) {
        (self.lanes[lane].waited[other], self.lanes[other].marked) = (0, 0);
    }

    /// The stream has been asked to use memory so.
    pub fn note(&mut self, lane: usize, accesses: impl Iterator<Item = Access>) {
        self.lanes[lane].turns += 1;
        let turn = self.lanes[lane].turns;
        for (address, writes) in accesses {
            self.known(address);
            let uses = self.uses.get_mut(&address).expect("just looked up");
            let index = uses.iter().position(|used| used.lane == lane).unwrap_or(uses.len());
            if index == uses.len() {
                uses.push(Use { lane, ..Use::default() });
            }
            match writes {
                true => uses[index].written = turn,
                false => uses[index].read = turn,
            }
        }
    }

    /// The turns a stream has had.
    pub fn turns(&self, lane: usize) -> u64 {
        self.lanes[lane].turns
    }

    /// A stream has waited for this many turns of another, by an event of the program.
    pub fn waited(&mut self, lane: usize, other: usize, turns: u64) {
        let waited = &mut self.lanes[lane].waited[other];
        *waited = turns.max(*waited);
    }

    /// The block is freed.
    pub fn forget(&mut self, address: u64) {
        self.uses.remove(&address);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger(lanes: usize) -> Ledger {
        let mut ledger = Ledger::default();
        (0..lanes).for_each(|lane| assert_eq!(ledger.add_lane(), lane));
        ledger
    }

    fn turn(ledger: &mut Ledger, lane: usize, accesses: &[Access]) -> Vec<Wait> {
        let waits = ledger.waits(lane, accesses.iter().copied());
        ledger.note(lane, accesses.iter().copied());
        waits
    }

    const fn on(lane: usize, fresh: bool) -> Wait {
        Wait { lane, fresh }
    }

    #[test]
    fn memory_nobody_has_seen_was_made_in_the_main_stream() {
        let mut ledger = ledger(3);
        assert_eq!(turn(&mut ledger, 1, &[(7, false)]), [on(0, true)]);
        assert_eq!(turn(&mut ledger, 2, &[(7, false)]), [on(0, false)], "the event of before is late enough");
        assert_eq!(turn(&mut ledger, 1, &[(7, false)]), []);
        assert_eq!(turn(&mut ledger, 0, &[(8, true)]), []);
    }

    #[test]
    fn a_reader_waits_for_writers_and_a_writer_for_all() {
        let mut ledger = ledger(3);
        turn(&mut ledger, 0, &[(7, true)]);
        assert_eq!(turn(&mut ledger, 1, &[(7, true)]), [on(0, true)]);
        assert_eq!(turn(&mut ledger, 2, &[(7, false)]), [on(0, false), on(1, true)]);
        assert_eq!(turn(&mut ledger, 1, &[(7, true)]), [on(2, true)]);
        assert_eq!(turn(&mut ledger, 1, &[(7, false), (7, true)]), []);
        assert_eq!(turn(&mut ledger, 0, &[(7, true)]), [on(1, true), on(2, false)]);
    }

    #[test]
    fn what_is_freed_or_failed_is_forgotten_and_a_programs_event_counts() {
        let mut ledger = ledger(2);
        turn(&mut ledger, 1, &[(7, true)]);
        ledger.waited(0, 1, ledger.turns(1));
        assert_eq!(turn(&mut ledger, 0, &[(7, true)]), []);
        assert_eq!(turn(&mut ledger, 1, &[(7, true)]), [on(0, true)]);
        ledger.not_waited(1, 0);
        assert_eq!(turn(&mut ledger, 1, &[(7, true)]), [on(0, true)]);
        turn(&mut ledger, 0, &[(7, true)]);
        ledger.forget(7);
        assert_eq!(turn(&mut ledger, 0, &[(7, true)]), [], "allocated anew in the main stream");
        turn(&mut ledger, 1, &[]);
        assert_eq!((ledger.all(0, 7), ledger.all(0, 7)), (vec![on(1, true)], vec![]));
    }

    /// What a stream knows to be done, by the streams' own numbering of their work: an event carries it along.
    #[test]
    fn conflicting_work_is_always_ordered() {
        const LANES: usize = 4;
        let mut ledger = ledger(LANES);
        let (mut done, mut events) = ([[0u32; LANES]; LANES], [[0u32; LANES]; LANES]);
        let mut history: HashMap<u64, Vec<(usize, u32, bool)>> = HashMap::new();
        let mut state = 1u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let mut skipped = 0;
        // Under Miri each round takes a thousand times as long.
        let rounds = if cfg!(miri) { 200 } else { 20_000 };
        for _ in 0..rounds {
            let lane = random(LANES as u64) as usize;
            let accesses: Vec<Access> = (0..1 + random(3)).map(|_| (random(12), random(3) == 0)).collect();
            let waits = ledger.waits(lane, accesses.iter().copied());
            skipped += (waits.len() < LANES - 1) as u32;
            for wait in waits {
                if wait.fresh {
                    events[wait.lane] = done[wait.lane];
                }
                for (known, carried) in done[lane].iter_mut().zip(events[wait.lane]) {
                    *known = carried.max(*known);
                }
            }
            done[lane][lane] += 1;
            let number = done[lane][lane];
            for &(address, writes) in &accesses {
                for &(other, work, wrote) in history.entry(address).or_default().iter() {
                    assert!(other == lane || !(writes || wrote) || done[lane][other] >= work);
                }
                history.get_mut(&address).unwrap().push((lane, number, writes));
            }
            ledger.note(lane, accesses.iter().copied());
            history.values_mut().for_each(|uses| uses.drain(..uses.len().saturating_sub(50)).for_each(drop));
        }
        assert!(skipped > rounds / 20, "streams that share nothing do not wait: {skipped}");
    }

    #[test]
    fn fresh_memory_is_its_streams_own() {
        let mut ledger = ledger(3);
        ledger.born(1, 7);
        assert_eq!(turn(&mut ledger, 1, &[(7, true)]), [], "the main stream may be busy");
        assert_eq!(turn(&mut ledger, 2, &[(7, false)]), [on(1, true)]);
        ledger.born(2, 7);
        assert_eq!(turn(&mut ledger, 2, &[(7, false)]), [], "somebody else's that is known");
        assert_eq!(ledger.all(0, 7), [on(1, false), on(2, true)]);
    }

    #[test]
    fn a_detached_stream_is_waited_for_by_who_uses_its_memory_only() {
        let mut ledger = ledger(3);
        ledger.detach(1, true);
        assert!(!ledger.mark(1), "nothing to be waited for yet");
        turn(&mut ledger, 1, &[(7, true)]);
        assert!(ledger.mark(1), "before it is asked for what may stay");
        turn(&mut ledger, 1, &[(8, true)]);
        turn(&mut ledger, 2, &[(9, true)]);
        assert_eq!(ledger.all(0, 9), [on(2, true)], "another's memory is freed");
        assert_eq!(turn(&mut ledger, 2, &[(7, false)]), [on(1, false)], "what came before what may stay");
        assert_eq!(ledger.all(0, 8), [on(1, true), on(2, true)], "its memory is freed");
        ledger.detach(1, false);
        turn(&mut ledger, 1, &[]);
        assert_eq!(ledger.all(0, 9), [on(1, true)]);
    }
}
