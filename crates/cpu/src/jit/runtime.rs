//! What code calls for what it has no instructions for: the interpreter's own functions.

use crate::lanes;
use crate::program::{AtomicOp, Instr, Kind};
use crate::{atomics, subgroups};
use std::slice::{from_raw_parts, from_raw_parts_mut};

/// Arithmetic over `lanes` invocations: the words of the results, then of the operands.
///
/// # Safety
///
/// The instruction and so many words must be there, and nobody else may use the words.
pub(super) unsafe extern "C" fn compute(instr: *const Instr, words: *mut u32, lanes: usize) {
    // SAFETY: as the caller says. Results come first, so that operands lie behind them.
    unsafe {
        let to = |nth: usize| from_raw_parts_mut(words.add(nth * lanes), lanes);
        let from = |nth: usize| from_raw_parts(words.add(nth * lanes).cast_const(), lanes);
        match *instr {
            Instr::Un(op, ..) => lanes::un(op, [to(0)], [from(1)]),
            Instr::Bin(op, ..) => lanes::bin(op, [to(0)], [from(1), from(2)]),
            Instr::Tern(op, ..) => lanes::tern(op, [to(0)], [from(1), from(2), from(3)]),
            Instr::Quad(op, ..) => lanes::quad(op, [to(0)], [from(1), from(2), from(3), from(4)]),
            Instr::LongUn(op, ..) => lanes::long_un(op, [to(0), to(1)], [from(2), from(3)]),
            Instr::LongBin(op, ..) => lanes::long_bin(op, [to(0), to(1)], [2, 3, 4, 5].map(from)),
            Instr::LongTern(op, ..) => lanes::long_tern(op, [to(0), to(1)], [2, 3, 4, 5, 6, 7].map(from)),
            Instr::LongShift(op, ..) => lanes::long_shift(op, [to(0), to(1)], [2, 3, 4].map(from)),
            Instr::Widen(op, ..) => lanes::widen(op, [to(0), to(1)], [from(2)]),
            Instr::Narrow(op, ..) => lanes::narrow(op, [to(0)], [from(1), from(2)]),
            Instr::LongCompare(op, ..) => lanes::long_compare(op, [to(0)], [1, 2, 3, 4].map(from)),
            _ => unreachable!("arithmetic is asked for"),
        }
    }
}

/// A read-modify-write: two words of the value, two of what it is compared with. The old value takes the place of the value.
///
/// # Safety
///
/// The numbers must be those of an [`AtomicOp`] and a [`Kind`]; the memory must be there, and four words.
pub(super) unsafe extern "C" fn atomic(op: usize, kind: usize, memory: *mut u32, words: *mut u32) {
    let (op, kind) = (AtomicOp::ALL[op], Kind::ALL[kind]);
    // SAFETY: as the caller says.
    unsafe {
        let words = from_raw_parts_mut(words, 4);
        let pair = |at: usize| words[at] as u64 | (words[at + 1] as u64) << 32;
        let old = match kind.long() {
            true => atomics::long_at(op, kind, memory, pair(0), pair(2)),
            false => atomics::short_at(op, kind, memory, words[0], words[2]) as u64,
        };
        (words[0], words[1]) = (old as u32, (old >> 32) as u32);
    }
}

/// An operation of subgroups over `lanes` invocations: masks, operands, results.
///
/// # Safety
///
/// As [`compute`].
pub(super) unsafe extern "C" fn subgroup(instr: *const Instr, words: *mut u32, lanes: usize, size: usize) {
    // SAFETY: as the caller says.
    unsafe {
        let to = |nth: usize| from_raw_parts_mut(words.add(nth * lanes), lanes);
        let from = |nth: usize| from_raw_parts(words.add(nth * lanes).cast_const(), lanes);
        let mask = from(0);
        let active = |lane: usize| mask[lane] != 0;
        match (*instr).clone() {
            Instr::Ballot { .. } => {
                subgroups::ballot(lanes, size, active, from(1), [2, 3, 4, 5].map(to));
            }
            Instr::Gather { mode, index, .. } => {
                let indexed = index != crate::program::NONE;
                let index = indexed.then(|| from(2));
                subgroups::gather(lanes, size, active, mode, to(2 + indexed as usize), from(1), index);
            }
            Instr::Collective { op, scan, kind, .. } if kind.long() => {
                subgroups::collective(lanes, size, active, (op, scan, kind), [to(3), to(4)], [from(1), from(2)]);
            }
            Instr::Collective { op, scan, kind, .. } => {
                subgroups::collective(lanes, size, active, (op, scan, kind), [to(2), &mut []], [from(1), &[]]);
            }
            _ => unreachable!("an operation of subgroups is asked for"),
        }
    }
}
