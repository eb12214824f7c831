//! Subgroup operations: over the active invocations of each run of neighbours.

use super::*;
use crate::backend::cpu::scalar::{bits, bits64, float, float64, half, half_bits, join, mask};
use naga::{CollectiveOperation, SubgroupOperation as Op};

impl Machine {
    /// The lanes of each subgroup.
    fn subgroups(&self, context: &Context) -> impl Iterator<Item = Range<usize>> + use<> {
        let (lanes, size) = (self.lanes, context.program.subgroup as usize);
        (0..lanes).step_by(size).map(move |first| first..(first + size).min(lanes))
    }

    pub(super) fn ballot(&mut self, context: &Context, to: List, predicate: Reg) {
        let list = &context.program.lists[to as usize];
        for group in self.subgroups(context) {
            let mut words = [0u32; 4];
            for lane in group.clone().filter(|&lane| self.active.has(lane)) {
                let bit = lane - group.start;
                if self.regs[predicate as usize][lane] != 0 {
                    words[bit / 32 % 4] |= 1 << (bit % 32);
                }
            }
            for (&to, word) in list.iter().zip(words) {
                self.regs[to as usize][group.clone()].fill(word);
            }
        }
    }

    pub(super) fn gather(&mut self, context: &Context, mode: Gather, to: Reg, from: Reg, index: Reg) {
        let active = std::mem::take(&mut self.active);
        for group in self.subgroups(context) {
            let Some(first) = group.clone().find(|&lane| active.has(lane)) else { continue };
            for lane in group.clone().filter(|&lane| active.has(lane)) {
                let own = (lane - group.start) as u32;
                let index = if index == NONE { 0 } else { self.regs[index as usize][lane] };
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
                let source = if group.contains(&source) && active.has(source) { source } else { lane };
                self.regs[to as usize][lane] = self.regs[from as usize][source];
            }
        }
        self.active = active;
    }

    pub(super) fn collective(
        &mut self,
        context: &Context,
        op: Op,
        scan: CollectiveOperation,
        kind: Kind,
        to: Pair,
        from: Pair,
    ) {
        let pairs = if kind.long() { 2 } else { 1 };
        for group in self.subgroups(context) {
            let active: Vec<usize> = group.filter(|&lane| self.active.has(lane)).collect();
            let value = |lane: usize| {
                let word = |i: usize| self.regs[from[i] as usize][lane];
                if pairs == 2 { join(word(0), word(1)) } else { word(0) as u64 }
            };
            let mut total = identity(op, kind);
            let mut results = vec![];
            for &lane in &active {
                let before = total;
                total = combine(op, kind, total, value(lane));
                results.push(if scan == CollectiveOperation::ExclusiveScan { before } else { total });
            }
            for (&lane, scanned) in active.iter().zip(results) {
                let result = if scan == CollectiveOperation::Reduce { total } else { scanned };
                self.regs[to[0] as usize][lane] = result as u32;
                if pairs == 2 {
                    self.regs[to[1] as usize][lane] = (result >> 32) as u32;
                }
            }
        }
    }
}

fn identity(op: Op, kind: Kind) -> u64 {
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
        (Op::Min, _) if floats => by_f32(f32::min),
        (Op::Max, _) if floats => by_f32(f32::max),
        (Op::Add, Kind::F64) => bits64(float64(a) + float64(b)),
        (Op::Mul, Kind::F64) => bits64(float64(a) * float64(b)),
        (Op::Min, Kind::F64) => bits64(float64(a).min(float64(b))),
        (Op::Max, Kind::F64) => bits64(float64(a).max(float64(b))),
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
