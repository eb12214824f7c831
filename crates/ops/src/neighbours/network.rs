//! Networks that put the values of some places in order: Batcher's odd-even merge sort (1968), without what no wanted place
//! depends on.

/// The smaller value goes to the first place, the greater to the second: `None` for one that nobody wants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Exchange {
    pub places: [usize; 2],
    pub wanted: [bool; 2],
}

/// The exchanges after which these places of `count` values have what sorted ones have there.
pub(super) fn network(count: usize, wanted: &[usize]) -> Vec<Exchange> {
    let mut live = vec![false; count];
    wanted.iter().for_each(|&place| live[place] = true);
    let mut kept = vec![];
    for places in sorting(count).into_iter().rev() {
        let wanted = places.map(|place| live[place]);
        if wanted.contains(&true) {
            places.iter().for_each(|&place| live[place] = true);
            kept.push(Exchange { places, wanted });
        }
    }
    kept.reverse();
    kept
}

/// Batcher's exchanges for any number of values.
fn sorting(count: usize) -> Vec<[usize; 2]> {
    let mut all = vec![];
    let mut p = 1;
    while p < count {
        let mut k = p;
        while k >= 1 {
            for j in (k % p..count.saturating_sub(k)).step_by(2 * k) {
                for i in 0..k.min(count - j - k) {
                    if (i + j) / (2 * p) == (i + j + k) / (2 * p) {
                        all.push([i + j, i + j + k]);
                    }
                }
            }
            k /= 2;
        }
        p *= 2;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the principle of zeros and ones up to 12 values; above with some permutations.
    #[test]
    fn wanted_places_are_sorted() {
        let run = |count: usize, wanted: &[usize], mut values: Vec<u32>| {
            for Exchange { places: [a, b], wanted: [low, high] } in network(count, wanted) {
                let (x, y) = (values[a], values[b]);
                // What is not wanted is garbage.
                values[a] = if low { x.min(y) } else { 99 };
                values[b] = if high { x.max(y) } else { 99 };
            }
            wanted.iter().map(|&place| values[place]).collect::<Vec<_>>()
        };
        for count in 1..=12usize {
            for bits in 0..1u32 << count {
                let values: Vec<u32> = (0..count).map(|place| bits >> place & 1).collect();
                let mut sorted = values.clone();
                sorted.sort();
                for (place, wanted) in sorted.into_iter().enumerate() {
                    assert_eq!(run(count, &[place], values.clone()), [wanted], "{count} {bits:b} {place}");
                }
            }
        }
        for count in [25usize, 49] {
            for seed in 1..200usize {
                let values: Vec<u32> = (0..count).map(|place| (place * seed * 37 % 53) as u32).collect();
                let mut sorted = values.clone();
                sorted.sort();
                let middle = count / 2;
                assert_eq!(run(count, &[middle, 1], values), [sorted[middle], sorted[1]]);
            }
        }
    }
}
