//! Tracks the exact values of integers without wrapping, on a checking device, from their computation to their use as
//! an index: through arithmetic, variables, calls and casts. Only in 32 bits can they differ from what kernels compute.
//!
//! A register that has a pair here stands for that 64-bit number; all others for themselves. What limits a number, `&`,
//! `%`, `/`, `>>`, `min` or `clamp`, begins anew: there wrapping is meant. What no index needs is dropped in the end.

use super::*;
use naga::{BinaryOperator as B, ScalarKind};

impl Builder<'_> {
    /// A value or variable of this type may be an index.
    fn counts(&self, ty: &Inner) -> bool {
        let scalar = match ty {
            Inner::Scalar(scalar) | Inner::Vector { scalar, .. } => scalar,
            _ => return false,
        };
        self.checked && scalar.width == 4 && matches!(scalar.kind, ScalarKind::Sint | ScalarKind::Uint)
    }

    /// Registers of a variable, with others beside them for its exact values.
    pub(super) fn variable(&mut self, ty: &Inner, varying: bool) -> Room<Vec<Reg>> {
        self.room(self.types.words(ty) as usize)?;
        let regs: Vec<Reg> = (0..self.types.words(ty)).map(|_| self.register(varying)).collect();
        if self.counts(ty) {
            for &reg in &regs {
                let pair = self.pair(varying);
                self.exact.insert(reg, pair);
            }
        }
        Ok(regs)
    }

    /// The exact value of a register. A large unsigned number is a negative one: a stride of -1, say. No array has 2^31
    /// elements.
    fn exact(&mut self, reg: Reg) -> Pair {
        match self.exact.get(&reg) {
            Some(&pair) => pair,
            None => self.widen(Widen::I32ToI64, reg),
        }
    }

    /// Follows an operator on words.
    pub(super) fn follow(&mut self, op: B, kind: Kind, result: Reg, a: Reg, b: Reg) {
        let follows = matches!(op, B::Add | B::Subtract | B::Multiply | B::ShiftLeft);
        if !self.checked || !follows || !matches!(kind, Kind::I32 | Kind::U32) {
            return;
        }
        let left = self.exact(a);
        let pair = if op == B::ShiftLeft {
            let most = self.constant(31);
            let amount = self.bin(Bin::And, b, most);
            self.long_shift(LongShift::Shl, left, amount)
        } else {
            let right = self.exact(b);
            let op = match op {
                B::Add => LongBin::Add,
                B::Subtract => LongBin::Sub,
                _ => LongBin::Mul,
            };
            self.long_bin(op, left, right)
        };
        self.exact.insert(result, pair);
    }

    /// Follows a negation.
    pub(super) fn follow_negated(&mut self, kind: Kind, result: Reg, a: Reg) {
        if self.checked && kind == Kind::I32 {
            let pair = self.exact(a);
            let pair = self.long_un(LongUn::Neg, pair);
            self.exact.insert(result, pair);
        }
    }

    /// Follows a choice between two values.
    pub(super) fn follow_chosen(&mut self, result: Reg, condition: Reg, accept: Reg, reject: Reg) {
        if self.exact.contains_key(&accept) || self.exact.contains_key(&reject) {
            let (accept, reject) = (self.exact(accept), self.exact(reject));
            let pair = [0, 1].map(|i| self.tern(Tern::Select, condition, accept[i], reject[i]));
            self.exact.insert(result, pair);
        }
    }

    /// Follows a variable into the value that was read from it.
    pub(super) fn follow_read(&mut self, result: Reg, variable: Reg) {
        if let Some(&pair) = self.exact.get(&variable) {
            let pair = pair.map(|reg| self.un(Un::Copy, reg));
            self.exact.insert(result, pair);
        }
    }

    /// Follows a value into the variable that it is written to.
    pub(super) fn follow_written(&mut self, variable: Reg, value: Reg) {
        if let Some(&to) = self.exact.get(&variable) {
            let from = self.exact(value);
            for (to, from) in to.into_iter().zip(from) {
                self.varying(Instr::Set { to, from });
            }
        }
    }

    /// As [`Builder::follow_written`] for a component that each invocation chooses.
    pub(super) fn follow_put(&mut self, variable: &[Reg], index: Reg, value: Reg) {
        let pairs: Option<Vec<Pair>> = variable.iter().map(|reg| self.exact.get(reg).copied()).collect();
        let Some(pairs) = pairs.filter(|pairs| !pairs.is_empty()) else { return };
        let from = self.exact(value);
        for (i, from) in from.into_iter().enumerate() {
            let list = self.list(pairs.iter().map(|pair| pair[i]).collect());
            self.varying(Instr::Put { list, index, from });
        }
    }
}
