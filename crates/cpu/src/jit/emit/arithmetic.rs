//! Arithmetic on words: on one value, or on vectors by the same instructions.

use super::*;
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{Endianness, immediates::Ieee32};

/// Whether values are single words or vectors of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub int: Type,
    pub float: Type,
}

pub(super) const ONE: Form = Form { int: I32, float: F32 };
pub(super) const MANY: Form = Form { int: I32X4, float: F32X4 };

impl Form {
    pub fn is_vector(self) -> bool {
        self == MANY
    }
}

impl Emitter<'_, '_> {
    /// Gives an instruction's results.
    pub(super) fn arithmetic(&mut self, instr: &Instr) {
        let (to, from): (Reg, Vec<Reg>) = match *instr {
            Instr::Un(_, to, a) => (to, vec![a]),
            Instr::Bin(_, to, a, b) => (to, vec![a, b]),
            Instr::Tern(_, to, a, b, c) => (to, vec![a, b, c]),
            Instr::Quad(_, to, a, b, c, d) => (to, vec![a, b, c, d]),
            _ => return self.long_arithmetic(instr),
        };
        if !self.is_vector(to) {
            let values: Vec<Value> = from.iter().map(|&reg| self.one(reg)).collect();
            return match self.words(instr, ONE, &values) {
                Some(value) => self.define_one(to, value),
                None => self.by_helper(instr),
            };
        }
        // A shift by one amount for all takes it as it is.
        let shifts =
            matches!(instr, Instr::Bin(Bin::Shl | Bin::ShrU32 | Bin::ShrI32 | Bin::UnpackU8 | Bin::UnpackI8, ..))
                || matches!(instr, Instr::Tern(Tern::InsertByte, ..));
        let last = from.len() - 1;
        let amount = (shifts && self.shapes.of(from[last]).is_one()).then(|| self.one(from[last]));
        let vectors: Vec<Vectors> = match amount {
            Some(amount) => {
                let mut vectors: Vec<Vectors> = from[..last].iter().map(|&reg| self.each(reg)).collect();
                vectors.push(Vectors::new(&[amount]));
                vectors
            }
            None => from.iter().map(|&reg| self.each(reg)).collect(),
        };
        let mut all = vec![];
        for nth in 0..self.vectors() {
            let values: Vec<Value> = vectors.iter().map(|vectors| vectors.0[nth]).collect();
            match self.words(instr, MANY, &values) {
                Some(value) => all.push(value),
                None => return self.by_helper(instr),
            }
        }
        self.define(to, Vectors::new(&all));
        self.note_ends(instr);
    }

    /// What the first and the last invocation say of a condition: of a number that goes up from one to the next, and one that
    /// is the same for all. Nothing is computed of it that nobody asks for.
    fn note_ends(&mut self, instr: &Instr) {
        let (to, ends) = match *instr {
            Instr::Un(Un::Not, to, a) => (to, self.ends.get(&a).map(|ends| Ends { all: ends.none, none: ends.all })),
            Instr::Bin(Bin::LtU32, to, a, b) => (to, self.ends_of(a, b, IntCC::UnsignedLessThan)),
            Instr::Bin(Bin::LeU32, to, a, b) => (to, self.ends_of(a, b, IntCC::UnsignedLessThanOrEqual)),
            _ => return,
        };
        match ends {
            Some(ends) => self.ends.insert(to, ends),
            None => self.ends.remove(&to),
        };
    }

    fn ends_of(&mut self, a: Reg, b: Reg, condition: IntCC) -> Option<Ends> {
        let step = self.shapes.of(a).stride().filter(|&step| step > 0)?;
        // Further apart they might begin again at 0 more than once, which their ends do not tell.
        let rise = step.checked_mul(self.lanes() as i32 - 1)?;
        if !self.shapes.of(b).is_one() {
            return None;
        }
        let (first, limit) = (self.one(a), self.one(b));
        let last = self.b.ins().iadd_imm_s(first, rise as i64);
        // Where they begin again at 0, the last is less than the first.
        let rises = self.b.ins().icmp(IntCC::UnsignedLessThan, first, last);
        let [is_first, is_last] = [first, last].map(|end| self.b.ins().icmp(condition, end, limit));
        let no_first = self.b.ins().bxor_imm_u(is_first, 1);
        Some(Ends { all: self.b.ins().band(rises, is_last), none: self.b.ins().band(rises, no_first) })
    }

    pub(super) fn float(&mut self, form: Form, value: Value) -> Value {
        self.cast(form.float, value)
    }

    pub(super) fn bits_of(&mut self, form: Form, value: Value) -> Value {
        self.cast(form.int, value)
    }

    pub(super) fn cast(&mut self, ty: Type, value: Value) -> Value {
        let flags = MemFlagsData::new().with_endianness(Endianness::Little);
        self.b.ins().bitcast(ty, flags, value)
    }

    /// The same word in each place.
    pub(super) fn word(&mut self, form: Form, word: u32) -> Value {
        let one = self.int(word);
        if form.is_vector() { self.b.ins().splat(I32X4, one) } else { one }
    }

    fn number(&mut self, form: Form, number: f32) -> Value {
        let one = self.b.ins().f32const(Ieee32::with_float(number));
        if form.is_vector() { self.b.ins().splat(F32X4, one) } else { one }
    }

    /// All ones where a comparison holds.
    pub(super) fn truth(&mut self, form: Form, compared: Value) -> Value {
        if form.is_vector() { compared } else { self.b.ins().bmask(I32, compared) }
    }

    fn compare(&mut self, form: Form, condition: IntCC, a: Value, b: Value) -> Value {
        let compared = self.b.ins().icmp(condition, a, b);
        self.truth(form, compared)
    }

    fn compare_floats(&mut self, form: Form, condition: FloatCC, a: Value, b: Value) -> Value {
        let (a, b) = (self.float(form, a), self.float(form, b));
        let compared = self.b.ins().fcmp(condition, a, b);
        self.truth(form, compared)
    }

    /// A function of floats.
    fn of_floats(&mut self, form: Form, values: &[Value], f: impl FnOnce(&mut Self, &[Value]) -> Value) -> Value {
        let floats: Vec<Value> = values.iter().map(|&value| self.float(form, value)).collect();
        let result = f(self, &floats);
        self.bits_of(form, result)
    }

    /// The same for each lane of vectors, which the machine has for single words only.
    pub(super) fn lanewise(&mut self, form: Form, values: &[Value], f: impl Fn(&mut Self, &[Value]) -> Value) -> Value {
        if !form.is_vector() {
            return f(self, values);
        }
        let lanes: Vec<Value> = (0..VECTOR)
            .map(|lane| {
                let own: Vec<Value> = values.iter().map(|&value| self.b.ins().extractlane(value, lane as u8)).collect();
                f(self, &own)
            })
            .collect();
        self.gathered(&lanes)
    }

    fn words(&mut self, instr: &Instr, form: Form, values: &[Value]) -> Option<Value> {
        match (instr, values) {
            (Instr::Un(op, _, _), &[a]) => self.un(*op, form, a),
            (Instr::Bin(op, _, _, b), &[x, y]) => self.bin(*op, form, x, y, self.constants[*b as usize]),
            (Instr::Tern(op, _, _, b, c), &[x, y, z]) => {
                let known = [*b, *c].map(|reg| self.constants[reg as usize]);
                self.tern(*op, form, [x, y, z], known)
            }
            _ => None,
        }
    }

    fn un(&mut self, op: Un, form: Form, a: Value) -> Option<Value> {
        Some(match op {
            Un::Copy => a,
            Un::Not => self.b.ins().bnot(a),
            Un::NegI32 => self.b.ins().ineg(a),
            Un::NegF32 => {
                let sign = self.word(form, 0x8000_0000);
                self.b.ins().bxor(a, sign)
            }
            Un::NegF16 => {
                let sign = self.word(form, 0x8000);
                self.b.ins().bxor(a, sign)
            }
            Un::AbsI32 => self.b.ins().iabs(a),
            Un::AbsF32 => {
                let rest = self.word(form, 0x7fff_ffff);
                self.b.ins().band(a, rest)
            }
            Un::AbsF16 => {
                let rest = self.word(form, 0x7fff);
                self.b.ins().band(a, rest)
            }
            Un::SignI32 => {
                let (zero, one) = (self.word(form, 0), self.word(form, 1));
                let negative = self.compare(form, IntCC::SignedLessThan, a, zero);
                let positive = self.compare(form, IntCC::SignedGreaterThan, a, zero);
                let positive = self.b.ins().band(positive, one);
                self.b.ins().bor(negative, positive)
            }
            Un::SignF32 => {
                let zero = self.word(form, 0);
                let negative = self.compare_floats(form, FloatCC::LessThan, a, zero);
                let positive = self.compare_floats(form, FloatCC::GreaterThan, a, zero);
                let (minus, plus) = (self.word(form, (-1.0f32).to_bits()), self.word(form, 1.0f32.to_bits()));
                let rest = self.b.ins().bitselect(negative, minus, a);
                self.b.ins().bitselect(positive, plus, rest)
            }
            Un::CeilF32 => self.of_floats(form, &[a], |e, v| e.b.ins().ceil(v[0])),
            Un::FloorF32 => self.of_floats(form, &[a], |e, v| e.b.ins().floor(v[0])),
            Un::RoundF32 => self.of_floats(form, &[a], |e, v| e.b.ins().nearest(v[0])),
            Un::TruncF32 => self.of_floats(form, &[a], |e, v| e.b.ins().trunc(v[0])),
            Un::SqrtF32 => self.of_floats(form, &[a], |e, v| e.b.ins().sqrt(v[0])),
            Un::InverseSqrtF32 => self.inverse_sqrt(form, a),
            Un::IsNanF32 => self.compare_floats(form, FloatCC::Unordered, a, a),
            Un::IsInfF32 => {
                let (rest, infinite) = (self.word(form, 0x7fff_ffff), self.word(form, 0x7f80_0000));
                let a = self.b.ins().band(a, rest);
                self.compare(form, IntCC::Equal, a, infinite)
            }
            Un::CountTrailingZeros => self.lanewise(form, &[a], |e, v| e.b.ins().ctz(v[0])),
            Un::CountLeadingZeros => self.lanewise(form, &[a], |e, v| e.b.ins().clz(v[0])),
            Un::CountOneBits => self.count_ones(form, a),
            Un::FirstTrailingBit => {
                let count = self.lanewise(form, &[a], |e, v| e.b.ins().ctz(v[0]));
                let zero = self.word(form, 0);
                let none = self.compare(form, IntCC::Equal, a, zero);
                self.b.ins().bor(count, none)
            }
            Un::FirstLeadingBitU32 => self.leading_bit(form, a),
            Un::FirstLeadingBitI32 => {
                let sign = self.shifted(form, Bin::ShrI32, a, 31);
                let a = self.b.ins().bxor(a, sign);
                self.leading_bit(form, a)
            }
            Un::I32ToF32 => {
                let float = self.b.ins().fcvt_from_sint(form.float, a);
                self.bits_of(form, float)
            }
            Un::U32ToF32 => {
                let float = self.b.ins().fcvt_from_uint(form.float, a);
                self.bits_of(form, float)
            }
            Un::F32ToI32 => {
                let a = self.at_most(form, a, 2147483520.0);
                self.b.ins().fcvt_to_sint_sat(form.int, a)
            }
            Un::F32ToU32 => {
                let a = self.at_most(form, a, 4294967040.0);
                self.b.ins().fcvt_to_uint_sat(form.int, a)
            }
            Un::F32ToF16 => self.float_to_half(form, a),
            Un::F16ToF32 => self.half_to_float(form, a),
            Un::QuantizeF16 => {
                let half = self.float_to_half(form, a);
                self.half_to_float(form, half)
            }
            Un::Unpack0F16 => {
                let low = self.word(form, 0xffff);
                let half = self.b.ins().band(a, low);
                self.half_to_float(form, half)
            }
            Un::Unpack1F16 => {
                let half = self.shifted(form, Bin::ShrU32, a, 16);
                self.half_to_float(form, half)
            }
            Un::WordToBool => {
                let zero = self.word(form, 0);
                self.compare(form, IntCC::NotEqual, a, zero)
            }
            Un::F32ToBool => {
                let zero = self.word(form, 0);
                self.compare_floats(form, FloatCC::NotEqual, a, zero)
            }
            Un::BoolToF32 => {
                let one = self.word(form, 0x3f80_0000);
                self.b.ins().band(a, one)
            }
            _ => return None,
        })
    }

    /// A float that is at most this one; NaN stays.
    fn at_most(&mut self, form: Form, a: Value, most: f32) -> Value {
        let limit = self.word(form, most.to_bits());
        let over = self.compare_floats(form, FloatCC::GreaterThan, a, limit);
        let bits = self.b.ins().bitselect(over, limit, a);
        self.float(form, bits)
    }

    /// By a constant amount.
    fn shifted(&mut self, form: Form, op: Bin, a: Value, by: u32) -> Value {
        let by = self.int(by);
        let ins = self.b.ins();
        debug_assert!(form.int == I32 || form.int == I32X4);
        match op {
            Bin::Shl => ins.ishl(a, by),
            Bin::ShrI32 => ins.sshr(a, by),
            _ => ins.ushr(a, by),
        }
    }

    fn leading_bit(&mut self, form: Form, a: Value) -> Value {
        // 31 - clz, which is -1 for 0.
        self.lanewise(form, &[a], |e, v| {
            let zeros = e.b.ins().clz(v[0]);
            let last = e.int(31);
            e.b.ins().isub(last, zeros)
        })
    }

    /// Bits by pairs, fours and bytes.
    fn count_ones(&mut self, form: Form, a: Value) -> Value {
        if !form.is_vector() {
            return self.b.ins().popcnt(a);
        }
        let [ones, twos, fours] = [0x5555_5555, 0x3333_3333, 0x0f0f_0f0f].map(|word| self.word(form, word));
        let half = self.shifted(form, Bin::ShrU32, a, 1);
        let half = self.b.ins().band(half, ones);
        let pairs = self.b.ins().isub(a, half);
        let high = self.shifted(form, Bin::ShrU32, pairs, 2);
        let (high, low) = (self.b.ins().band(high, twos), self.b.ins().band(pairs, twos));
        let sums = self.b.ins().iadd(high, low);
        let high = self.shifted(form, Bin::ShrU32, sums, 4);
        let bytes = self.b.ins().iadd(sums, high);
        let bytes = self.b.ins().band(bytes, fours);
        let every = self.word(form, 0x0101_0101);
        let all = self.b.ins().imul(bytes, every);
        self.shifted(form, Bin::ShrU32, all, 24)
    }

    /// In double precision, rounded once.
    fn inverse_sqrt(&mut self, form: Form, a: Value) -> Value {
        let float = self.float(form, a);
        if !form.is_vector() {
            let wide = self.b.ins().fpromote(F64, float);
            let root = self.b.ins().sqrt(wide);
            let one = self.b.ins().f64const(1.0);
            let inverse = self.b.ins().fdiv(one, root);
            let narrow = self.b.ins().fdemote(F32, inverse);
            return self.bits_of(form, narrow);
        }
        let high = self.shuffle(a, a, [2, 3, 2, 3]);
        let halves = [a, high].map(|half| {
            let half = self.float(form, half);
            let wide = self.b.ins().fvpromote_low(half);
            let root = self.b.ins().sqrt(wide);
            let one = self.b.ins().f64const(1.0);
            let one = self.b.ins().splat(F64X2, one);
            let inverse = self.b.ins().fdiv(one, root);
            let narrow = self.b.ins().fvdemote(inverse);
            self.bits_of(form, narrow)
        });
        self.shuffle(halves[0], halves[1], [0, 1, 4, 5])
    }

    /// From a half in the low bits, exactly: its bits as a float's, with the exponent's difference multiplied in.
    fn half_to_float(&mut self, form: Form, a: Value) -> Value {
        let (rest, sign) = (self.word(form, 0x7fff), self.word(form, 0x8000));
        let size = self.b.ins().band(a, rest);
        let sign = self.b.ins().band(a, sign);
        let sign = self.shifted(form, Bin::Shl, sign, 16);
        let wide = self.shifted(form, Bin::Shl, size, 13);
        let float = self.float(form, wide);
        let scale = self.number(form, f32::from_bits(0x7780_0000));
        let float = self.b.ins().fmul(float, scale);
        let number = self.bits_of(form, float);
        // Infinities, and NaN which becomes quiet.
        let (infinite, limit) = (self.word(form, 0x7f80_0000), self.word(form, 0x7c00));
        let special = self.compare(form, IntCC::UnsignedGreaterThanOrEqual, size, limit);
        let nan = self.compare(form, IntCC::UnsignedGreaterThan, size, limit);
        let quiet = self.word(form, 0x0040_0000);
        let quiet = self.b.ins().band(nan, quiet);
        let beyond = self.b.ins().bor(wide, infinite);
        let beyond = self.b.ins().bor(beyond, quiet);
        let number = self.b.ins().bitselect(special, beyond, number);
        self.b.ins().bor(number, sign)
    }

    /// To the nearest half, ties to even (Giesen, 2012: float_to_half_fast3_rtne).
    fn float_to_half(&mut self, form: Form, a: Value) -> Value {
        let rest = self.word(form, 0x7fff_ffff);
        let size = self.b.ins().band(a, rest);
        let sign = self.b.ins().bxor(a, size);
        let sign = self.shifted(form, Bin::ShrU32, sign, 16);
        // Denormal: the sum with 0.5 rounds where the half's last place is.
        let magic = self.word(form, 0x3f00_0000);
        let (float, half) = (self.float(form, size), self.float(form, magic));
        let sum = self.b.ins().fadd(float, half);
        let sum = self.bits_of(form, sum);
        let small = self.b.ins().isub(sum, magic);
        // Normal: the exponent's difference, and rounding to even.
        let odd = self.shifted(form, Bin::ShrU32, size, 13);
        let one = self.word(form, 1);
        let odd = self.b.ins().band(odd, one);
        let bias = self.word(form, 0xc800_0fff);
        let normal = self.b.ins().iadd(size, bias);
        let normal = self.b.ins().iadd(normal, odd);
        let normal = self.shifted(form, Bin::ShrU32, normal, 13);
        // Too large, or NaN with its first bits.
        let infinite = self.word(form, 0x7c00);
        let wide = self.word(form, 0x7f80_0000);
        let nan = self.compare(form, IntCC::UnsignedGreaterThan, size, wide);
        let (bits, payload) = (self.shifted(form, Bin::ShrU32, size, 13), self.word(form, 0x3ff));
        let bits = self.b.ins().band(bits, payload);
        let quiet = self.word(form, 0x7e00);
        let bits = self.b.ins().bor(bits, quiet);
        let large = self.b.ins().bitselect(nan, bits, infinite);
        let limit = self.word(form, 0x3880_0000);
        let is_small = self.compare(form, IntCC::UnsignedLessThan, size, limit);
        let limit = self.word(form, 0x4780_0000);
        let is_large = self.compare(form, IntCC::UnsignedGreaterThanOrEqual, size, limit);
        let number = self.b.ins().bitselect(is_small, small, normal);
        let number = self.b.ins().bitselect(is_large, large, number);
        self.b.ins().bor(number, sign)
    }

    /// `known`: the second operand where it is a constant. A shift's amount is one word, whatever the form, if it is one for
    /// all.
    pub(super) fn bin(&mut self, op: Bin, form: Form, a: Value, b: Value, known: Option<u32>) -> Option<Value> {
        let signed = [IntCC::SignedLessThan, IntCC::SignedLessThanOrEqual];
        let unsigned = [IntCC::UnsignedLessThan, IntCC::UnsignedLessThanOrEqual];
        Some(match op {
            Bin::AddI32 => self.b.ins().iadd(a, b),
            Bin::SubI32 => self.b.ins().isub(a, b),
            Bin::MulI32 => self.b.ins().imul(a, b),
            Bin::DivU32 | Bin::RemU32 if known.is_some_and(u32::is_power_of_two) => {
                let by = known.expect("asked for");
                if op == Bin::DivU32 {
                    return Some(self.shifted(form, Bin::ShrU32, a, by.trailing_zeros()));
                }
                let mask = self.word(form, by - 1);
                self.b.ins().band(a, mask)
            }
            Bin::DivU32 | Bin::RemU32 | Bin::DivI32 | Bin::RemI32 => {
                self.lanewise(form, &[a, b], |e, v| e.divide(op, v[0], v[1], known))
            }
            Bin::And => self.b.ins().band(a, b),
            Bin::Or => self.b.ins().bor(a, b),
            Bin::Xor => self.b.ins().bxor(a, b),
            Bin::Shl | Bin::ShrU32 | Bin::ShrI32 => self.shift(op, form, a, b),
            Bin::Eq => self.compare(form, IntCC::Equal, a, b),
            Bin::Ne => self.compare(form, IntCC::NotEqual, a, b),
            Bin::LtI32 => self.compare(form, signed[0], a, b),
            Bin::LeI32 => self.compare(form, signed[1], a, b),
            Bin::LtU32 => self.compare(form, unsigned[0], a, b),
            Bin::LeU32 => self.compare(form, unsigned[1], a, b),
            Bin::MinI32 => self.b.ins().smin(a, b),
            Bin::MaxI32 => self.b.ins().smax(a, b),
            Bin::MinU32 => self.b.ins().umin(a, b),
            Bin::MaxU32 => self.b.ins().umax(a, b),
            Bin::AddF32 => self.of_floats(form, &[a, b], |e, v| e.b.ins().fadd(v[0], v[1])),
            Bin::SubF32 => self.of_floats(form, &[a, b], |e, v| e.b.ins().fsub(v[0], v[1])),
            Bin::MulF32 => self.of_floats(form, &[a, b], |e, v| e.b.ins().fmul(v[0], v[1])),
            Bin::DivF32 => self.of_floats(form, &[a, b], |e, v| e.b.ins().fdiv(v[0], v[1])),
            Bin::EqF32 => self.compare_floats(form, FloatCC::Equal, a, b),
            Bin::NeF32 => self.compare_floats(form, FloatCC::NotEqual, a, b),
            Bin::LtF32 => self.compare_floats(form, FloatCC::LessThan, a, b),
            Bin::LeF32 => self.compare_floats(form, FloatCC::LessThanOrEqual, a, b),
            Bin::MinF32 => self.extreme(form, true, [a, b], known),
            Bin::MaxF32 => self.extreme(form, false, [a, b], known),
            Bin::UnpackU8 => {
                let low = self.shift(Bin::ShrU32, form, a, b);
                let byte = self.word(form, 0xff);
                self.b.ins().band(low, byte)
            }
            Bin::UnpackI8 => {
                let low = self.shift(Bin::ShrU32, form, a, b);
                let high = self.shifted(form, Bin::Shl, low, 24);
                self.shifted(form, Bin::ShrI32, high, 24)
            }
            _ => return None,
        })
    }

    /// The less of two, or the greater: the first where the second is NaN or compares so with it. In the form that Cranelift
    /// has one instruction for.
    fn extreme(&mut self, form: Form, is_less: bool, [a, b]: [Value; 2], known: Option<u32>) -> Value {
        let [first, second] = [a, b].map(|value| self.float(form, value));
        let [low, high] = if is_less { [first, second] } else { [second, first] };
        let chosen = self.b.ins().fcmp(FloatCC::LessThan, low, high);
        let number = if form.is_vector() {
            let chosen = self.cast(form.float, chosen);
            self.b.ins().bitselect(chosen, first, second)
        } else {
            self.b.ins().select(chosen, first, second)
        };
        let number = self.bits_of(form, number);
        if known.is_some_and(|word| !f32::from_bits(word).is_nan()) {
            return number;
        }
        let nan = self.compare_floats(form, FloatCC::Unordered, b, b);
        self.b.ins().bitselect(nan, a, number)
    }

    /// As WGSL has it: by zero the dividend, or 0 as the rest; and so where the result would not fit.
    fn divide(&mut self, op: Bin, a: Value, b: Value, known: Option<u32>) -> Value {
        let signed = matches!(op, Bin::DivI32 | Bin::RemI32);
        let safe = known.is_some_and(|by| by != 0 && !(signed && by == u32::MAX));
        let divisor = if safe {
            b
        } else {
            let (zero, one) = (self.int(0), self.int(1));
            let mut bad = self.b.ins().icmp(IntCC::Equal, b, zero);
            if signed {
                let (least, minus) = (self.int(0x8000_0000), self.int(u32::MAX));
                let least = self.b.ins().icmp(IntCC::Equal, a, least);
                let minus = self.b.ins().icmp(IntCC::Equal, b, minus);
                let over = self.b.ins().band(least, minus);
                bad = self.b.ins().bor(bad, over);
            }
            self.b.ins().select(bad, one, b)
        };
        let ins = self.b.ins();
        match op {
            Bin::DivU32 => ins.udiv(a, divisor),
            Bin::RemU32 => ins.urem(a, divisor),
            Bin::DivI32 => ins.sdiv(a, divisor),
            _ => ins.srem(a, divisor),
        }
    }

    fn shift(&mut self, op: Bin, form: Form, a: Value, b: Value) -> Value {
        if form.is_vector() && self.b.func.dfg.value_type(b) != I32 {
            if op == Bin::Shl {
                // By two to the power of it, made from a float's exponent.
                let low = self.word(form, 31);
                let by = self.b.ins().band(b, low);
                let exponent = self.shifted(form, Bin::Shl, by, 23);
                let bias = self.word(form, 0x3f80_0000);
                let power = self.b.ins().iadd(exponent, bias);
                let power = self.float(form, power);
                let power = self.b.ins().fcvt_to_uint_sat(form.int, power);
                return self.b.ins().imul(a, power);
            }
            return self.lanewise(form, &[a, b], |e, v| e.shift(op, ONE, v[0], v[1]));
        }
        let low = self.int(31);
        let b = self.b.ins().band(b, low);
        let ins = self.b.ins();
        match op {
            Bin::Shl => ins.ishl(a, b),
            Bin::ShrU32 => ins.ushr(a, b),
            _ => ins.sshr(a, b),
        }
    }

    fn tern(&mut self, op: Tern, form: Form, [a, b, c]: [Value; 3], known: [Option<u32>; 2]) -> Option<Value> {
        Some(match op {
            Tern::Select => self.b.ins().bitselect(a, b, c),
            Tern::FmaF32 if self.has_fma => self.of_floats(form, &[a, b, c], |e, v| e.b.ins().fma(v[0], v[1], v[2])),
            Tern::MulAddF32 => self.of_floats(form, &[a, b, c], |e, v| {
                let product = e.b.ins().fmul(v[0], v[1]);
                e.b.ins().fadd(product, v[2])
            }),
            Tern::MulAddI32 => {
                let product = self.b.ins().imul(a, b);
                self.b.ins().iadd(product, c)
            }
            Tern::ClampI32 => {
                let low = self.b.ins().smax(a, b);
                self.b.ins().smin(low, c)
            }
            Tern::ClampU32 => {
                let low = self.b.ins().umax(a, b);
                self.b.ins().umin(low, c)
            }
            Tern::InsertByte => {
                let byte = self.shift(Bin::Shl, form, b, c);
                self.b.ins().bor(a, byte)
            }
            Tern::ExtractU32 | Tern::ExtractI32 => {
                let [Some(offset), Some(count)] = known else { return None };
                let offset = offset.min(32);
                let count = count.min(32 - offset);
                if count == 0 {
                    return Some(self.word(form, 0));
                }
                let high = self.shifted(form, Bin::Shl, a, 32 - offset - count);
                let down = if op == Tern::ExtractU32 { Bin::ShrU32 } else { Bin::ShrI32 };
                self.shifted(form, down, high, 32 - count)
            }
            _ => return None,
        })
    }
}
