//! Built-in functions.

use super::*;
use naga::MathFunction as M;

impl Builder<'_> {
    pub(super) fn math(&mut self, fun: M, arguments: &[Handle<Expression>]) -> Outcome<Vec<Reg>> {
        let kind = self.scalar(arguments[0])?;
        let mut args = vec![];
        for &argument in arguments {
            args.push(self.words(argument)?);
        }
        if let Some(result) = self.geometry(fun, kind, arguments, &args)? {
            return Ok(result);
        }
        if let Some(result) = self.packing(fun, &args[0]) {
            return Ok(result);
        }
        let per = if kind.long() { 2 } else { 1 };
        let count = args[0].len() / per;
        // Component i of each argument; a scalar stands for all of them.
        let scalars: Vec<bool> = arguments.iter().map(|&a| matches!(self.ty(a), Inner::Scalar(_))).collect();
        let component = |args: &[Rc<[Reg]>], i: usize| -> Vec<Vec<Reg>> {
            let one = |(words, scalar): (&Rc<[Reg]>, &bool)| match (scalar, words.len() / count) {
                (true, _) => words.to_vec(),
                (false, each) => words[i * each..][..each].to_vec(),
            };
            args.iter().zip(&scalars).map(one).collect()
        };
        let mut result = vec![];
        let mut second = vec![];
        for i in 0..count {
            let parts = component(&args, i);
            match fun {
                M::Modf => {
                    let whole = self.float1(kind, (Un::TruncF32, LongUn::TruncF64), &parts[0]);
                    // The fraction of an infinity is a zero of its sign.
                    let fraction = self.sub(kind, &parts[0], &whole);
                    result.extend(self.keep_sign_if_infinite(kind, &parts[0], fraction));
                    second.extend(whole);
                }
                M::Frexp => {
                    let wide = self.widened(kind, &parts[0]);
                    let (fraction, exponent) = match kind {
                        Kind::F64 => (
                            self.long_un(LongUn::FrexpFractionF64, [wide[0], wide[1]]).to_vec(),
                            self.narrow(Narrow::FrexpExponentF64, [wide[0], wide[1]]),
                        ),
                        _ => (vec![self.un(Un::FrexpFractionF32, wide[0])], self.un(Un::FrexpExponentF32, wide[0])),
                    };
                    result.extend(self.narrowed(kind, fraction));
                    second.push(exponent);
                }
                _ => {
                    let one = self.component(fun, kind, &parts)?;
                    self.check_nan(kind, &one, &parts.concat());
                    result.extend(one);
                }
            }
        }
        result.extend(second);
        Ok(result)
    }

    fn keep_sign_if_infinite(&mut self, kind: Kind, of: &[Reg], fraction: Vec<Reg>) -> Vec<Reg> {
        let wide = self.widened(kind, of);
        let infinite = match kind {
            Kind::F64 => self.narrow(Narrow::IsInfF64, [wide[0], wide[1]]),
            _ => self.un(Un::IsInfF32, wide[0]),
        };
        let zero = self.constant(0);
        fraction.iter().map(|&word| self.tern(Tern::Select, infinite, zero, word)).collect()
    }

    /// A 16-bit float as 32 bits; others as they are.
    fn widened(&mut self, kind: Kind, a: &[Reg]) -> Vec<Reg> {
        if kind == Kind::F16 { vec![self.un(Un::F16ToF32, a[0])] } else { a.to_vec() }
    }

    fn narrowed(&mut self, kind: Kind, a: Vec<Reg>) -> Vec<Reg> {
        if kind == Kind::F16 { vec![self.un(Un::F32ToF16, a[0])] } else { a }
    }

    pub(super) fn float1(&mut self, kind: Kind, op: (Un, LongUn), a: &[Reg]) -> Vec<Reg> {
        if kind == Kind::F64 {
            return self.long_un(op.1, [a[0], a[1]]).to_vec();
        }
        let wide = self.widened(kind, a);
        let result = vec![self.un(op.0, wide[0])];
        self.narrowed(kind, result)
    }

    fn float2(&mut self, kind: Kind, op: (Bin, LongBin), a: &[Reg], b: &[Reg]) -> Vec<Reg> {
        if kind == Kind::F64 {
            return self.long_bin(op.1, [a[0], a[1]], [b[0], b[1]]).to_vec();
        }
        let (a, b) = (self.widened(kind, a), self.widened(kind, b));
        let result = vec![self.bin(op.0, a[0], b[0])];
        self.narrowed(kind, result)
    }

    /// A constant of a float type.
    pub(super) fn float(&mut self, kind: Kind, x: f64) -> Vec<Reg> {
        match kind {
            Kind::F64 => self.constant64(x.to_bits()).to_vec(),
            Kind::F16 => vec![self.constant(half::f16::from_f64(x).to_bits() as u32)],
            _ => vec![self.constant((x as f32).to_bits())],
        }
    }

    /// A function of one component of each argument.
    fn component(&mut self, fun: M, kind: Kind, p: &[Vec<Reg>]) -> Outcome<Vec<Reg>> {
        let unary = match fun {
            M::Cos => Some((Un::CosF32, LongUn::CosF64)),
            M::Cosh => Some((Un::CoshF32, LongUn::CoshF64)),
            M::Sin => Some((Un::SinF32, LongUn::SinF64)),
            M::Sinh => Some((Un::SinhF32, LongUn::SinhF64)),
            M::Tan => Some((Un::TanF32, LongUn::TanF64)),
            M::Tanh => Some((Un::TanhF32, LongUn::TanhF64)),
            M::Acos => Some((Un::AcosF32, LongUn::AcosF64)),
            M::Asin => Some((Un::AsinF32, LongUn::AsinF64)),
            M::Atan => Some((Un::AtanF32, LongUn::AtanF64)),
            M::Asinh => Some((Un::AsinhF32, LongUn::AsinhF64)),
            M::Acosh => Some((Un::AcoshF32, LongUn::AcoshF64)),
            M::Atanh => Some((Un::AtanhF32, LongUn::AtanhF64)),
            M::Ceil => Some((Un::CeilF32, LongUn::CeilF64)),
            M::Floor => Some((Un::FloorF32, LongUn::FloorF64)),
            M::Round => Some((Un::RoundF32, LongUn::RoundF64)),
            M::Trunc => Some((Un::TruncF32, LongUn::TruncF64)),
            M::Exp => Some((Un::ExpF32, LongUn::ExpF64)),
            M::Exp2 => Some((Un::Exp2F32, LongUn::Exp2F64)),
            M::Log => Some((Un::LogF32, LongUn::LogF64)),
            M::Log2 => Some((Un::Log2F32, LongUn::Log2F64)),
            M::Sqrt => Some((Un::SqrtF32, LongUn::SqrtF64)),
            M::InverseSqrt => Some((Un::InverseSqrtF32, LongUn::InverseSqrtF64)),
            _ => None,
        };
        if let Some(op) = unary {
            return Ok(self.float1(kind, op, &p[0]));
        }
        let float = matches!(kind, Kind::F32 | Kind::F16 | Kind::F64);
        Ok(match fun {
            M::Abs | M::Sign => self.abs_or_sign(fun, kind, &p[0]),
            M::Min => self.minimum(kind, &p[0], &p[1]),
            M::Max => self.maximum(kind, &p[0], &p[1]),
            M::Clamp => {
                let low = self.maximum(kind, &p[0], &p[1]);
                self.minimum(kind, &low, &p[2])
            }
            M::Saturate => {
                let (zero, one) = (self.float(kind, 0.0), self.float(kind, 1.0));
                let low = self.maximum(kind, &p[0], &zero);
                self.minimum(kind, &low, &one)
            }
            M::Atan2 => self.float2(kind, (Bin::Atan2F32, LongBin::Atan2F64), &p[0], &p[1]),
            M::Pow => self.float2(kind, (Bin::PowF32, LongBin::PowF64), &p[0], &p[1]),
            M::Radians => {
                let factor = self.float(kind, std::f64::consts::PI / 180.0);
                self.mul(kind, &p[0], &factor)
            }
            M::Degrees => {
                let factor = self.float(kind, 180.0 / std::f64::consts::PI);
                self.mul(kind, &p[0], &factor)
            }
            M::Fract => {
                let floor = self.float1(kind, (Un::FloorF32, LongUn::FloorF64), &p[0]);
                self.sub(kind, &p[0], &floor)
            }
            M::Ldexp => match kind {
                Kind::F64 => self.long_shift(LongShift::LdexpF64, [p[0][0], p[0][1]], p[1][0]).to_vec(),
                _ => {
                    let wide = self.widened(kind, &p[0]);
                    let result = vec![self.bin(Bin::LdexpF32, wide[0], p[1][0])];
                    self.narrowed(kind, result)
                }
            },
            M::Fma if float => self.fma(kind, &p[0], &p[1], &p[2]),
            M::Mix => {
                // a (1 - t) + b t, exact at both ends.
                let one = self.float(kind, 1.0);
                let rest = self.sub(kind, &one, &p[2]);
                let (a, b) = (self.mul(kind, &p[0], &rest), self.mul(kind, &p[1], &p[2]));
                self.add(kind, &a, &b)
            }
            M::Step => {
                let (zero, one) = (self.float(kind, 0.0), self.float(kind, 1.0));
                let reached = self.scalar_binary(naga::BinaryOperator::LessEqual, kind, &p[0], &p[1])?[0];
                one.iter().zip(&zero).map(|(&a, &b)| self.tern(Tern::Select, reached, a, b)).collect()
            }
            M::SmoothStep => {
                let (x, width) = (self.sub(kind, &p[2], &p[0]), self.sub(kind, &p[1], &p[0]));
                let ratio = self.div(kind, &x, &width);
                let t = self.component(M::Saturate, kind, &[ratio])?;
                let (two, three) = (self.float(kind, 2.0), self.float(kind, 3.0));
                let twice = self.mul(kind, &two, &t);
                let rest = self.sub(kind, &three, &twice);
                let square = self.mul(kind, &t, &t);
                self.mul(kind, &square, &rest)
            }
            M::QuantizeToF16 => vec![self.un(Un::QuantizeF16, p[0][0])],
            _ => return self.bits(fun, kind, p),
        })
    }

    pub(super) fn fma(&mut self, kind: Kind, a: &[Reg], b: &[Reg], c: &[Reg]) -> Vec<Reg> {
        match kind {
            Kind::F64 => self.long_tern(LongTern::FmaF64, [a[0], a[1]], [b[0], b[1]], [c[0], c[1]]).to_vec(),
            Kind::F16 => {
                // A product of two 11-bit significands is exact in f32; the sum is rounded in f64.
                let wide = [a, b, c].map(|x| {
                    let single = self.un(Un::F16ToF32, x[0]);
                    self.widen(Widen::F32ToF64, single)
                });
                let sum = self.long_tern(LongTern::FmaF64, wide[0], wide[1], wide[2]);
                vec![self.narrow(Narrow::F64ToF16, sum)]
            }
            _ => vec![self.tern(Tern::FmaF32, a[0], b[0], c[0])],
        }
    }

    pub(super) fn abs_or_sign(&mut self, fun: M, kind: Kind, a: &[Reg]) -> Vec<Reg> {
        let abs = fun == M::Abs;
        match kind {
            Kind::U32 | Kind::U64 if abs => a.to_vec(),
            Kind::I32 => vec![self.un(if abs { Un::AbsI32 } else { Un::SignI32 }, a[0])],
            Kind::I64 => self.long_un(if abs { LongUn::AbsI64 } else { LongUn::SignI64 }, [a[0], a[1]]).to_vec(),
            Kind::F16 if abs => vec![self.un(Un::AbsF16, a[0])],
            _ if abs => self.float1(kind, (Un::AbsF32, LongUn::AbsF64), a),
            _ => self.float1(kind, (Un::SignF32, LongUn::SignF64), a),
        }
    }

    fn minimum(&mut self, kind: Kind, a: &[Reg], b: &[Reg]) -> Vec<Reg> {
        match kind {
            Kind::I32 => vec![self.bin(Bin::MinI32, a[0], b[0])],
            Kind::U32 | Kind::Bool => vec![self.bin(Bin::MinU32, a[0], b[0])],
            Kind::I64 => self.long_bin(LongBin::MinI64, [a[0], a[1]], [b[0], b[1]]).to_vec(),
            Kind::U64 => self.long_bin(LongBin::MinU64, [a[0], a[1]], [b[0], b[1]]).to_vec(),
            _ => self.float2(kind, (Bin::MinF32, LongBin::MinF64), a, b),
        }
    }

    fn maximum(&mut self, kind: Kind, a: &[Reg], b: &[Reg]) -> Vec<Reg> {
        match kind {
            Kind::I32 => vec![self.bin(Bin::MaxI32, a[0], b[0])],
            Kind::U32 | Kind::Bool => vec![self.bin(Bin::MaxU32, a[0], b[0])],
            Kind::I64 => self.long_bin(LongBin::MaxI64, [a[0], a[1]], [b[0], b[1]]).to_vec(),
            Kind::U64 => self.long_bin(LongBin::MaxU64, [a[0], a[1]], [b[0], b[1]]).to_vec(),
            _ => self.float2(kind, (Bin::MaxF32, LongBin::MaxF64), a, b),
        }
    }

    /// Functions of bits.
    fn bits(&mut self, fun: M, kind: Kind, p: &[Vec<Reg>]) -> Outcome<Vec<Reg>> {
        let signed = matches!(kind, Kind::I32 | Kind::I64);
        if kind.long() {
            let op = match fun {
                M::CountTrailingZeros => LongUn::CountTrailingZeros,
                M::CountLeadingZeros => LongUn::CountLeadingZeros,
                M::CountOneBits => LongUn::CountOneBits,
                M::ReverseBits => LongUn::ReverseBits,
                M::FirstTrailingBit => LongUn::FirstTrailingBit,
                M::FirstLeadingBit if signed => LongUn::FirstLeadingBitI64,
                M::FirstLeadingBit => LongUn::FirstLeadingBitU64,
                other => return self.refuse(format!("{other:?} of 64-bit values")),
            };
            return Ok(self.long_un(op, [p[0][0], p[0][1]]).to_vec());
        }
        let a = p[0][0];
        Ok(vec![match fun {
            M::CountTrailingZeros => self.un(Un::CountTrailingZeros, a),
            M::CountLeadingZeros => self.un(Un::CountLeadingZeros, a),
            M::CountOneBits => self.un(Un::CountOneBits, a),
            M::ReverseBits => self.un(Un::ReverseBits, a),
            M::FirstTrailingBit => self.un(Un::FirstTrailingBit, a),
            M::FirstLeadingBit if signed => self.un(Un::FirstLeadingBitI32, a),
            M::FirstLeadingBit => self.un(Un::FirstLeadingBitU32, a),
            M::ExtractBits => self.tern(if signed { Tern::ExtractI32 } else { Tern::ExtractU32 }, a, p[1][0], p[2][0]),
            M::InsertBits => self.quad(Quad::InsertBits, a, p[1][0], p[2][0], p[3][0]),
            M::Dot4I8Packed => self.bin(Bin::Dot4I8, a, p[1][0]),
            M::Dot4U8Packed => self.bin(Bin::Dot4U8, a, p[1][0]),
            other => return self.refuse(format!("{other:?} of {kind:?}")),
        }])
    }
}
