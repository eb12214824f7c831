//! Arithmetic on 64-bit values, which lie in two registers: low words and high words.

use super::arithmetic::{MANY, ONE};
use super::*;
use cranelift_codegen::ir::condcodes::FloatCC;

/// How values of 64 bits lie: one, or two in a vector.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Wide {
    int: Type,
    float: Type,
}

const WIDE: Wide = Wide { int: I64, float: F64 };
const WIDES: Wide = Wide { int: I64X2, float: F64X2 };

impl Emitter<'_, '_> {
    pub(super) fn long_arithmetic(&mut self, instr: &Instr) {
        let done = match *instr {
            Instr::LongUn(op, to, a) => self.longs(to, &[a], |e, w, v| e.long_un(op, w, v[0])),
            Instr::LongBin(op, to, a, b) => self.longs(to, &[a, b], |e, w, v| e.long_bin(op, w, v[0], v[1])),
            Instr::LongTern(LongTern::FmaF64, to, a, b, c) if self.has_fma => self.longs(to, &[a, b, c], |e, w, v| {
                let floats = [v[0], v[1], v[2]].map(|v| e.cast(w.float, v));
                let sum = e.b.ins().fma(floats[0], floats[1], floats[2]);
                Some(e.cast(w.int, sum))
            }),
            Instr::LongShift(op, to, a, by) if self.shapes.of(by).is_one() => {
                let by = self.one(by);
                self.longs(to, &[a], |e, _, v| e.long_shift(op, v[0], by))
            }
            Instr::LongCompare(op, to, a, b) => self.long_compare(op, to, a, b),
            Instr::Widen(op, to, a) => self.widen(op, to, a),
            Instr::Narrow(op, to, a) => self.narrow(op, to, a),
            _ => None,
        };
        if done.is_none() {
            self.by_helper(instr);
        }
    }

    /// The value in two registers.
    fn long(&mut self, pair: Pair) -> Value {
        let [low, high] = pair.map(|reg| self.one(reg));
        let [low, high] = [low, high].map(|word| self.b.ins().uextend(I64, word));
        let high = self.b.ins().ishl_imm_u(high, 32);
        self.b.ins().bor(low, high)
    }

    /// The values of a vector of low words and one of high words, in two vectors.
    fn joined(&mut self, low: Value, high: Value) -> [Value; 2] {
        [[0, 4, 1, 5], [2, 6, 3, 7]].map(|words| {
            let pairs = self.shuffle(low, high, words);
            self.cast(I64X2, pairs)
        })
    }

    fn parted_long(&mut self, [a, b]: [Value; 2]) -> [Value; 2] {
        let (a, b) = (self.cast(I32X4, a), self.cast(I32X4, b));
        [self.shuffle(a, b, [0, 2, 4, 6]), self.shuffle(a, b, [1, 3, 5, 7])]
    }

    fn define_long(&mut self, to: Pair, value: Value) {
        let low = self.b.ins().ireduce(I32, value);
        let high = self.b.ins().ushr_imm_u(value, 32);
        let high = self.b.ins().ireduce(I32, high);
        self.define_one(to[0], low);
        self.define_one(to[1], high);
    }

    /// Whether any register of a result is a vector.
    fn is_wide(&self, to: &[Reg]) -> bool {
        to.iter().any(|&reg| self.is_vector(reg))
    }

    fn define_words(&mut self, to: Reg, values: &[Value]) {
        self.define(to, Vectors::new(values));
    }

    /// A function of longs that gives a long; nothing is done if it has no instructions.
    fn longs(&mut self, to: Pair, from: &[Pair], f: impl Fn(&mut Self, Wide, &[Value]) -> Option<Value>) -> Option<()> {
        if !self.is_wide(&to) {
            let values: Vec<Value> = from.iter().map(|&pair| self.long(pair)).collect();
            let value = f(self, WIDE, &values)?;
            self.define_long(to, value);
            return Some(());
        }
        let words: Vec<[Vectors; 2]> = from.iter().map(|pair| pair.map(|reg| self.each(reg))).collect();
        let mut results = [vec![], vec![]];
        for nth in 0..self.vectors() {
            let joined: Vec<[Value; 2]> =
                words.iter().map(|[low, high]| self.joined(low.0[nth], high.0[nth])).collect();
            let mut halves = vec![];
            for half in 0..2 {
                let values: Vec<Value> = joined.iter().map(|joined| joined[half]).collect();
                halves.push(f(self, WIDES, &values)?);
            }
            let parts = self.parted_long([halves[0], halves[1]]);
            results.iter_mut().zip(parts).for_each(|(all, part)| all.push(part));
        }
        to.into_iter().zip(results).for_each(|(to, all)| self.define_words(to, &all));
        Some(())
    }

    fn long_float(&mut self, wide: Wide, values: &[Value], f: impl FnOnce(&mut Self, &[Value]) -> Value) -> Value {
        let floats: Vec<Value> = values.iter().map(|&value| self.cast(wide.float, value)).collect();
        let result = f(self, &floats);
        self.cast(wide.int, result)
    }

    fn long_constant(&mut self, wide: Wide, word: u64) -> Value {
        let one = self.b.ins().iconst(I64, word as i64);
        if wide == WIDES { self.b.ins().splat(I64X2, one) } else { one }
    }

    fn long_un(&mut self, op: LongUn, wide: Wide, a: Value) -> Option<Value> {
        Some(match op {
            LongUn::Neg => self.b.ins().ineg(a),
            LongUn::NegF64 => {
                let sign = self.long_constant(wide, 1 << 63);
                self.b.ins().bxor(a, sign)
            }
            LongUn::AbsF64 => {
                let rest = self.long_constant(wide, !(1 << 63));
                self.b.ins().band(a, rest)
            }
            LongUn::CeilF64 => self.long_float(wide, &[a], |e, v| e.b.ins().ceil(v[0])),
            LongUn::FloorF64 => self.long_float(wide, &[a], |e, v| e.b.ins().floor(v[0])),
            LongUn::RoundF64 => self.long_float(wide, &[a], |e, v| e.b.ins().nearest(v[0])),
            LongUn::TruncF64 => self.long_float(wide, &[a], |e, v| e.b.ins().trunc(v[0])),
            LongUn::SqrtF64 => self.long_float(wide, &[a], |e, v| e.b.ins().sqrt(v[0])),
            LongUn::InverseSqrtF64 => self.long_float(wide, &[a], |e, v| {
                let one = e.b.ins().f64const(1.0);
                let one = if wide == WIDES { e.b.ins().splat(F64X2, one) } else { one };
                let root = e.b.ins().sqrt(v[0]);
                e.b.ins().fdiv(one, root)
            }),
            LongUn::CountTrailingZeros if wide == WIDE => self.b.ins().ctz(a),
            LongUn::CountLeadingZeros if wide == WIDE => self.b.ins().clz(a),
            LongUn::CountOneBits if wide == WIDE => self.b.ins().popcnt(a),
            _ => return None,
        })
    }

    fn long_bin(&mut self, op: LongBin, wide: Wide, a: Value, b: Value) -> Option<Value> {
        Some(match op {
            LongBin::Add => self.b.ins().iadd(a, b),
            LongBin::Sub => self.b.ins().isub(a, b),
            LongBin::Mul => self.b.ins().imul(a, b),
            LongBin::MinI64 if wide == WIDE => self.b.ins().smin(a, b),
            LongBin::MaxI64 if wide == WIDE => self.b.ins().smax(a, b),
            LongBin::MinU64 if wide == WIDE => self.b.ins().umin(a, b),
            LongBin::MaxU64 if wide == WIDE => self.b.ins().umax(a, b),
            LongBin::AddF64 => self.long_float(wide, &[a, b], |e, v| e.b.ins().fadd(v[0], v[1])),
            LongBin::SubF64 => self.long_float(wide, &[a, b], |e, v| e.b.ins().fsub(v[0], v[1])),
            LongBin::MulF64 => self.long_float(wide, &[a, b], |e, v| e.b.ins().fmul(v[0], v[1])),
            LongBin::DivF64 => self.long_float(wide, &[a, b], |e, v| e.b.ins().fdiv(v[0], v[1])),
            LongBin::MinF64 => self.long_extreme(wide, FloatCC::LessThan, a, b),
            LongBin::MaxF64 => self.long_extreme(wide, FloatCC::GreaterThan, a, b),
            _ => return None,
        })
    }

    /// The first where it compares so, or where the second is NaN.
    fn long_extreme(&mut self, wide: Wide, condition: FloatCC, a: Value, b: Value) -> Value {
        let (x, y) = (self.cast(wide.float, a), self.cast(wide.float, b));
        let nan = self.b.ins().fcmp(FloatCC::Unordered, y, y);
        let first = self.b.ins().fcmp(condition, x, y);
        let [nan, first] = [nan, first].map(|truth| if wide == WIDES { truth } else { self.b.ins().bmask(I64, truth) });
        let number = self.b.ins().bitselect(first, a, b);
        self.b.ins().bitselect(nan, a, number)
    }

    fn long_shift(&mut self, op: LongShift, a: Value, by: Value) -> Option<Value> {
        let by = self.b.ins().band_imm_u(by, 63);
        let ins = self.b.ins();
        Some(match op {
            LongShift::Shl => ins.ishl(a, by),
            LongShift::ShrU64 => ins.ushr(a, by),
            LongShift::ShrI64 => ins.sshr(a, by),
            LongShift::LdexpF64 => return None,
        })
    }

    fn long_compare(&mut self, op: LongCompare, to: Reg, a: Pair, b: Pair) -> Option<()> {
        let int = match op {
            LongCompare::Eq => Some(IntCC::Equal),
            LongCompare::Ne => Some(IntCC::NotEqual),
            LongCompare::LtI64 => Some(IntCC::SignedLessThan),
            LongCompare::LeI64 => Some(IntCC::SignedLessThanOrEqual),
            LongCompare::LtU64 => Some(IntCC::UnsignedLessThan),
            LongCompare::LeU64 => Some(IntCC::UnsignedLessThanOrEqual),
            _ => None,
        };
        let float = match op {
            LongCompare::EqF64 => FloatCC::Equal,
            LongCompare::NeF64 => FloatCC::NotEqual,
            LongCompare::LtF64 => FloatCC::LessThan,
            _ => FloatCC::LessThanOrEqual,
        };
        let compare = |e: &mut Self, wide: Wide, a: Value, b: Value| match int {
            Some(condition) => e.b.ins().icmp(condition, a, b),
            None => {
                let (a, b) = (e.cast(wide.float, a), e.cast(wide.float, b));
                e.b.ins().fcmp(float, a, b)
            }
        };
        if !self.is_vector(to) {
            let (a, b) = (self.long(a), self.long(b));
            let truth = compare(self, WIDE, a, b);
            let truth = self.truth(ONE, truth);
            self.define_one(to, truth);
            return Some(());
        }
        let (a, b) = (a.map(|reg| self.each(reg)), b.map(|reg| self.each(reg)));
        let mut all = vec![];
        for nth in 0..self.vectors() {
            let (x, y) = (self.joined(a[0].0[nth], a[1].0[nth]), self.joined(b[0].0[nth], b[1].0[nth]));
            let halves = [0, 1].map(|half| compare(self, WIDES, x[half], y[half]));
            all.push(self.parted_long(halves)[0]);
        }
        self.define_words(to, &all);
        Some(())
    }

    fn widen(&mut self, op: Widen, to: Pair, a: Reg) -> Option<()> {
        if !self.is_wide(&to) {
            let a = self.one(a);
            let value = match op {
                Widen::I32ToI64 => self.b.ins().sextend(I64, a),
                Widen::U32ToU64 => self.b.ins().uextend(I64, a),
                Widen::F32ToF64 => {
                    let float = self.cast(F32, a);
                    let wide = self.b.ins().fpromote(F64, float);
                    self.cast(I64, wide)
                }
                Widen::I32ToF64 => {
                    let float = self.b.ins().fcvt_from_sint(F64, a);
                    self.cast(I64, float)
                }
                Widen::U32ToF64 => {
                    let long = self.b.ins().uextend(I64, a);
                    let float = self.b.ins().fcvt_from_sint(F64, long);
                    self.cast(I64, float)
                }
                _ => return None,
            };
            self.define_long(to, value);
            return Some(());
        }
        match op {
            Widen::I32ToI64 | Widen::U32ToU64 => {
                let low = self.each(a);
                let high = self.map(low, |e, low| match op {
                    Widen::I32ToI64 => {
                        let by = e.int(31);
                        e.b.ins().sshr(low, by)
                    }
                    _ => e.word(MANY, 0),
                });
                self.define(to[0], low);
                self.define(to[1], high);
            }
            Widen::F32ToF64 => {
                let words = self.each(a);
                let mut results = [vec![], vec![]];
                for nth in 0..self.vectors() {
                    let word = words.0[nth];
                    let high = self.shuffle(word, word, [2, 3, 2, 3]);
                    let halves = [word, high].map(|half| {
                        let half = self.cast(F32X4, half);
                        let wide = self.b.ins().fvpromote_low(half);
                        self.cast(I64X2, wide)
                    });
                    let parts = self.parted_long(halves);
                    results.iter_mut().zip(parts).for_each(|(all, part)| all.push(part));
                }
                to.into_iter().zip(results).for_each(|(to, all)| self.define_words(to, &all));
            }
            _ => return None,
        }
        Some(())
    }

    fn narrow(&mut self, op: Narrow, to: Reg, a: Pair) -> Option<()> {
        match op {
            Narrow::Low if self.is_vector(to) => {
                let low = self.each(a[0]);
                self.define(to, low);
            }
            Narrow::Low => {
                let low = self.one(a[0]);
                self.define_one(to, low);
            }
            Narrow::F64ToF32 if self.is_vector(to) => {
                let words = a.map(|reg| self.each(reg));
                let mut all = vec![];
                for nth in 0..self.vectors() {
                    let halves = self.joined(words[0].0[nth], words[1].0[nth]).map(|half| {
                        let half = self.cast(F64X2, half);
                        let narrow = self.b.ins().fvdemote(half);
                        self.cast(I32X4, narrow)
                    });
                    all.push(self.shuffle(halves[0], halves[1], [0, 1, 4, 5]));
                }
                self.define_words(to, &all);
            }
            Narrow::F64ToF32 => {
                let long = self.long(a);
                let float = self.cast(F64, long);
                let narrow = self.b.ins().fdemote(F32, float);
                let bits = self.cast(I32, narrow);
                self.define_one(to, bits);
            }
            _ => return None,
        }
        Some(())
    }
}
