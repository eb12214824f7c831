//! Counts calls down to those in which a fault is injected, in tests.

#[cfg(feature = "cases")]
use std::sync::atomic::Ordering::Release;
use std::sync::atomic::{AtomicU64, Ordering::AcqRel, Ordering::Acquire};

/// So many calls go well, and so many after them do not. At first all go well.
#[derive(Default)]
pub struct Countdown {
    good: AtomicU64,
    bad: AtomicU64,
}

impl Countdown {
    /// From now on `good` calls go well, then `bad` ones do not, then all do again.
    #[cfg(feature = "cases")]
    pub fn set(&self, good: u64, bad: u64) {
        self.good.store(good, Release);
        self.bad.store(bad, Release);
    }

    /// Counts a call, and tells whether it is one that must fail.
    pub fn is_due(&self) -> bool {
        if !cfg!(feature = "cases") || self.bad.load(Acquire) == 0 {
            return false;
        }
        let one_less = |count: u64| count.checked_sub(1);
        self.good.fetch_update(AcqRel, Acquire, one_less).is_err()
            && self.bad.fetch_update(AcqRel, Acquire, one_less).is_ok()
    }
}

#[cfg(all(test, feature = "cases"))]
mod tests {
    use super::Countdown;

    #[test]
    fn the_calls_in_between_fail() {
        let countdown = Countdown::default();
        assert!(!countdown.is_due());
        countdown.set(2, 3);
        let due: Vec<bool> = (0..7).map(|_| countdown.is_due()).collect();
        assert_eq!(due, [false, false, true, true, true, false, false]);
    }
}
