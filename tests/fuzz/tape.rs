//! Bytes as choices: what an input of bytes means to a target that makes calls of it.

/// Numbers at which sizes and indices wrap.
pub const EXTREMES: [i64; 24] = [
    0,
    1,
    -1,
    2,
    -2,
    127,
    255,
    256,
    65_535,
    65_536,
    i32::MAX as i64,
    i32::MIN as i64,
    u32::MAX as i64,
    1 << 32,
    1 << 33,
    1 << 40,
    1 << 52,
    1 << 58,
    1 << 61,
    1 << 62,
    i64::MAX / 2 + 1,
    i64::MAX - 1,
    i64::MAX,
    i64::MIN,
];

/// Reads choices from bytes. Past the end every choice is the first.
pub struct Tape<'a>(&'a [u8]);

impl<'a> Tape<'a> {
    pub fn new(bytes: &'a [u8]) -> Tape<'a> {
        Tape(bytes)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn byte(&mut self) -> u8 {
        let (&first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        first
    }

    /// Less than `limit`, which is at most 256.
    pub fn below(&mut self, limit: usize) -> usize {
        self.byte() as usize % limit
    }

    /// One of these.
    pub fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// Mostly a small number of either sign; one in eight is an extreme.
    pub fn number(&mut self) -> i64 {
        match self.byte() {
            choice if choice >= 224 => EXTREMES[choice as usize % EXTREMES.len()],
            choice if choice >= 192 => -((choice % 8) as i64),
            choice => (choice % 12) as i64,
        }
    }

    /// As [`Tape::number`], without a sign.
    pub fn size(&mut self) -> usize {
        match self.number() {
            number if number < -8 => number as usize,
            number => number.unsigned_abs() as usize,
        }
    }

    /// A few of them.
    pub fn several<T>(&mut self, most: usize, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = self.below(most + 1);
        (0..count).map(|_| make(self)).collect()
    }

    /// What is left, in equal parts.
    pub fn parts(&self, count: usize) -> impl Iterator<Item = Tape<'a>> {
        self.0.chunks(self.0.len().div_ceil(count).max(1)).map(Tape)
    }
}
