//! A bounded cache that evicts the least recently used entries.
//!
//! Entries are handles: a user holds it for as long as it is used, even if it is evicted here.

use rustc_hash::FxHashMap;
use std::borrow::Borrow;
use std::hash::Hash;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{PoisonError, RwLock};

/// Handles by their keys, `most` at most. To find one takes a lock that readers share. Nothing is made or dropped under
/// the lock: what is made here may take long, or panic, and what is dropped may wait for a device.
pub struct Recent<K, V> {
    most: usize,
    /// How often something new was kept: the age of the entry used last is measured by it. A clock that went on with
    /// each use would be a word that all threads write.
    clock: AtomicU64,
    kept: RwLock<FxHashMap<K, Kept<V>>>,
}

struct Kept<V> {
    value: V,
    used: AtomicU64,
}

impl<K: Hash + Eq + Clone, V: Clone> Recent<K, V> {
    /// An empty cache of `most` entries, at least one.
    pub fn new(most: usize) -> Recent<K, V> {
        Recent { most: most.max(1), clock: AtomicU64::new(0), kept: RwLock::default() }
    }

    /// The entry of a key.
    pub fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        let found = kept.get(key)?;
        let now = self.clock.load(Relaxed);
        if found.used.load(Relaxed) != now {
            found.used.store(now, Relaxed);
        }
        Some(found.value.clone())
    }

    /// Keeps what was made. If several threads make the same at the same time, the first one's is kept: that is what
    /// comes back.
    pub fn keep(&self, key: K, value: V) -> V {
        let (kept, _dropped_without_the_lock) = self.exchange(key, value);
        kept
    }

    /// What is kept now, and what is not any more.
    fn exchange(&self, key: K, value: V) -> (V, Vec<Kept<V>>) {
        let mut kept = self.kept.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(first) = kept.get(&key) {
            return (first.value.clone(), vec![Kept { value, used: AtomicU64::new(0) }]);
        }
        let oldest = if kept.len() >= self.most { oldest(&kept, self.most) } else { vec![] };
        let gone = oldest.iter().filter_map(|key| kept.remove(key)).collect();
        let used = AtomicU64::new(self.clock.fetch_add(1, Relaxed));
        kept.insert(key, Kept { value: value.clone(), used });
        (value, gone)
    }

    /// The entries, in no order.
    pub fn values(&self) -> Vec<V> {
        let kept = self.kept.read().unwrap_or_else(PoisonError::into_inner);
        kept.values().map(|kept| kept.value.clone()).collect()
    }

    /// Keeps nothing any more.
    pub fn clear(&self) {
        let gone = std::mem::take(&mut *self.kept.write().unwrap_or_else(PoisonError::into_inner));
        drop(gone);
    }
}

/// The keys of the eighth that was used least lately: to look for it is worth more than one place.
fn oldest<K: Hash + Eq + Clone, V>(kept: &FxHashMap<K, Kept<V>>, most: usize) -> Vec<K> {
    let (mut ages, mut keys) = (vec![], vec![]);
    for (key, kept) in kept {
        ages.push((kept.used.load(Relaxed), keys.len()));
        keys.push(key);
    }
    least(ages, (most / 8).max(1)).into_iter().map(|(_, at)| keys[at].clone()).collect()
}

/// As many ages as are wanted, the smallest, with their places. It names no key: the selection is much code to have for each type.
fn least(mut ages: Vec<(u64, usize)>, wanted: usize) -> Vec<(u64, usize)> {
    if wanted < ages.len() {
        ages.select_nth_unstable(wanted - 1);
        ages.truncate(wanted);
    }
    ages
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn what_is_used_stays_and_the_rest_goes() {
        let recent = Recent::new(64);
        for key in 0..10_000u32 {
            recent.keep(key, Arc::new(key));
            assert!(recent.values().len() <= 64);
            assert_eq!(recent.get(&0).as_deref(), Some(&0), "it is asked for each time, at {key}");
        }
        assert!(recent.get(&5_000).is_none() && recent.get(&9_999).is_some());
        let held = recent.get(&9_999).unwrap();
        recent.clear();
        assert!(recent.values().is_empty() && *held == 9_999 && Arc::strong_count(&held) == 1);
    }

    #[test]
    fn the_least_recently_used_goes_first() {
        let recent = Recent::new(8);
        (0..8).for_each(|key| assert_eq!(recent.keep(key, key), key));
        assert!([3, 5].map(|key| recent.get(&key).is_some()) == [true; 2]);
        (8..14).for_each(|key| assert_eq!(recent.keep(key, key), key));
        let left: Vec<bool> = (0..8).map(|key| recent.get(&key).is_some()).collect();
        assert_eq!(left.iter().filter(|left| **left).count(), 2, "{left:?}");
        assert!(left[3] && left[5]);
    }

    #[test]
    fn who_is_first_is_right() {
        let recent = Recent::new(2);
        let first = recent.keep("key".to_string(), Arc::new(1));
        assert!(Arc::ptr_eq(&first, &recent.keep("key".to_string(), Arc::new(2))));
        assert_eq!(recent.get("key").as_deref(), Some(&1));
    }

    /// A value that asks for others while it is dropped.
    struct Asks(Arc<Recent<u32, Arc<Asks>>>);
    impl Drop for Asks {
        fn drop(&mut self) {
            assert!(self.0.get(&u32::MAX).is_none());
        }
    }

    #[test]
    fn nothing_is_dropped_under_the_lock() {
        let recent = Arc::new(Recent::new(2));
        (0..20).for_each(|key| drop(recent.keep(key % 7, Arc::new(Asks(recent.clone())))));
        recent.clear();
    }
}
