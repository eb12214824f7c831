//! Functions of many indices, on all threads.
//!
//! Rayon's iterators are compiled anew for each function that they take: they were a third of this program's LLVM IR. Here they run
//! one closure without a type.

use rayon::prelude::*;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

/// Indices of a part, at most.
const MOST: usize = 1 << 16;

/// `0..n` in parts, some for each thread.
struct Parts {
    n: usize,
    size: usize,
}

impl Parts {
    fn new(n: usize) -> Parts {
        Parts { n, size: n.div_ceil(8 * rayon::current_num_threads()).clamp(1, MOST) }
    }

    fn range(&self, part: usize) -> Range<usize> {
        part * self.size..self.n.min((part + 1) * self.size)
    }

    fn run(&self, work: &(dyn Fn(usize) + Sync)) {
        (0..self.n.div_ceil(self.size)).into_par_iter().for_each(work);
    }
}

/// `f` of each index below `n`.
pub fn map<T: Clone + Default + Send>(n: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let parts = Parts::new(n);
    let mut all = vec![T::default(); n];
    let rooms: Vec<Mutex<&mut [T]>> = all.chunks_mut(parts.size).map(Mutex::new).collect();
    parts.run(&|part| {
        let mut room = rooms[part].lock().expect("a part runs once");
        room.iter_mut().zip(parts.range(part)).for_each(|(to, i)| *to = f(i));
    });
    drop(rooms);
    all
}

/// The first index below `n` for which `f` holds.
pub fn first(n: usize, f: impl Fn(usize) -> bool + Sync) -> Option<usize> {
    let parts = Parts::new(n);
    let least = AtomicUsize::new(n);
    parts.run(&|part| {
        let mut range = parts.range(part);
        if range.start < least.load(Relaxed)
            && let Some(i) = range.find(|&i| f(i))
        {
            least.fetch_min(i, Relaxed);
        }
    });
    Some(least.into_inner()).filter(|&i| i < n)
}

/// Whether `f` holds for each index below `n`.
pub fn all(n: usize, f: impl Fn(usize) -> bool + Sync) -> bool {
    first(n, |i| !f(i)).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_index_is_met_once_and_the_first_is_found() {
        for n in [0, 1, 1000, MOST * 40 + 3] {
            assert_eq!(map(n, |i| i), (0..n).collect::<Vec<_>>());
            assert_eq!(first(n, |i| i >= 700), Some(700).filter(|&i| i < n));
            assert_eq!(first(n, |i| i == n), None);
            assert!(all(n, |i| i < n));
        }
    }
}
