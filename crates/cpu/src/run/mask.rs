//! Which invocations are active.

/// The invocations `low..high` if `dense`, else those of them whose word is all ones.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mask {
    pub low: usize,
    pub high: usize,
    pub dense: bool,
    words: Vec<u32>,
}

impl Mask {
    pub fn empty(lanes: usize) -> Mask {
        Mask { low: 0, high: 0, dense: true, words: vec![0; lanes] }
    }

    pub fn fill(&mut self, low: usize, high: usize) {
        (self.low, self.high, self.dense) = (low, high, true);
    }

    pub fn clear(&mut self) {
        self.fill(0, 0);
    }

    pub fn is_empty(&self) -> bool {
        self.low >= self.high
    }

    pub fn has(&self, lane: usize) -> bool {
        lane >= self.low && lane < self.high && (self.dense || self.words[lane] != 0)
    }

    /// The active invocations.
    pub fn lanes(&self) -> impl Iterator<Item = usize> + '_ {
        (self.low..self.high).filter(|&lane| self.dense || self.words[lane] != 0)
    }

    pub fn count(&self) -> usize {
        if self.dense { self.high - self.low } else { self.lanes().count() }
    }

    /// The words from `low` to `high`; only where not dense.
    pub fn words(&self) -> &[u32] {
        &self.words[self.low..self.high]
    }

    pub fn copy_from(&mut self, other: &Mask) {
        (self.low, self.high, self.dense) = (other.low, other.high, other.dense);
        if !other.dense {
            self.words[other.low..other.high].copy_from_slice(other.words());
        }
    }

    /// Splits by a condition: what stays where it holds, and `rest` where it does not.
    pub fn split(&mut self, condition: &[u32], rest: &mut Mask) {
        let range = self.low..self.high;
        let own = &condition[range.clone()];
        let (all, any) = match self.dense {
            true => own.iter().fold((u32::MAX, 0), |(all, any), &c| (all & c, any | c)),
            false => {
                own.iter().zip(self.words()).fold((u32::MAX, 0), |(all, any), (&c, &m)| (all & (c | !m), any | (c & m)))
            }
        };
        if all != 0 {
            return rest.clear();
        }
        if any == 0 {
            rest.copy_from(self);
            return self.clear();
        }
        (rest.low, rest.high, rest.dense) = (self.low, self.high, false);
        let (words, others) = (&mut self.words[range.clone()], &mut rest.words[range]);
        if self.dense {
            words.copy_from_slice(own);
            others.iter_mut().zip(own).for_each(|(o, &c)| *o = !c);
        } else {
            for ((word, other), &c) in words.iter_mut().zip(others).zip(own) {
                *other = *word & !c;
                *word &= c;
            }
        }
        self.dense = false;
        self.narrow();
        rest.narrow();
    }

    /// Adds the invocations of another mask, which are not active here.
    pub fn join(&mut self, other: &Mask) {
        if other.is_empty() {
            return;
        }
        if self.is_empty() {
            return self.copy_from(other);
        }
        if self.dense && other.dense && (self.high == other.low || other.high == self.low) {
            return self.fill(self.low.min(other.low), self.high.max(other.high));
        }
        let (low, high) = (self.low.min(other.low), self.high.max(other.high));
        if self.dense {
            self.words[self.low..self.high].fill(u32::MAX);
        }
        self.words[low..self.low].fill(0);
        self.words[self.high..high].fill(0);
        match other.dense {
            true => self.words[other.low..other.high].fill(u32::MAX),
            false => {
                let range = other.low..other.high;
                self.words[range].iter_mut().zip(other.words()).for_each(|(w, o)| *w |= o);
            }
        }
        (self.low, self.high, self.dense) = (low, high, false);
        self.narrow();
    }

    /// Cuts the ends that are not active; notes if all that is left is.
    fn narrow(&mut self) {
        let words = self.words();
        let Some(first) = words.iter().position(|&w| w != 0) else { return self.clear() };
        let last = words.iter().rposition(|&w| w != 0).unwrap_or(first);
        (self.low, self.high) = (self.low + first, self.low + last + 1);
        self.dense = self.words().iter().fold(u32::MAX, |all, &w| all & w) != 0;
    }
}

#[cfg(test)]
mod tests {
    use super::Mask;

    #[test]
    fn splitting_and_joining_give_back_the_whole() {
        let lanes = 37;
        for seed in 0u32..200 {
            let bits = |i: usize, salt: u32| {
                ((i as u32 + 1).wrapping_mul(seed.wrapping_mul(77) + salt) >> 3).is_multiple_of(seed % 5 + 1)
            };
            let mut all = Mask::empty(lanes);
            all.fill(seed as usize % 9, lanes - seed as usize % 7);
            let before: Vec<usize> = all.lanes().collect();
            let condition: Vec<u32> = (0..lanes).map(|i| if bits(i, 13) { u32::MAX } else { 0 }).collect();
            let second: Vec<u32> = (0..lanes).map(|i| if bits(i, 101) { u32::MAX } else { 0 }).collect();
            let (mut rest, mut rest2) = (Mask::empty(lanes), Mask::empty(lanes));
            all.split(&condition, &mut rest);
            assert!(all.lanes().all(|i| condition[i] != 0) && rest.lanes().all(|i| condition[i] == 0));
            assert_eq!(all.count() + rest.count(), before.len());
            all.split(&second, &mut rest2);
            all.join(&rest);
            all.join(&rest2);
            assert_eq!(all.lanes().collect::<Vec<_>>(), before, "seed {seed}");
        }
    }
}
