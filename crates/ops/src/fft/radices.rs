//! How a length is cut: into the radices of one workgroup's passes, and a long one into lengths that workgroups hold.

/// Radices with a butterfly, the best first: large ones leave few exchanges, and 16 complex numbers fit the registers.
const RADICES: [usize; 9] = [16, 8, 13, 11, 7, 5, 4, 3, 2];
/// The largest prime among them.
const LARGEST: usize = 13;

/// Whether butterflies make a transform of this length.
pub fn is_smooth(mut length: usize) -> bool {
    for prime in [2, 3, 5, 7, 11, 13] {
        while length > 0 && length.is_multiple_of(prime) {
            length /= prime;
        }
    }
    length == 1
}

/// The radices of a length that has no prime above 13, none above `most`: large ones first, and those of powers of two as equal
/// as they can be, since the last would else have little to do.
pub(super) fn radices(length: usize, most: usize) -> Vec<usize> {
    if length == 1 {
        return vec![1];
    }
    let twos = length.trailing_zeros() as usize;
    let mut odd = length >> twos;
    let mut all = vec![];
    for radix in RADICES.into_iter().filter(|radix| radix % 2 == 1) {
        while odd.is_multiple_of(radix) {
            all.push(radix);
            odd /= radix;
        }
    }
    debug_assert!(odd == 1 && most >= 4, "{length} has a prime above {LARGEST}");
    let count = twos.div_ceil(most.ilog2() as usize).max(1);
    let powers = (0..count).map(|nth| 1 << ((twos + count - 1 - nth) / count));
    let mut radices: Vec<usize> = powers.filter(|&radix| radix > 1).chain(all).collect();
    radices.sort_by(|a, b| b.cmp(a));
    radices
}

/// The lengths of the transforms that a long one is made of, each at most `most`: as equal as they can be, so that each pass
/// over memory holds as little as possible. None where its primes do not allow it with three.
pub(super) fn lengths(length: usize, most: usize) -> Option<Vec<usize>> {
    if length <= most {
        return Some(vec![length]);
    }
    let divisors = |of: usize| {
        let below = (1..).take_while(move |&d| d * d <= of).filter(move |&d| of.is_multiple_of(d));
        below.flat_map(move |d| [d, of / d]).filter(|&d| d <= most).collect::<Vec<usize>>()
    };
    // The pair or the three whose largest is the smallest.
    let pair =
        |of: usize| divisors(of).into_iter().filter(|&d| of / d <= most).map(|d| [d.max(of / d), d.min(of / d)]).min();
    if let Some(pair) = pair(length) {
        return Some(pair.into());
    }
    let three = |first: usize| Some((first, pair(length / first)?));
    let best = divisors(length).into_iter().filter_map(three).min_by_key(|&(first, rest)| first.max(rest[0]));
    best.map(|(first, rest)| {
        let mut lengths = vec![first, rest[0], rest[1]];
        lengths.sort_by(|a, b| b.cmp(a));
        lengths
    })
}

/// The smallest length of at least this that butterflies make quickly: 2^a, 3 * 2^a, 5 * 2^a or 9 * 2^a.
pub fn next_smooth(least: usize) -> usize {
    let above = |odd: usize| odd * least.div_ceil(odd).next_power_of_two();
    [1, 3, 5, 9].map(above).into_iter().min().expect("there are four")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_cut_into_what_makes_them() {
        for length in (2..5000).filter(|&length| is_smooth(length)) {
            for most in [8, 16] {
                let radices = radices(length, most);
                assert_eq!(radices.iter().product::<usize>(), length);
                assert!(radices.iter().all(|radix| RADICES.contains(radix)), "{length}: {radices:?}");
            }
        }
        assert_eq!(radices(1024, 16), [16, 8, 8]);
        assert_eq!(radices(1024, 8), [8, 8, 4, 4]);
        assert!(!is_smooth(17) && !is_smooth(0) && is_smooth(1) && is_smooth(13 * 11));
    }

    #[test]
    fn long_ones_are_cut_evenly() {
        assert_eq!(lengths(1 << 20, 2048), Some(vec![1024, 1024]));
        assert_eq!(lengths(1 << 24, 2048), Some(vec![256, 256, 256]));
        assert_eq!(lengths(1 << 24, 4096), Some(vec![4096, 4096]));
        assert_eq!(lengths(1000, 2048), Some(vec![1000]));
        for length in [1 << 26, 3 << 20, 1_000_000, 13 * 4096, 59_049 * 7] {
            let lengths = lengths(length, 2048).expect("it is smooth");
            assert_eq!(lengths.iter().product::<usize>(), length);
            assert!(lengths.iter().all(|&one| one <= 2048));
        }
    }

    #[test]
    fn next_lengths_are_close() {
        for least in 1..3000 {
            let next = next_smooth(least);
            assert!(next >= least && is_smooth(next) && (next as f64) < 1.34 * least as f64 + 2.0, "{least}: {next}");
        }
    }
}
