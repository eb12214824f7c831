//! Conversions and bit casts.

use super::types::kind;
use super::*;
use naga::{Scalar, ScalarKind};

impl Builder<'_> {
    pub(super) fn cast(&mut self, expr: Handle<Expression>, to: ScalarKind, convert: Option<u8>) -> Outcome<Vec<Reg>> {
        let words = self.words(expr)?;
        let from = self.scalar(expr)?;
        let Some(width) = convert else { return Ok(words.to_vec()) };
        let Some(into) = kind(Scalar { kind: to, width }) else {
            return self.refuse(format!("conversion to {to:?} of {width} bytes"));
        };
        let per = if from.long() { 2 } else { 1 };
        let mut result = vec![];
        for a in words.chunks_exact(per) {
            match from.long() {
                true => self.convert_long(from, into, [a[0], a[1]], &mut result),
                false => self.convert_word(from, into, a[0], &mut result),
            }
        }
        Ok(result)
    }

    fn convert_word(&mut self, from: Kind, to: Kind, a: Reg, out: &mut Vec<Reg>) {
        use Kind::*;
        let op = match (from, to) {
            (F16, F16) => return out.push(a),
            (F16, _) => {
                let wide = self.un(Un::F16ToF32, a);
                return self.convert_word(F32, to, wide, out);
            }
            (_, F16) => {
                let mut wide = vec![];
                self.convert_word(from, F32, a, &mut wide);
                return out.push(self.un(Un::F32ToF16, wide[0]));
            }
            (_, I64 | U64 | F64) => {
                let op = match (from, to) {
                    (F32, I64) => Widen::F32ToI64,
                    (F32, U64) => Widen::F32ToU64,
                    (F32, _) => Widen::F32ToF64,
                    (I32, F64) => Widen::I32ToF64,
                    (U32, F64) => Widen::U32ToF64,
                    (Bool, F64) => Widen::BoolToF64,
                    (Bool, _) => {
                        let one = self.constant(1);
                        let bit = self.bin(Bin::And, a, one);
                        return out.extend(self.widen(Widen::U32ToU64, bit));
                    }
                    (I32, _) => Widen::I32ToI64,
                    _ => Widen::U32ToU64,
                };
                return out.extend(self.widen(op, a));
            }
            (Bool, F32) => Un::BoolToF32,
            (Bool, I32 | U32) => {
                let one = self.constant(1);
                return out.push(self.bin(Bin::And, a, one));
            }
            (F32, I32) => Un::F32ToI32,
            (F32, U32) => Un::F32ToU32,
            (F32, Bool) => Un::F32ToBool,
            (I32 | U32, Bool) => Un::WordToBool,
            (I32, F32) => Un::I32ToF32,
            (U32, F32) => Un::U32ToF32,
            _ => return out.push(a),
        };
        out.push(self.un(op, a));
    }

    fn convert_long(&mut self, from: Kind, to: Kind, a: Pair, out: &mut Vec<Reg>) {
        use Kind::*;
        let op = match (from, to) {
            (F64, I64) => return out.extend(self.long_un(LongUn::F64ToI64, a)),
            (F64, U64) => return out.extend(self.long_un(LongUn::F64ToU64, a)),
            (I64, F64) => return out.extend(self.long_un(LongUn::I64ToF64, a)),
            (U64, F64) => return out.extend(self.long_un(LongUn::U64ToF64, a)),
            (_, I64 | U64 | F64) => return out.extend(a),
            (F64, F32) => Narrow::F64ToF32,
            (F64, F16) => Narrow::F64ToF16,
            (F64, I32) => Narrow::F64ToI32,
            (F64, U32) => Narrow::F64ToU32,
            (F64, _) => Narrow::NotZeroF64,
            (I64, F32) => Narrow::I64ToF32,
            (U64, F32) => Narrow::U64ToF32,
            (_, F16) => {
                let op = if from == I64 { LongUn::I64ToF64 } else { LongUn::U64ToF64 };
                let wide = self.long_un(op, a);
                return out.push(self.narrow(Narrow::F64ToF16, wide));
            }
            (_, Bool) => Narrow::NotZero,
            _ => Narrow::Low,
        };
        out.push(self.narrow(op, a));
    }
}
