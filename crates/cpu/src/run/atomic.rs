//! Atomics: real ones, since workgroups run side by side.

use super::*;
use crate::atomics::{long, short};
use crate::check::Piece;
use crate::scalar::join;

impl Machine {
    #[expect(clippy::too_many_arguments, reason = "the fields of one instruction")]
    pub(super) fn atomic(
        &mut self,
        context: &Context,
        checker: &mut Option<Checker>,
        step: u32,
        (op, kind): (AtomicOp, Kind),
        to: Pair,
        at: Address,
        value: Pair,
        compare: Pair,
    ) {
        let mut changes = 0;
        for lane in self.active.low..self.active.high {
            if !self.active.has(lane) {
                continue;
            }
            let address = self.address(at, lane);
            let view = self.view(context, at.space);
            if let Some(checker) = checker {
                let width = if kind.long() { 8 } else { 4 };
                let word = |reg: Reg| if reg == NONE { 0 } else { self.regs[reg as usize][lane] };
                let what = (op, join(word(value[0]), word(value[1])), to[0] != NONE);
                let piece = Piece { space: at.space, address, width, view };
                let stray = checker.atomic(&self.who(context, step, lane), &piece, what);
                if let Some(stray) = stray.filter(|_| to[0] != NONE && !self.is_poison(to[0], lane)) {
                    self.poison(context, checker, stray, (&to, lane));
                }
            }
            let view = self.view(context, at.space);
            let word = |reg: Reg| if reg == NONE { 0 } else { self.regs[reg as usize][lane] };
            if kind.long() {
                let [value, compare] = [value, compare].map(|[low, high]| join(word(low), word(high)));
                let old = view.update_long(address, |old| long(op, kind, old, value, compare));
                changes += (long(op, kind, old, value, compare) != old) as u64;
                if to[0] != NONE {
                    self.regs[to[0] as usize][lane] = old as u32;
                    self.regs[to[1] as usize][lane] = (old >> 32) as u32;
                }
            } else {
                let (value, compare) = (word(value[0]), word(compare[0]));
                let old = match op {
                    AtomicOp::Load => view.load(address, 4),
                    _ => view.update(address, |old| short(op, kind, old, value, compare)),
                };
                changes += (short(op, kind, old, value, compare) != old) as u64;
                if to[0] != NONE {
                    self.regs[to[0] as usize][lane] = old;
                }
            }
        }
        if checker.is_some() {
            self.changes += changes;
        }
    }
}
