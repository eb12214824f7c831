//! Threads that help with a transfer if they have the time. The threads are shared, and may be busy waiting for the
//! card. A caller starts at once, alone if need be, and waits only for helpers that joined.

use crosslane_core::threads::{count, spawn};
use std::mem::transmute;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

/// The threads that work on a job.
#[derive(Default)]
struct Gang {
    state: Mutex<State>,
    left: Condvar,
}

#[derive(Default)]
struct State {
    /// No more threads join.
    closed: bool,
    inside: usize,
    panicked: Option<Box<dyn std::any::Any + Send>>,
}

impl Gang {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// What a helper does.
    fn help(&self, work: &dyn Fn()) {
        {
            let mut state = self.state();
            if state.closed {
                return;
            }
            state.inside += 1;
        }
        let result = catch_unwind(AssertUnwindSafe(work));
        let mut state = self.state();
        state.inside -= 1;
        state.panicked = state.panicked.take().or(result.err());
        self.left.notify_all();
    }
}

/// Closes a gang and waits for those inside, also when the caller panics.
struct Close<'a>(&'a Gang);

impl Drop for Close<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.closed = true;
        while state.inside > 0 {
            state = self.0.left.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
    }
}

/// Does something with each item, several at a time if others have the time: `true` for what a helper does.
pub(super) fn each<T: Send>(items: Vec<T>, work: impl Fn(T, bool) + Sync) {
    let others = items.len().min(count()).saturating_sub(1);
    let rest = Mutex::new(items.into_iter());
    let next = || rest.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).next();
    let all = |helps: bool| std::iter::from_fn(next).for_each(|item| work(item, helps));
    let help = || all(true);
    let gang = Arc::new(Gang::default());
    let close = Close(&gang);
    if others > 0 {
        let help: &(dyn Fn() + Sync) = &help;
        // SAFETY: a helper calls it only while it is inside of the gang, where it comes only before that is closed; and
        // this function ends, in whatever way, by dropping `close`, which waits until the gang is closed and empty, before
        // `help` and what that borrows are gone: they were made earlier.
        let help = unsafe { transmute::<&(dyn Fn() + Sync), &'static (dyn Fn() + Sync)>(help) };
        for _ in 0..others {
            let gang = gang.clone();
            spawn(move || gang.help(help));
        }
    }
    all(false);
    drop(close);
    if let Some(panic) = gang.state().panicked.take() {
        resume_unwind(panic);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
    use std::sync::mpsc;

    #[test]
    fn each_item_is_done_once_and_a_panic_comes_back() {
        for _ in 0..200 {
            let done: Vec<AtomicUsize> = (0..20).map(|_| AtomicUsize::new(0)).collect();
            each(done.iter().collect(), |times, _| {
                times.fetch_add(1, Relaxed);
            });
            assert!(done.iter().all(|times| times.load(Relaxed) == 1));
        }
        let panicked = catch_unwind(|| each((0..20).collect(), |item: i32, _| assert!(item != 7, "on purpose")));
        assert!(panicked.is_err());
    }

    /// The threads wait for something: nobody else does.
    #[test]
    fn who_asks_while_all_helpers_wait_does_it_alone() {
        let (sender, receiver) = mpsc::channel::<()>();
        let receiver = Arc::new(Mutex::new(receiver));
        for _ in 0..count() {
            let receiver = receiver.clone();
            spawn(move || assert!(receiver.lock().unwrap().recv().is_err()));
        }
        let done = AtomicUsize::new(0);
        each((0..20).collect(), |_: i32, helps| {
            assert!(!helps);
            done.fetch_add(1, Relaxed);
        });
        assert_eq!(done.into_inner(), 20);
        drop(sender);
    }
}
