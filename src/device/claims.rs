//! Claims: which thread is submitting which result. A result is computed once, though several threads may plan it at
//! the same time. A thread waits only for threads whose work it needs.

use crate::sync::{Condvar, Mutex, MutexGuard};
use rustc_hash::FxHashSet;

/// The results that are being submitted now, by their addresses: the claim keeps them alive.
#[derive(Default)]
pub(crate) struct Claims {
    state: Mutex<State>,
    given_back: Condvar,
}

#[derive(Default)]
struct State {
    taken: FxHashSet<usize>,
    /// How many wait: a notification without a receiver costs a system call, too.
    waiting: usize,
}

/// Results that no other thread submits while this lives.
pub(crate) struct Claim<'a> {
    claims: &'a Claims,
    keys: Vec<usize>,
}

impl Claims {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Claims results, or returns `None` if one of them is `known` by now. Waits for other threads that claim one of
    /// them: until they have submitted, not until the device is done. A waiting thread holds no claims yet, so that no
    /// two threads wait for each other.
    pub fn claim(&self, keys: Vec<usize>, known: impl Fn() -> bool) -> Option<Claim<'_>> {
        let mut state = self.state();
        loop {
            // Results are published before their claim is given back, so that one of both is seen here.
            if known() {
                return None;
            }
            if keys.iter().all(|key| !state.taken.contains(key)) {
                state.taken.extend(&keys);
                return Some(Claim { claims: self, keys });
            }
            state.waiting += 1;
            state = self.given_back.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
            state.waiting -= 1;
        }
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        if !self.keys.is_empty() {
            let mut state = self.claims.state();
            for key in &self.keys {
                state.taken.remove(key);
            }
            let somebody_waits = state.waiting > 0;
            drop(state);
            if somebody_waits {
                self.claims.given_back.notify_all();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn each_result_is_claimed_by_one_at_a_time() {
        let model = move || {
            let shared = Arc::new((Claims::default(), AtomicUsize::new(0), AtomicUsize::new(0)));
            // Any two want a result of both; in either order.
            let threads = [vec![1, 2], vec![3, 1], vec![2, 3]].map(|keys| {
                let shared = shared.clone();
                shuttle::thread::spawn(move || {
                    let (claims, inside, computed) = &*shared;
                    let known = || computed.load(Ordering::SeqCst) == 2;
                    if let Some(_claim) = claims.claim(keys, known) {
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        shuttle::thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                        computed.fetch_add(1, Ordering::SeqCst);
                    }
                })
            });
            threads.into_iter().for_each(|thread| thread.join().unwrap());
            assert_eq!(shared.2.load(Ordering::SeqCst), 2, "the third finds it known");
            assert!(shared.0.state().taken.is_empty());
        };
        shuttle::check_pct(model, 1000, 3);
        shuttle::check_random(model, 1000);
    }
}
