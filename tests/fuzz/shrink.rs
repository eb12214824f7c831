//! A finding's input made smaller, as long as the same goes wrong.

use std::time::{Duration, Instant};

/// The longest that one finding is shrunk.
const PATIENCE: Duration = Duration::from_secs(20);

/// Leaves out parts, from halves down to single bytes, while `fails` holds.
pub fn shrink(input: &[u8], mut fails: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let began = Instant::now();
    let mut best = input.to_vec();
    let mut length = best.len() / 2;
    while length > 0 {
        let mut at = 0;
        while at < best.len() && began.elapsed() < PATIENCE {
            let end = best.len().min(at + length);
            let less = [&best[..at], &best[end..]].concat();
            if fails(&less) {
                best = less;
            } else {
                at = end;
            }
        }
        length /= 2;
    }
    best
}

#[test]
fn what_matters_stays() {
    let kept = shrink(b"some words, and the bad one", |input| input.windows(3).any(|part| part == b"bad"));
    assert_eq!(kept, b"bad");
}
