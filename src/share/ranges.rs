//! Sets of positions as ordered, disjoint ranges: the changed elements.

use std::ops::Range;

/// Ranges kept at most; beyond, the two that are closest become one. Each is a transfer of its own.
const MOST: usize = 64;

/// Ranges in order, none empty, none touching the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ranges(Vec<Range<usize>>);

impl Ranges {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn as_slice(&self) -> &[Range<usize>] {
        &self.0
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Adds a range.
    pub fn insert(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let first = self.0.partition_point(|other| other.end < range.start);
        let end = self.0.partition_point(|other| other.start <= range.end);
        let start = self.0.get(first).filter(|_| first < end).map_or(range.start, |other| other.start.min(range.start));
        let stop = self.0[..end].last().filter(|_| first < end).map_or(range.end, |other| other.end.max(range.end));
        self.0.splice(first..end, std::iter::once(start..stop));
        if self.0.len() > MOST {
            self.join_closest();
        }
    }

    /// Removes a range.
    pub fn remove(&mut self, range: Range<usize>) {
        if range.is_empty() {
            return;
        }
        let outside = |other: &Range<usize>| {
            let before = other.start..other.end.min(range.start);
            let after = other.start.max(range.end)..other.end;
            [before, after].into_iter().filter(|part| part.start < part.end).collect::<Vec<_>>()
        };
        self.0 = self.0.iter().flat_map(outside).collect();
    }

    /// The parts within a range.
    pub fn within(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let part = |other: &Range<usize>| other.start.max(range.start)..other.end.min(range.end);
        self.0.iter().map(part).filter(|part| part.start < part.end).collect()
    }

    fn join_closest(&mut self) {
        let gap = |at: usize| self.0[at + 1].start - self.0[at].end;
        let at = (0..self.0.len() - 1).min_by_key(|&at| gap(at)).expect("more than one");
        let next = self.0.remove(at + 1);
        self.0[at].end = next.end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        // Under Miri each takes a thousand times as long.
        #![proptest_config(ProptestConfig {
            cases: if cfg!(miri) { 4 } else { 256 },
            failure_persistence: None,
            ..ProptestConfig::default()
        })]
        #[test]
        fn they_are_the_set_that_they_should_be(
            steps in prop::collection::vec((any::<bool>(), 0usize..100, 0usize..20), 1..40),
        ) {
            let (mut ranges, mut model) = (Ranges::default(), [false; 120]);
            for (add, start, len) in steps {
                model[start..start + len].fill(add);
                if add { ranges.insert(start..start + len) } else { ranges.remove(start..start + len) }
                let covers = |at: usize| ranges.as_slice().iter().any(|range| range.contains(&at));
                prop_assert!((0..120).all(|at| covers(at) == model[at]), "{ranges:?}");
                prop_assert!(ranges.as_slice().windows(2).all(|pair| pair[0].end < pair[1].start), "{ranges:?}");
                let inside = ranges.within(30..60);
                prop_assert!((30..60).all(|at| inside.iter().any(|range| range.contains(&at)) == model[at]));
                prop_assert!(inside.iter().all(|range| range.start >= 30 && range.end <= 60 && !range.is_empty()));
            }
        }
    }

    #[test]
    fn many_become_few_and_lose_nothing() {
        let mut ranges = Ranges::default();
        (0..1000).for_each(|at| ranges.insert(at * 3..at * 3 + 1));
        assert_eq!(ranges.as_slice().len(), MOST);
        assert!((0..1000).all(|at| ranges.as_slice().iter().any(|range| range.contains(&(at * 3)))));
    }
}
