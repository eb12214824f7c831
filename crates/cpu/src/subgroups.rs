//! Operations of subgroups: over the active invocations of each run of neighbours.

use super::program::{Gather, Kind};
use super::scalar::{bits, bits64, float, float64, half, half_bits, join, least, mask, most};
use naga::{CollectiveOperation, SubgroupOperation as Op};
use std::ops::Range;

/// The invocations of each subgroup.
fn groups(lanes: usize, size: usize) -> impl Iterator<Item = Range<usize>> {
    (0..lanes).step_by(size).map(move |first| first..(first + size).min(lanes))
}

pub(super) fn ballot(
    lanes: usize,
    size: usize,
    active: impl Fn(usize) -> bool,
    predicate: &[u32],
    to: [&mut [u32]; 4],
) {
    let all: Vec<(Range<usize>, [u32; 4])> = groups(lanes, size)
        .map(|group| {
            let mut words = [0u32; 4];
            for lane in group.clone().filter(|&lane| active(lane)) {
                let bit = lane - group.start;
                if predicate[lane] != 0 {
                    words[bit / 32 % 4] |= 1 << (bit % 32);
                }
            }
            (group, words)
        })
        .collect();
    for (nth, to) in to.into_iter().enumerate() {
        all.iter().for_each(|(group, words)| to[group.clone()].fill(words[nth]));
    }
}

pub(super) fn gather(
    lanes: usize,
    size: usize,
    active: impl Fn(usize) -> bool,
    mode: Gather,
    to: &mut [u32],
    from: &[u32],
    index: Option<&[u32]>,
) {
    for group in groups(lanes, size) {
        let Some(first) = group.clone().find(|&lane| active(lane)) else { continue };
        for lane in group.clone().filter(|&lane| active(lane)) {
            let own = (lane - group.start) as u32;
            let index = index.map_or(0, |index| index[lane]);
            let source = match mode {
                Gather::First => (first - group.start) as u32,
                Gather::At => index,
                Gather::Down => own.wrapping_add(index),
                Gather::Up => own.wrapping_sub(index),
                Gather::Xor => own ^ index,
                Gather::Quad => (own & !3) + (index & 3),
                Gather::SwapX => own ^ 1,
                Gather::SwapY => own ^ 2,
                Gather::SwapDiagonal => own ^ 3,
            };
            // From an invocation that is not there or not active the value is undefined: its own.
            let source = group.start.saturating_add(source as usize);
            let source = if group.contains(&source) && active(source) { source } else { lane };
            to[lane] = from[source];
        }
    }
}

/// Invocations that are combined among each other, before they are combined with those before them: a vector.
pub(super) const RUN: usize = 4;

/// Reduces or scans. The second words are those of 64-bit values, else empty.
///
/// The order, which the last bits of floats depend on, is that of vectors: four neighbours by a scan of two steps (Hillis and
/// Steele, 1986), then all before them and each of these. Those that are not active count as the identity.
pub(super) fn collective(
    lanes: usize,
    size: usize,
    active: impl Fn(usize) -> bool,
    (op, scan, kind): (Op, CollectiveOperation, Kind),
    [to, to_high]: [&mut [u32]; 2],
    [from, from_high]: [&[u32]; 2],
) {
    let none = identity(op, kind);
    let value = |lane: usize| if kind.long() { join(from[lane], from_high[lane]) } else { from[lane] as u64 };
    let mut set = |lane: usize, result: u64| {
        to[lane] = result as u32;
        if kind.long() {
            to_high[lane] = (result >> 32) as u32;
        }
    };
    for group in groups(lanes, size) {
        let mut before = none;
        for first in group.clone().step_by(RUN) {
            let end = (first + RUN).min(group.end);
            let mut run = [none; RUN];
            (first..end).filter(|&lane| active(lane)).for_each(|lane| run[lane - first] = value(lane));
            for step in [1, 2] {
                let old = run;
                (0..RUN).for_each(|at| {
                    let far = if at < step { none } else { old[at - step] };
                    run[at] = combine(op, kind, far, old[at]);
                });
            }
            for lane in (first..end).filter(|&lane| active(lane)) {
                let at = lane - first;
                match scan {
                    CollectiveOperation::Reduce => {}
                    CollectiveOperation::InclusiveScan => set(lane, combine(op, kind, before, run[at])),
                    CollectiveOperation::ExclusiveScan => {
                        let less = if at == 0 { none } else { run[at - 1] };
                        set(lane, combine(op, kind, before, less));
                    }
                }
            }
            before = combine(op, kind, before, run[RUN - 1]);
        }
        if scan == CollectiveOperation::Reduce {
            group.filter(|&lane| active(lane)).for_each(|lane| set(lane, before));
        }
    }
}

/// What changes nothing.
pub(super) fn identity(op: Op, kind: Kind) -> u64 {
    let one = match kind {
        Kind::F32 => bits(1.0) as u64,
        Kind::F16 => half_bits(1.0) as u64,
        Kind::F64 => bits64(1.0),
        _ => 1,
    };
    let (low, high) = match kind {
        Kind::F32 => (bits(f32::NEG_INFINITY) as u64, bits(f32::INFINITY) as u64),
        Kind::F16 => (half_bits(f32::NEG_INFINITY) as u64, half_bits(f32::INFINITY) as u64),
        Kind::F64 => (bits64(f64::NEG_INFINITY), bits64(f64::INFINITY)),
        Kind::I32 => (i32::MIN as u32 as u64, i32::MAX as u64),
        Kind::I64 => (i64::MIN as u64, i64::MAX as u64),
        Kind::U64 => (0, u64::MAX),
        _ => (0, u32::MAX as u64),
    };
    match op {
        Op::All | Op::And => {
            if kind.long() {
                u64::MAX
            } else {
                u32::MAX as u64
            }
        }
        Op::Any | Op::Or | Op::Xor | Op::Add => 0,
        Op::Mul => one,
        Op::Min => high,
        Op::Max => low,
    }
}

fn combine(op: Op, kind: Kind, a: u64, b: u64) -> u64 {
    let by_f32 = |f: fn(f32, f32) -> f32| match kind {
        Kind::F16 => half_bits(f(half(a as u32), half(b as u32))) as u64,
        _ => bits(f(float(a as u32), float(b as u32))) as u64,
    };
    let floats = matches!(kind, Kind::F32 | Kind::F16);
    match (op, kind) {
        (Op::All | Op::And, _) => a & b,
        (Op::Any | Op::Or, _) => a | b,
        (Op::Xor, _) => a ^ b,
        (Op::Add, _) if floats => by_f32(|a, b| a + b),
        (Op::Mul, _) if floats => by_f32(|a, b| a * b),
        (Op::Min, _) if floats => by_f32(least),
        (Op::Max, _) if floats => by_f32(most),
        (Op::Add, Kind::F64) => bits64(float64(a) + float64(b)),
        (Op::Mul, Kind::F64) => bits64(float64(a) * float64(b)),
        (Op::Min, Kind::F64) => bits64(least(float64(a), float64(b))),
        (Op::Max, Kind::F64) => bits64(most(float64(a), float64(b))),
        (Op::Add, Kind::I64 | Kind::U64) => a.wrapping_add(b),
        (Op::Mul, Kind::I64 | Kind::U64) => a.wrapping_mul(b),
        (Op::Min, Kind::I64) => (a as i64).min(b as i64) as u64,
        (Op::Max, Kind::I64) => (a as i64).max(b as i64) as u64,
        (Op::Min, Kind::I32) => (a as i32).min(b as i32) as u32 as u64,
        (Op::Max, Kind::I32) => (a as i32).max(b as i32) as u32 as u64,
        (Op::Min, _) => a.min(b),
        (Op::Max, _) => a.max(b),
        (Op::Add, Kind::Bool) => mask(a != b) as u64,
        (Op::Add, _) => (a as u32).wrapping_add(b as u32) as u64,
        (Op::Mul, _) => (a as u32).wrapping_mul(b as u32) as u64,
    }
}
