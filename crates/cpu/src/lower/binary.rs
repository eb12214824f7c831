//! Binary operators on scalars, vectors and matrices.

use super::*;
use naga::BinaryOperator as B;

impl Builder<'_> {
    pub(super) fn binary(&mut self, op: B, left: Handle<Expression>, right: Handle<Expression>) -> Outcome<Vec<Reg>> {
        let (lt, rt) = (self.ty(left).clone(), self.ty(right).clone());
        let (a, b) = (self.words(left)?, self.words(right)?);
        let kind = self.scalar(left)?;
        if op == B::Multiply {
            match (&lt, &rt) {
                (&Inner::Matrix { columns, rows, .. }, &Inner::Matrix { columns: width, .. }) => {
                    return Ok(self.matrix_product(kind, &a, &b, [rows as u32, columns as u32, width as u32]));
                }
                (&Inner::Matrix { columns, rows, .. }, Inner::Vector { .. }) => {
                    return Ok(self.matrix_product(kind, &a, &b, [rows as u32, columns as u32, 1]));
                }
                (Inner::Vector { size, .. }, &Inner::Matrix { columns, .. }) => {
                    return Ok(self.matrix_product(kind, &a, &b, [1, *size as u32, columns as u32]));
                }
                _ => {}
            }
        }
        // A scalar stands for each component of a vector or matrix on the other side; shift amounts are words.
        let shift = matches!(op, B::ShiftLeft | B::ShiftRight);
        let per = if kind.long() { 2 } else { 1 };
        let per_right = if shift { 1 } else { per };
        let count = (a.len() / per).max(b.len() / per_right);
        let mut result = vec![];
        for i in 0..count {
            let x = if a.len() == per { &a[..] } else { &a[i * per..][..per] };
            let y = if b.len() == per_right { &b[..] } else { &b[i * per_right..][..per_right] };
            let one = self.scalar_binary(op, kind, x, y)?;
            self.check_nan(kind, &one, &[x, y].concat());
            result.extend(one);
        }
        Ok(result)
    }

    /// Reports a result that is NaN though no operand is.
    pub(super) fn check_nan(&mut self, kind: Kind, result: &[Reg], operands: &[Reg]) {
        if self.nan && kind == Kind::F32 && result.len() == 1 {
            let operands = self.list(operands.to_vec());
            self.varying(Instr::CheckNan { result: result[0], operands });
        }
    }

    /// One component: one word a side, or two.
    pub(super) fn scalar_binary(&mut self, op: B, kind: Kind, a: &[Reg], b: &[Reg]) -> Outcome<Vec<Reg>> {
        Ok(match kind {
            Kind::F16 => {
                let wide = [a[0], b[0]].map(|w| self.un(Un::F16ToF32, w));
                let result = self.word_binary(op, Kind::F32, wide[0], wide[1])?;
                let compares =
                    matches!(op, B::Equal | B::NotEqual | B::Less | B::LessEqual | B::Greater | B::GreaterEqual);
                vec![if compares { result } else { self.un(Un::F32ToF16, result) }]
            }
            Kind::I64 | Kind::U64 | Kind::F64 => self.long_binary(op, kind, [a[0], a[1]], b)?,
            _ => vec![self.word_binary(op, kind, a[0], b[0])?],
        })
    }

    fn word_binary(&mut self, op: B, kind: Kind, a: Reg, b: Reg) -> Outcome<Reg> {
        let whole = (op, a, b);
        let float = kind == Kind::F32;
        let signed = kind == Kind::I32;
        let pick = |f: Bin, s: Bin, u: Bin| {
            if float {
                f
            } else if signed {
                s
            } else {
                u
            }
        };
        let (op, a, b) = match op {
            B::Add => (pick(Bin::AddF32, Bin::AddI32, Bin::AddI32), a, b),
            B::Subtract => (pick(Bin::SubF32, Bin::SubI32, Bin::SubI32), a, b),
            B::Multiply => (pick(Bin::MulF32, Bin::MulI32, Bin::MulI32), a, b),
            B::Divide => (pick(Bin::DivF32, Bin::DivI32, Bin::DivU32), a, b),
            B::Modulo => (pick(Bin::RemF32, Bin::RemI32, Bin::RemU32), a, b),
            B::Equal => (pick(Bin::EqF32, Bin::Eq, Bin::Eq), a, b),
            B::NotEqual => (pick(Bin::NeF32, Bin::Ne, Bin::Ne), a, b),
            B::Less => (pick(Bin::LtF32, Bin::LtI32, Bin::LtU32), a, b),
            B::LessEqual => (pick(Bin::LeF32, Bin::LeI32, Bin::LeU32), a, b),
            B::Greater => (pick(Bin::LtF32, Bin::LtI32, Bin::LtU32), b, a),
            B::GreaterEqual => (pick(Bin::LeF32, Bin::LeI32, Bin::LeU32), b, a),
            B::And | B::LogicalAnd => (Bin::And, a, b),
            B::InclusiveOr | B::LogicalOr => (Bin::Or, a, b),
            B::ExclusiveOr => (Bin::Xor, a, b),
            B::ShiftLeft => (Bin::Shl, a, b),
            B::ShiftRight => (pick(Bin::ShrU32, Bin::ShrI32, Bin::ShrU32), a, b),
        };
        let result = self.bin(op, a, b);
        self.follow(whole.0, kind, result, whole.1, whole.2);
        Ok(result)
    }

    fn long_binary(&mut self, op: B, kind: Kind, a: Pair, b: &[Reg]) -> Outcome<Vec<Reg>> {
        let float = kind == Kind::F64;
        let signed = kind == Kind::I64;
        if matches!(op, B::ShiftLeft | B::ShiftRight) {
            let op = match (op, signed) {
                (B::ShiftLeft, _) => LongShift::Shl,
                (_, true) => LongShift::ShrI64,
                (_, false) => LongShift::ShrU64,
            };
            return Ok(self.long_shift(op, a, b[0]).to_vec());
        }
        let b = [b[0], b[1]];
        let pick = |f: LongBin, s: LongBin, u: LongBin| {
            if float {
                f
            } else if signed {
                s
            } else {
                u
            }
        };
        let arithmetic = match op {
            B::Add => pick(LongBin::AddF64, LongBin::Add, LongBin::Add),
            B::Subtract => pick(LongBin::SubF64, LongBin::Sub, LongBin::Sub),
            B::Multiply => pick(LongBin::MulF64, LongBin::Mul, LongBin::Mul),
            B::Divide => pick(LongBin::DivF64, LongBin::DivI64, LongBin::DivU64),
            B::Modulo => pick(LongBin::RemF64, LongBin::RemI64, LongBin::RemU64),
            B::And | B::InclusiveOr | B::ExclusiveOr => {
                let op = match op {
                    B::And => Bin::And,
                    B::InclusiveOr => Bin::Or,
                    _ => Bin::Xor,
                };
                return Ok(vec![self.bin(op, a[0], b[0]), self.bin(op, a[1], b[1])]);
            }
            _ => {
                let pick = |f: LongCompare, s: LongCompare, u: LongCompare| {
                    if float {
                        f
                    } else if signed {
                        s
                    } else {
                        u
                    }
                };
                let less = pick(LongCompare::LtF64, LongCompare::LtI64, LongCompare::LtU64);
                let less_equal = pick(LongCompare::LeF64, LongCompare::LeI64, LongCompare::LeU64);
                return Ok(vec![match op {
                    B::Equal => self.long_compare(pick(LongCompare::EqF64, LongCompare::Eq, LongCompare::Eq), a, b),
                    B::NotEqual => self.long_compare(pick(LongCompare::NeF64, LongCompare::Ne, LongCompare::Ne), a, b),
                    B::Less => self.long_compare(less, a, b),
                    B::LessEqual => self.long_compare(less_equal, a, b),
                    B::Greater => self.long_compare(less, b, a),
                    B::GreaterEqual => self.long_compare(less_equal, b, a),
                    _ => return self.refuse(format!("{op:?} of 64-bit values")),
                }]);
            }
        };
        Ok(self.long_bin(arithmetic, a, b).to_vec())
    }

    pub(super) fn mul(&mut self, kind: Kind, a: &[Reg], b: &[Reg]) -> Vec<Reg> {
        self.scalar_binary(B::Multiply, kind, a, b).unwrap_or_default()
    }

    pub(super) fn add(&mut self, kind: Kind, a: &[Reg], b: &[Reg]) -> Vec<Reg> {
        self.scalar_binary(B::Add, kind, a, b).unwrap_or_default()
    }

    pub(super) fn sub(&mut self, kind: Kind, a: &[Reg], b: &[Reg]) -> Vec<Reg> {
        self.scalar_binary(B::Subtract, kind, a, b).unwrap_or_default()
    }

    pub(super) fn div(&mut self, kind: Kind, a: &[Reg], b: &[Reg]) -> Vec<Reg> {
        self.scalar_binary(B::Divide, kind, a, b).unwrap_or_default()
    }

    /// Matrices in column-major order: [rows, inner] times [inner, columns].
    fn matrix_product(&mut self, kind: Kind, a: &[Reg], b: &[Reg], [rows, inner, columns]: [u32; 3]) -> Vec<Reg> {
        let per = if kind.long() { 2 } else { 1 };
        let at = |words: &[Reg], i: u32| words[i as usize * per..][..per].to_vec();
        let mut result = vec![];
        for column in 0..columns {
            for row in 0..rows {
                let mut sum = self.mul(kind, &at(a, row), &at(b, column * inner));
                for k in 1..inner {
                    let product = self.mul(kind, &at(a, k * rows + row), &at(b, column * inner + k));
                    sum = self.add(kind, &sum, &product);
                }
                result.extend(sum);
            }
        }
        result
    }
}
