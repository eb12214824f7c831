//! Philox4x32-10, and the draws that take its words as they are.

use crosslane_core::op::Value;

/// The four words of a counter (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
pub fn philox(counter: [u32; 4], key: [u32; 2]) -> [u32; 4] {
    let multiplied = |a: u32, b: u32| {
        let product = a as u64 * b as u64;
        ((product >> 32) as u32, product as u32)
    };
    (0..10u32).fold(counter, |[a, b, c, d], round| {
        let key0 = key[0].wrapping_add(round.wrapping_mul(0x9e37_79b9));
        let key1 = key[1].wrapping_add(round.wrapping_mul(0xbb67_ae85));
        let (high0, low0) = multiplied(0xd251_1f53, a);
        let (high1, low1) = multiplied(0xcd9e_8d57, c);
        [high1 ^ b ^ key0, low1, high0 ^ d ^ key1, low0]
    })
}

/// The first words of a seed.
pub fn words(seed: u64, count: usize) -> Vec<u32> {
    let key = [seed as u32, (seed >> 32) as u32];
    (0..count.div_ceil(4) as u32).flat_map(|block| philox([block, 0, 0, 0], key)).take(count).collect()
}

/// An element's draw: its index, the key and the number of the first block.
#[derive(Clone, Copy)]
pub(super) struct Draw {
    pub i: u32,
    key: [u32; 2],
    position: u64,
}

impl Draw {
    pub fn of(arguments: &[Value]) -> Draw {
        let word = |at: usize| arguments[at].int() as u32;
        Draw { i: word(0), key: [word(1), word(2)], position: (word(4) as u64) << 32 | word(3) as u64 }
    }

    pub fn block(&self, nth: u32, attempt: u32) -> [u32; 4] {
        let number = self.position.wrapping_add(nth as u64);
        philox([number as u32, (number >> 32) as u32, attempt, 0], self.key)
    }

    pub fn word(&self) -> u32 {
        self.attempt(0)
    }

    fn attempt(&self, attempt: u32) -> u32 {
        self.block(self.i / 4, attempt)[self.i as usize % 4]
    }

    pub fn below(&self, range: u32) -> u32 {
        if range == 0 {
            return self.word();
        }
        let least = range.wrapping_neg() % range;
        let mut products = (0..64).map(|attempt| self.attempt(attempt) as u64 * range as u64);
        let mut all = products.clone();
        let kept = all.find(|product| *product as u32 >= least).or(products.next_back()).expect("there are 64");
        (kept >> 32) as u32
    }

    fn pair(&self, attempt: u32) -> [u32; 2] {
        let [a, b, c, d] = self.block(self.i / 2, attempt);
        if self.i.is_multiple_of(2) { [a, b] } else { [c, d] }
    }

    fn wide(&self, attempt: u32) -> u64 {
        let [low, high] = self.pair(attempt);
        (high as u64) << 32 | low as u64
    }

    pub fn word_wide(&self) -> u64 {
        self.wide(0)
    }

    pub fn below_wide(&self, range: u64) -> u64 {
        let most = range.wrapping_sub(1);
        let mask = u64::MAX >> (most | 1).leading_zeros();
        (0..64).map(|attempt| self.wide(attempt) & mask).find(|number| *number <= most).unwrap_or(0)
    }

    pub fn unit(&self) -> f32 {
        super::reals::real(self.word())
    }

    pub fn unit_wide(&self) -> f64 {
        let [a, b] = self.pair(0);
        ((a as u64 >> 5) << 26 | b as u64 >> 6) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers of Random123 (kat_vectors, philox4x32 10).
    #[test]
    fn known_answers() {
        let rows = [
            ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
            ([u32::MAX; 4], [u32::MAX; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
            (
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xa409_3822, 0x299f_31d0],
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ];
        for (counter, key, words) in rows {
            assert_eq!(philox(counter, key), words);
        }
    }
}
