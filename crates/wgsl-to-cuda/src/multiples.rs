//! What places and whole numbers are known to be multiples of: accesses of 16 bytes need not look then.

use super::functions::Body;
use naga::{BinaryOperator as B, CooperativeData, Expression, Handle, Literal, MathFunction as M, TypeInner};

/// Where every variable in memory begins at a multiple of, in bytes.
const VARIABLES: u32 = 16;

/// Larger powers of two are not distinguished.
const MOST: u32 = 1 << 12;

/// Operators that are looked through.
const DEPTH: u32 = 10;

impl Body<'_, '_> {
    /// Whether the place and the stride of a matrix are multiples of 16 bytes.
    pub(super) fn is_aligned(&self, data: &CooperativeData) -> bool {
        let bytes = match *self.inner(data.pointer) {
            TypeInner::Pointer { base, .. } => self.writer.size(base),
            TypeInner::ValuePointer { size, scalar, .. } => size.map_or(1, |size| size as u32) * scalar.width as u32,
            _ => return false,
        };
        self.place(data.pointer) >= VARIABLES && self.multiple(data.stride, DEPTH) * low_bit(bytes) >= VARIABLES
    }

    /// The power of two that an address is a multiple of.
    fn place(&self, pointer: Handle<Expression>) -> u32 {
        match self.function.expressions[pointer] {
            Expression::GlobalVariable(_) => VARIABLES,
            // An index that is clamped may become any.
            Expression::Access { base, index } if !self.writer.checked() => {
                let stride = low_bit(self.stride(base));
                self.place(base).min(self.multiple(index, DEPTH) * stride)
            }
            Expression::AccessIndex { base, index } if !self.writer.checked() => {
                let bytes = match self.pointed(base) {
                    TypeInner::Struct { members, .. } => members[index as usize].offset,
                    _ => index * self.stride(base),
                };
                self.place(base).min(low_bit(bytes))
            }
            _ => 1,
        }
    }

    fn pointed(&self, pointer: Handle<Expression>) -> &TypeInner {
        match *self.inner(pointer) {
            TypeInner::Pointer { base, .. } => self.writer.inner(base),
            ref inner => inner,
        }
    }

    /// Bytes from one element of an array to the next.
    fn stride(&self, base: Handle<Expression>) -> u32 {
        match *self.pointed(base) {
            TypeInner::Array { stride, .. } => stride,
            _ => 1,
        }
    }

    /// The power of two, up to [`MOST`], that a whole number is a multiple of. Wrapping does not affect this.
    fn multiple(&self, value: Handle<Expression>, depth: u32) -> u32 {
        if depth == 0 {
            return 1;
        }
        let of = |value| self.multiple(value, depth - 1);
        match self.function.expressions[value] {
            Expression::Literal(Literal::U32(x)) => low_bit(x),
            Expression::Literal(Literal::I32(x)) => low_bit(x as u32),
            Expression::Constant(constant) => {
                let init = self.writer.module.constants[constant].init;
                match self.writer.module.global_expressions[init] {
                    Expression::Literal(Literal::U32(x)) => low_bit(x),
                    _ => 1,
                }
            }
            Expression::Binary { op, left, right } => match op {
                B::Add | B::Subtract | B::Modulo | B::InclusiveOr | B::ExclusiveOr => of(left).min(of(right)),
                B::Multiply => (of(left) * of(right)).min(MOST),
                B::Divide => match self.function.expressions[right] {
                    Expression::Literal(Literal::U32(by)) if by.is_power_of_two() => (of(left) / by).max(1),
                    _ => 1,
                },
                B::And => of(left).max(of(right)),
                B::ShiftLeft => match self.function.expressions[right] {
                    Expression::Literal(Literal::U32(by)) => (of(left) << (by % 32).min(12)).min(MOST),
                    _ => of(left),
                },
                _ => 1,
            },
            Expression::Select { accept, reject, .. } => of(accept).min(of(reject)),
            Expression::Math { fun: M::Min | M::Max, arg, arg1: Some(other), .. } => of(arg).min(of(other)),
            _ => 1,
        }
    }
}

/// The power of two, up to [`MOST`], that a number is a multiple of.
fn low_bit(x: u32) -> u32 {
    (x | MOST) & (x | MOST).wrapping_neg()
}
