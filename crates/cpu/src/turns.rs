//! Turns to run launches: launches of several threads run side by side if none writes memory that another accesses, and
//! otherwise in the order of submission.

use super::block;
use crosslane_core::kernel::Access;
use crosslane_core::memory::Memory;
use crosslane_core::work::{Launch, Window};
use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard};

/// The launches that run, and those that wait.
#[derive(Default)]
pub(super) struct Turns {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    /// In the order in which they were asked for: each runs that no earlier one stands in the way of.
    turns: Vec<(u64, Vec<Use>)>,
    next: u64,
    /// How many wait: a notification without a receiver costs a system call, too.
    waiting: usize,
}

/// Bytes that launches touch, by their addresses: foreign memory may be adopted twice.
#[derive(Clone)]
pub(super) struct Use {
    bytes: Range<usize>,
    writes: bool,
}

/// Nothing that stands in its way runs while this lives.
pub(super) struct Turn<'a> {
    turns: &'a Turns,
    number: u64,
}

impl Use {
    /// All memory.
    pub fn everything() -> Vec<Use> {
        vec![Use { bytes: 0..usize::MAX, writes: true }]
    }

    pub fn of(launches: &[Launch]) -> Vec<Use> {
        let of_one = |launch: &Launch| launch.kernel.bindings().len().min(launch.buffers.len());
        let mut uses = Vec::with_capacity(launches.iter().map(of_one).sum());
        for launch in launches {
            let points = launch.kernel.bindings().iter().zip(&launch.buffers);
            uses.extend(points.map(|(point, window)| Use::window(window, point.access == Access::Write)));
        }
        uses
    }

    fn window(window: &Window, writes: bool) -> Use {
        Use::part(&window.memory, window.offset, window.bytes as usize, writes)
    }

    /// Bytes that the host reads or writes.
    pub fn part(memory: &Memory, offset: u64, bytes: usize, writes: bool) -> Use {
        let first = block(memory).words.as_ptr() as usize + offset as usize;
        Use { bytes: first..first + bytes, writes }
    }

    fn is_in_the_way_of(&self, other: &Use) -> bool {
        let meet = self.bytes.start < other.bytes.end && other.bytes.start < self.bytes.end;
        meet && (self.writes || other.writes)
    }
}

impl State {
    /// Whether a turn that was asked for earlier touches what this one writes, or writes what it touches.
    fn waits(&self, number: u64, uses: &[Use]) -> bool {
        let earlier = self.turns.iter().take_while(|(other, _)| *other < number);
        earlier.flat_map(|(_, earlier)| earlier).any(|a| uses.iter().any(|b| a.is_in_the_way_of(b)))
    }
}

impl Turns {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Waits until no earlier launch conflicts.
    pub fn take(&self, uses: Vec<Use>) -> Turn<'_> {
        let mut state = self.state();
        let number = state.next;
        state.next += 1;
        if state.turns.is_empty() {
            state.turns.push((number, uses));
            return Turn { turns: self, number };
        }
        state.turns.push((number, uses.clone()));
        while state.waits(number, &uses) {
            state.waiting += 1;
            state = self.ended.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
            state.waiting -= 1;
        }
        Turn { turns: self, number }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.turns.state();
        state.turns.retain(|(number, _)| *number != self.number);
        let somebody_waits = state.waiting > 0;
        drop(state);
        if somebody_waits {
            self.turns.ended.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering::SeqCst};
    use std::thread::{scope, yield_now};

    fn uses(bytes: Range<usize>, writes: bool) -> Vec<Use> {
        vec![Use { bytes, writes }]
    }

    #[test]
    fn who_writes_is_alone_and_who_reads_is_not() {
        let (turns, cell, most) = (Turns::default(), AtomicI64::new(0), AtomicUsize::new(0));
        // Under Miri each round takes a thousand times as long.
        let rounds = if cfg!(miri) { 10 } else { 500 };
        scope(|threads| {
            for thread in 0..8 {
                let (turns, cell, most) = (&turns, &cell, &most);
                threads.spawn(move || {
                    for round in 0..rounds {
                        // Readers increment a count; writers, which access an edge of the same bytes, must find it
                        // zero.
                        if (thread + round) % 3 == 0 {
                            let _turn = turns.take(uses(15..40, true));
                            assert_eq!(cell.swap(-1000, SeqCst), 0);
                            yield_now();
                            assert_eq!(cell.swap(0, SeqCst), -1000);
                        } else {
                            let _turn = turns.take(uses(8..16, false));
                            let readers = cell.fetch_add(1, SeqCst) + 1;
                            assert!(readers > 0);
                            most.fetch_max(readers as usize, SeqCst);
                            yield_now();
                            assert!(cell.fetch_sub(1, SeqCst) > 0);
                        }
                    }
                });
            }
        });
        // Miri's threads take long turns: few rounds show nothing of it.
        assert!(cfg!(miri) || most.into_inner() > 1, "readers never ran side by side");
        assert!(turns.state().turns.is_empty());
    }

    #[test]
    fn neighbours_have_their_turns_at_a_time() {
        let (turns, both) = (Turns::default(), std::sync::Barrier::new(2));
        scope(|threads| {
            for first in [0, 8] {
                let (turns, both) = (&turns, &both);
                threads.spawn(move || {
                    let _turn = turns.take(uses(first..first + 8, true));
                    both.wait();
                });
            }
        });
    }

    #[test]
    fn an_earlier_turn_that_waits_comes_first() {
        let (turns, order) = (Turns::default(), Mutex::new(vec![]));
        scope(|threads| {
            let running = turns.take(uses(0..8, false));
            let asked = |count: usize| {
                while turns.state().turns.len() < count {
                    yield_now()
                }
            };
            for (nth, writes) in [true, false, true].into_iter().enumerate() {
                let (turns, order) = (&turns, &order);
                threads.spawn(move || {
                    let _turn = turns.take(uses(0..8, writes));
                    order.lock().unwrap().push(nth);
                });
                asked(2 + nth);
            }
            assert!(order.lock().unwrap().is_empty(), "the second reads, as what runs: the first came before it");
            drop(running);
        });
        assert_eq!(order.into_inner().unwrap(), [0, 1, 2]);
    }
}
