//! What is noted of accesses of one step to one memory.

use super::How;
use super::shadow::{Shadow, Stamp};
use crate::memory::{is_marked, mark};

/// What is wrong with an access.
#[derive(Clone, Copy, Default)]
pub(super) struct Noted {
    pub outside: bool,
    /// It reads what nothing has written.
    pub fresh: bool,
    /// The access it races with.
    pub conflict: Option<Stamp>,
}

impl Noted {
    pub fn is_wrong(&self) -> bool {
        self.outside || self.fresh || self.conflict.is_some()
    }
}

/// A memory, and a step of a workgroup.
pub(super) struct Watch<'a> {
    /// `None` where races are not looked for.
    pub shadow: Option<&'a mut Shadow>,
    /// A bit for each byte that was written; `None` where that does not matter.
    pub written: Option<&'a mut Vec<u64>>,
    /// Where the memory that kernels see begins.
    pub base: u32,
    /// But for the lane.
    pub now: Stamp,
    pub subgroup: u32,
    /// The logarithm of the bytes of a place of the shadow.
    pub grain: u32,
    pub how: How,
}

impl Watch<'_> {
    /// An access to bytes that are there.
    #[inline]
    pub fn note(&mut self, lane: usize, address: u32, width: u32) -> Noted {
        let at = (self.base + address) as usize;
        let fresh = self.written.as_deref_mut().is_some_and(|written| is_fresh(written, at, width as usize, self.how));
        let Some(shadow) = self.shadow.as_deref_mut() else { return Noted { fresh, ..Noted::default() } };
        let (now, mut conflict) = (Stamp { lane: lane as u16, ..self.now }, None);
        for place in at >> self.grain..(at + width as usize).div_ceil(1 << self.grain) {
            match self.how.changes {
                true => shadow.write(place, &now, self.subgroup, &mut conflict),
                false => shadow.read(place, &now, self.subgroup, &mut conflict),
            }
        }
        Noted { outside: false, fresh, conflict }
    }
}

/// Marks what an access writes; whether it reads what was not written before.
#[inline]
fn is_fresh(written: &mut Vec<u64>, at: usize, count: usize, how: How) -> bool {
    if written.len() * 64 < at + count {
        written.resize((at + count).div_ceil(64), 0);
    }
    let shift = at % 64;
    if shift + count <= 64 && (how.writes == 0 || how.writes == u64::MAX) {
        // The bits of almost all accesses are in one word.
        let (word, bits) = (&mut written[at / 64], u64::MAX >> (64 - count) << shift);
        let fresh = how.reads && *word & bits != bits;
        if how.writes != 0 {
            *word |= bits;
        }
        return fresh;
    }
    let fresh = how.reads && !is_marked(written, at, count);
    match how.writes {
        0 => {}
        u64::MAX => mark(written, at, count),
        some => (0..count).filter(|byte| some >> byte & 1 != 0).for_each(|byte| mark(written, at + byte, 1)),
    }
    fresh
}
