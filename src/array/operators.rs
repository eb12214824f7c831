//! Operators: `+ - * / %` and negation, bits and masks, with arrays and scalars on either side, and in place, where the
//! array keeps its shape.

use super::{Array, Operand};
use crate::element::{Arithmetic, Element, Integer, Number};
use crosslane_core::error::Error;
use crosslane_core::op::Function;
use half::f16;
use num_complex::Complex;
use std::ops::*;
use std::panic::Location;

/// A binary operator over every pairing of references, values and scalars.
macro_rules! binary {
    ($($kind:ident $trait:ident $method:ident $assign_trait:ident $assign:ident $function:ident, $doc:literal;)*) => {$(
        binary!(impl $kind $trait $method $function $doc; &Array<T>, &Array<T>);
        binary!(impl $kind $trait $method $function $doc; &Array<T>, Array<T>);
        binary!(impl $kind $trait $method $function $doc; Array<T>, &Array<T>);
        binary!(impl $kind $trait $method $function $doc; Array<T>, Array<T>);
        binary!(impl $kind $trait $method $function $doc; &Array<T>, T);
        binary!(impl $kind $trait $method $function $doc; Array<T>, T);
        binary!(assign $kind $assign_trait $assign $function; &Array<T>);
        binary!(assign $kind $assign_trait $assign $function; Array<T>);
        binary!(assign $kind $assign_trait $assign $function; T);
    )*};
    (impl $kind:ident $trait:ident $method:ident $function:ident $doc:literal; $left:ty, $right:ty) => {
        impl<T: $kind> $trait<$right> for $left {
            type Output = Array<T>;
            #[doc = $doc]
            #[track_caller]
            fn $method(self, other: $right) -> Array<T> {
                self.apply2(Function::$function, other)
            }
        }
    };
    (assign $kind:ident $trait:ident $method:ident $function:ident; $right:ty) => {
        impl<T: $kind> $trait<$right> for Array<T> {
            #[track_caller]
            fn $method(&mut self, other: $right) {
                self.assign2(Function::$function, other);
            }
        }
    };
}

binary! {
    Arithmetic Add add AddAssign add_assign Add,
        "Element by element, broadcast together. Integers wrap.";
    Arithmetic Sub sub SubAssign sub_assign Subtract,
        "Element by element, broadcast together. Integers wrap.";
    Arithmetic Mul mul MulAssign mul_assign Multiply,
        "Element by element, broadcast together; [`Array::matmul`] is the matrix product. Integers wrap.";
    Arithmetic Div div DivAssign div_assign Divide,
        "Element by element, broadcast together. Integers are divided towards zero; of them `i / 0` is `i`, and the smallest divided by -1 is itself. NumPy's `//` rounds down: [`Array::floor_divide`].";
    Number Rem rem RemAssign rem_assign Remainder,
        "The remainder of a division, element by element, with the sign of the left side as in Rust. NumPy's `%` has the sign of the right side: [`Array::modulo`]. Exact for all finite floats, as in C; of integers `i % 0` is 0.";
    Integer BitAnd bitand BitAndAssign bitand_assign And,
        "Bit by bit, element by element, broadcast together.";
    Integer BitOr bitor BitOrAssign bitor_assign Or,
        "Bit by bit, element by element, broadcast together.";
    Integer BitXor bitxor BitXorAssign bitxor_assign Xor,
        "Bit by bit, element by element, broadcast together.";
    Integer Shl shl ShlAssign shl_assign ShiftLeft,
        "Shift left, element by element. Counts are taken modulo the width: `1u32 << 33` is 2 where Rust panics and NumPy gives 0.";
    Integer Shr shr ShrAssign shr_assign ShiftRight,
        "Shift right, element by element. Counts are taken modulo the width. Signed integers keep their sign.";
}

impl<T: Element> Array<T> {
    /// What a compound operator does: the array keeps its shape, or the mistake.
    #[track_caller]
    pub(super) fn assign2(&mut self, function: Function, other: impl Operand<T>) {
        let at = Location::caller();
        let result: Array<T> = self.apply2(function, other);
        *self = match result.shape() == self.shape() || result.node.error().is_some() {
            true => result,
            false => {
                let wanted = format!("a shape that broadcasts to {:?}, which the array keeps", self.shape());
                let operation = function.name();
                let got = format!("a result of shape {:?}", result.shape());
                Array::failed(self.device(), Error::argument(operation, "shape of the operand", wanted, got, at))
            }
        };
    }
}

/// A scalar on the left.
macro_rules! scalar_left {
    ($($type:ty: $($trait:ident $method:ident $function:ident),*;)*) => {$($(
        impl $trait<&Array<$type>> for $type {
            type Output = Array<$type>;
            #[track_caller]
            fn $method(self, other: &Array<$type>) -> Array<$type> {
                self.into_array(other.device()).apply2(Function::$function, other)
            }
        }
        impl $trait<Array<$type>> for $type {
            type Output = Array<$type>;
            #[track_caller]
            fn $method(self, other: Array<$type>) -> Array<$type> {
                self.into_array(other.device()).apply2(Function::$function, &other)
            }
        }
    )*)*};
}

scalar_left! {
    f16: Add add Add, Sub sub Subtract, Mul mul Multiply, Div div Divide, Rem rem Remainder;
    f32: Add add Add, Sub sub Subtract, Mul mul Multiply, Div div Divide, Rem rem Remainder;
    f64: Add add Add, Sub sub Subtract, Mul mul Multiply, Div div Divide, Rem rem Remainder;
    i32: Add add Add, Sub sub Subtract, Mul mul Multiply, Div div Divide, Rem rem Remainder;
    i64: Add add Add, Sub sub Subtract, Mul mul Multiply, Div div Divide, Rem rem Remainder;
    u32: Add add Add, Sub sub Subtract, Mul mul Multiply, Div div Divide, Rem rem Remainder;
    u64: Add add Add, Sub sub Subtract, Mul mul Multiply, Div div Divide, Rem rem Remainder;
    Complex<f32>: Add add Add, Sub sub Subtract, Mul mul Multiply, Div div Divide;
    Complex<f64>: Add add Add, Sub sub Subtract, Mul mul Multiply, Div div Divide;
    i32: BitAnd bitand And, BitOr bitor Or, BitXor bitxor Xor, Shl shl ShiftLeft, Shr shr ShiftRight;
    i64: BitAnd bitand And, BitOr bitor Or, BitXor bitxor Xor, Shl shl ShiftLeft, Shr shr ShiftRight;
    u32: BitAnd bitand And, BitOr bitor Or, BitXor bitxor Xor, Shl shl ShiftLeft, Shr shr ShiftRight;
    u64: BitAnd bitand And, BitOr bitor Or, BitXor bitxor Xor, Shl shl ShiftLeft, Shr shr ShiftRight;
    bool: BitAnd bitand And, BitOr bitor Or, BitXor bitxor Xor;
}

impl<T: Arithmetic> Neg for &Array<T> {
    type Output = Array<T>;
    #[track_caller]
    fn neg(self) -> Array<T> {
        self.apply(Function::Negate)
    }
}

impl<T: Arithmetic> Neg for Array<T> {
    type Output = Array<T>;
    #[track_caller]
    fn neg(self) -> Array<T> {
        self.apply(Function::Negate)
    }
}

impl<T: Integer> Not for Array<T> {
    type Output = Array<T>;
    #[track_caller]
    fn not(self) -> Array<T> {
        self.apply(Function::Not)
    }
}

impl<T: Integer> Not for &Array<T> {
    type Output = Array<T>;
    #[track_caller]
    fn not(self) -> Array<T> {
        self.apply(Function::Not)
    }
}
