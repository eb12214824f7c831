//! What read-modify-writes leave in memory.

use super::program::{AtomicOp, Kind};
use super::scalar::{bits, bits64, float, float64};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Held while a 64-bit value is changed: all that change one do it here.
pub(super) static LONG: Mutex<()> = Mutex::new(());

/// Declares what a read-modify-write leaves, for words of one width.
macro_rules! after {
    ($name:ident $word:ty, $signed:ty = $signed_kind:pat, $float:ident $bits:ident = $float_kind:pat) => {
        pub(super) fn $name(op: AtomicOp, kind: Kind, old: $word, value: $word, compare: $word) -> $word {
            match (op, kind) {
                (AtomicOp::Load, _) => old,
                (AtomicOp::Store | AtomicOp::Exchange, _) => value,
                (AtomicOp::Add, $float_kind) => $bits($float(old) + $float(value)),
                (AtomicOp::Sub, $float_kind) => $bits($float(old) - $float(value)),
                (AtomicOp::Min, $float_kind) => $bits($float(old).min($float(value))),
                (AtomicOp::Max, $float_kind) => $bits($float(old).max($float(value))),
                (AtomicOp::Add, _) => old.wrapping_add(value),
                (AtomicOp::Sub, _) => old.wrapping_sub(value),
                (AtomicOp::And, _) => old & value,
                (AtomicOp::Or, _) => old | value,
                (AtomicOp::Xor, _) => old ^ value,
                (AtomicOp::Min, $signed_kind) => (old as $signed).min(value as $signed) as $word,
                (AtomicOp::Max, $signed_kind) => (old as $signed).max(value as $signed) as $word,
                (AtomicOp::Min, _) => old.min(value),
                (AtomicOp::Max, _) => old.max(value),
                (AtomicOp::CompareExchange, _) if old == compare => value,
                (AtomicOp::CompareExchange, _) => old,
            }
        }
    };
}

after!(short u32, i32 = Kind::I32, float bits = Kind::F32);
after!(long u64, i64 = Kind::I64, float64 bits64 = Kind::F64);

/// Changes a word of memory; gives the old one.
///
/// # Safety
///
/// The word must be there, and aligned.
pub(super) unsafe fn short_at(op: AtomicOp, kind: Kind, memory: *mut u32, value: u32, compare: u32) -> u32 {
    // SAFETY: as the caller says; whoever else touches it at the same time does so by an atomic too, or races.
    let word = unsafe { AtomicU32::from_ptr(memory) };
    let new = |old| Some(short(op, kind, old, value, compare));
    word.fetch_update(Relaxed, Relaxed, new).unwrap_or_else(|old| old)
}

/// As [`short_at`] for two words, low word first: atomic among those that hold [`LONG`].
///
/// # Safety
///
/// As [`short_at`].
pub(super) unsafe fn long_at(op: AtomicOp, kind: Kind, memory: *mut u32, value: u64, compare: u64) -> u64 {
    // SAFETY: as the caller says.
    let [low, high] = [0, 1].map(|at| unsafe { AtomicU32::from_ptr(memory.add(at)) });
    let _guard = LONG.lock().expect("no panic while held");
    let old = low.load(Relaxed) as u64 | (high.load(Relaxed) as u64) << 32;
    let new = long(op, kind, old, value, compare);
    low.store(new as u32, Relaxed);
    high.store((new >> 32) as u32, Relaxed);
    old
}
