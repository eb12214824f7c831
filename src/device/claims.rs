//! Claims: who is submitting what. A result is computed once, though several threads may plan it at the same time, and none
//! waits for another whose work it does not need.

use std::collections::HashSet;
use std::sync::{Condvar, Mutex, MutexGuard};

/// The results that are being submitted now, by their addresses: whoever claims them keeps them alive.
#[derive(Default)]
pub(crate) struct Claims {
    taken: Mutex<HashSet<usize>>,
    given_back: Condvar,
}

/// Results that nobody else submits while this lives.
pub(crate) struct Claim<'a> {
    claims: &'a Claims,
    keys: Vec<usize>,
}

impl Claims {
    fn taken(&self) -> MutexGuard<'_, HashSet<usize>> {
        self.taken.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// Claims results, or gives none if one of them is `known` by now. Waits for others that claim one of them: until
    /// they have submitted, not until the device is done. Whoever waits claims nothing yet, so that no two wait for each
    /// other.
    pub fn claim(&self, keys: Vec<usize>, known: impl Fn() -> bool) -> Option<Claim<'_>> {
        let mut taken = self.taken();
        loop {
            // Results are published before their claim is given back, so that one of both is seen here.
            if known() {
                return None;
            }
            if keys.iter().all(|key| !taken.contains(key)) {
                taken.extend(&keys);
                return Some(Claim { claims: self, keys });
            }
            taken = self.given_back.wait(taken).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
    }
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        if !self.keys.is_empty() {
            let mut taken = self.claims.taken();
            taken.retain(|key| !self.keys.contains(key));
            drop(taken);
            self.claims.given_back.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn each_result_is_claimed_by_one_at_a_time() {
        let (claims, inside, computed) = (Claims::default(), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (claims, inside, computed) = (&claims, &inside, &computed);
                scope.spawn(move || {
                    for round in 0..500 {
                        // Any two share a result; in either order.
                        let keys = if (thread + round) % 2 == 0 { vec![1, 2 + thread] } else { vec![2 + thread, 1] };
                        let before = computed.load(Ordering::SeqCst);
                        let claim = claims.claim(keys, || computed.load(Ordering::SeqCst) > before + 3);
                        if claim.is_some() {
                            assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                            computed.fetch_add(1, Ordering::SeqCst);
                            inside.fetch_sub(1, Ordering::SeqCst);
                        }
                    }
                });
            }
        });
        assert!(claims.taken().is_empty());
        assert!(claims.claim(vec![7], || true).is_none());
    }
}
