//! Memory as words that several workgroups may touch at the same time: relaxed atomics, so that a kernel's race is
//! a wrong number and never undefined behaviour.

use super::atomics::LONG;
use crosslane_core::memory::Owner;
use std::ops::Deref;
use std::ptr::NonNull;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Device memory, and what the checks know of it.
pub(super) struct Block {
    pub words: Words,
    /// One bit for each byte: something wrote there. Only on a device that checks.
    pub written: Option<Mutex<Vec<u64>>>,
}

/// The engine's own words, or foreign ones.
pub(super) enum Words {
    Own(Box<[AtomicU32]>),
    Foreign { first: NonNull<AtomicU32>, count: usize, _owner: Owner },
}

// SAFETY: the words are atomics, and their owner can be sent and shared.
unsafe impl Send for Words {}
// SAFETY: as above.
unsafe impl Sync for Words {}

impl Deref for Words {
    type Target = [AtomicU32];

    fn deref(&self) -> &[AtomicU32] {
        match self {
            Words::Own(words) => words,
            // SAFETY: whoever gave the memory promised that so many words are there until the owner is dropped.
            Words::Foreign { first, count, .. } => unsafe { std::slice::from_raw_parts(first.as_ptr(), *count) },
        }
    }
}

/// This many zeros, or `None` if the system has no memory for them.
pub(super) fn zeros<T: bytemuck::Zeroable>(count: usize) -> Option<Box<[T]>> {
    bytemuck::try_zeroed_slice_box(count).ok()
}

/// What memory that nothing wrote holds on a device that checks: as a float a NaN, as an index far out.
const GARBAGE: u32 = 0xffc0_dead;

/// Words past the end of memory of the engine's own, which compiled kernels may touch.
const BEYOND: usize = 16;

/// Bytes that a kernel loads at once at most: four elements of 8.
const MOST_LOADED: u64 = 32;

impl Block {
    /// Fresh memory, or none if the system has no more. Past `used` it is padding, which kernels may read and write as
    /// they like.
    pub fn new(bytes: u64, used: u64, checked: bool) -> Option<Block> {
        let count = usize::try_from(bytes.div_ceil(4)).ok()?;
        let mut words: Box<[AtomicU32]> = zeros(count + BEYOND)?;
        let written = match checked {
            false => None,
            true => {
                words.iter_mut().for_each(|word| *word.get_mut() = GARBAGE);
                let mut bits = zeros::<u64>(count.div_ceil(16))?.into_vec();
                mark(&mut bits, used as usize, count * 4 - used as usize);
                Some(Mutex::new(bits))
            }
        };
        Some(Block { words: Words::Own(words), written })
    }

    /// Foreign memory, or `None` if it is not made of whole words.
    ///
    /// # Safety
    ///
    /// The bytes must be there until the owner is dropped.
    pub unsafe fn foreign(address: u64, bytes: u64, owner: &mut Option<Owner>) -> Option<Block> {
        let first = NonNull::new(address as usize as *mut AtomicU32).filter(|first| first.is_aligned())?;
        if !bytes.is_multiple_of(4) {
            return None;
        }
        let words = Words::Foreign { first, count: (bytes / 4) as usize, _owner: owner.take()? };
        Some(Block { words, written: None })
    }

    /// Bytes of the same memory that lie behind this place.
    #[cfg(feature = "jit")]
    pub fn bytes_after(&self, place: u64) -> u64 {
        (self.words.len() as u64 * 4).saturating_sub(place)
    }

    /// The bytes as the host sees them.
    ///
    /// # Safety
    ///
    /// Nobody may write to them until the slice is gone.
    pub unsafe fn bytes(&self, offset: u64, bytes: u64) -> &[u8] {
        assert!(offset + bytes <= self.words.len() as u64 * 4, "a window lies in its memory");
        let first = self.words.as_ptr().cast::<u8>().wrapping_add(offset as usize);
        // SAFETY: the words hold the bytes, and as the caller says nobody writes to them.
        unsafe { std::slice::from_raw_parts(first, bytes as usize) }
    }

    /// Copies in, from a multiple of 4 bytes on.
    pub fn write(&self, offset: u64, bytes: &[u8]) {
        let first = (offset / 4) as usize;
        let whole = bytes.chunks_exact(4);
        let rest = whole.remainder();
        for (word, bytes) in self.words[first..].iter().zip(whole) {
            word.store(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]), Relaxed);
        }
        if let Some(word) = self.words.get(first + bytes.len() / 4).filter(|_| !rest.is_empty()) {
            let mut last = word.load(Relaxed).to_le_bytes();
            last[..rest.len()].copy_from_slice(rest);
            word.store(u32::from_le_bytes(last), Relaxed);
        }
        if let Some(written) = &self.written {
            mark(&mut written.lock().expect("no panic while held"), first * 4, bytes.len().div_ceil(4) * 4);
        }
    }

    /// What lies past this byte counts as written, up to the end of a vector.
    pub fn pad(&self, from: u64) {
        if let Some(written) = &self.written {
            let count = from.next_multiple_of(MOST_LOADED) - from;
            mark(&mut written.lock().expect("no panic while held"), from as usize, count as usize);
        }
    }

    /// Copies out, from a multiple of 4 bytes on.
    pub fn read(&self, offset: u64, to: &mut [u8]) {
        let words = &self.words[(offset / 4) as usize..];
        let (whole, rest) = to.as_chunks_mut::<4>();
        for (bytes, word) in whole.iter_mut().zip(words) {
            *bytes = word.load(Relaxed).to_le_bytes();
        }
        if let Some(word) = words.get(whole.len()) {
            rest.copy_from_slice(&word.load(Relaxed).to_le_bytes()[..rest.len()]);
        }
    }
}

/// Sets `count` bits from `first` on.
pub(super) fn mark(bits: &mut [u64], first: usize, count: usize) {
    let end = (first + count).min(bits.len() * 64);
    let mut at = first;
    while at < end {
        let now = (64 - at % 64).min(end - at);
        bits[at / 64] |= (u64::MAX >> (64 - now)) << (at % 64);
        at += now;
    }
}

/// Whether `count` bits from `first` on, all of them there, are set.
pub(super) fn is_marked(bits: &[u64], first: usize, count: usize) -> bool {
    let (mut at, end) = (first, first + count);
    while at < end {
        let now = (64 - at % 64).min(end - at);
        let wanted = u64::MAX >> (64 - now);
        if bits[at / 64] >> (at % 64) & wanted != wanted {
            return false;
        }
        at += now;
    }
    true
}

/// A window of memory as a kernel sees it.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub words: &'a [AtomicU32],
    pub bytes: u32,
}

impl<'a> View<'a> {
    pub fn new(words: &'a [AtomicU32], bytes: u64) -> View<'a> {
        View { words, bytes: bytes.min(words.len() as u64 * 4).min(u32::MAX as u64) as u32 }
    }

    /// Whether this many bytes lie inside.
    pub fn holds(&self, at: u32, bytes: u32) -> bool {
        at.checked_add(bytes).is_some_and(|end| end <= self.bytes)
    }

    /// 4, 2 or 1 bytes; 0 outside.
    #[inline(always)]
    pub fn load(&self, at: u32, width: u8) -> u32 {
        if !self.holds(at, width as u32) {
            return 0;
        }
        let word = self.words[at as usize / 4].load(Relaxed);
        match width {
            4 => word,
            2 => (word >> ((at & 2) * 8)) & 0xffff,
            _ => (word >> ((at & 3) * 8)) & 0xff,
        }
    }

    /// 4, 2 or 1 bytes; nothing happens outside.
    #[inline(always)]
    pub fn store(&self, at: u32, width: u8, value: u32) {
        if !self.holds(at, width as u32) {
            return;
        }
        let word = &self.words[at as usize / 4];
        let (shift, mask) = match width {
            4 => return word.store(value, Relaxed),
            2 => ((at & 2) * 8, 0xffff),
            _ => ((at & 3) * 8, 0xff),
        };
        // A neighbour may write the rest of the word at the same time.
        let _ = word.fetch_update(Relaxed, Relaxed, |old| Some((old & !(mask << shift)) | ((value & mask) << shift)));
    }

    /// Replaces a word by a function of it; gives the old one.
    pub fn update(&self, at: u32, f: impl Fn(u32) -> u32) -> u32 {
        if !self.holds(at, 4) {
            return 0;
        }
        let word = &self.words[at as usize / 4];
        word.fetch_update(Relaxed, Relaxed, |old| Some(f(old))).unwrap_or_else(|old| old)
    }

    /// As [`View::update`] for 8 bytes: atomic among those that hold [`LONG`].
    pub fn update_long(&self, at: u32, f: impl Fn(u64) -> u64) -> u64 {
        if !self.holds(at, 8) {
            return 0;
        }
        let _guard = LONG.lock().expect("no panic while held");
        let old = self.load(at, 4) as u64 | (self.load(at + 4, 4) as u64) << 32;
        let new = f(old);
        self.store(at, 4, new as u32);
        self.store(at + 4, 4, (new >> 32) as u32);
        old
    }
}

#[cfg(test)]
mod tests {
    use super::{is_marked, mark};

    #[test]
    fn marks_are_where_they_should_be() {
        for (first, count) in [(0, 0), (0, 1), (3, 61), (3, 62), (63, 2), (64, 64), (5, 150), (190, 9), (300, 4)] {
            let mut bits = vec![0u64; 3];
            mark(&mut bits, first, count);
            let set = |at: usize| bits[at / 64] >> (at % 64) & 1 != 0;
            assert!((0..192).all(|at| set(at) == (first..first + count).contains(&at)), "{count} from {first} on");
            let all = |range: std::ops::Range<usize>| range.into_iter().all(set);
            for (start, len) in
                [(0, 0), (3, 61), (60, 8), (0, 192), (190, 2), (first.min(192), count.min(192 - first.min(192)))]
            {
                assert_eq!(is_marked(&bits, start, len), all(start..start + len), "{len} from {start} on");
            }
        }
    }
}
