//! Numbers in parts, and what is no number replaced: `frexp`, `ldexp`, `divmod`, `nan_to_num`.

use super::Array;
use super::elementwise::{Operand, call};
use crate::element::{DType, Float, Number};
use crosslane_core::op::{Function, Value};
use std::panic::Location;

impl<T: Number> Array<T> {
    /// The quotient rounded down and the remainder with the sign of the divisor: [`Array::floor_divide`] and
    /// [`Array::modulo`], with their bounds. NumPy's `divmod`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[7, -7]);
    /// let (quotients, remainders) = x.divmod(3);
    /// assert_eq!((quotients.to_vec()?, remainders.to_vec()?), (vec![2, -3], vec![1, 2]));
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn divmod(&self, other: impl Operand<T>) -> (Array<T>, Array<T>) {
        let other = other.into_array(self.device());
        (self.floor_divide(&other), self.modulo(&other))
    }
}

impl<T: Float> Array<T> {
    /// Mantissas `m`, where 1/2 <= |m| < 1, and exponents `e` such that `x = m * 2^e`; exact, of denormal numbers too. 0,
    /// infinities and NaN stay, with the exponent 0. NumPy's `frexp`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[-3.0f32, 0.0, 1024.0]);
    /// let (mantissas, exponents) = x.frexp();
    /// assert_eq!((mantissas.to_vec()?, exponents.to_vec()?), (vec![-0.75, 0.0, 0.5], vec![2, 0, 11]));
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn frexp(&self) -> (Array<T>, Array<i32>) {
        (self.apply(Function::Mantissa), self.apply(Function::Exponent))
    }

    /// `self * 2^exponent`, rounded once: exact where the result is a normal number, or the nearest denormal one. NumPy's
    /// `ldexp`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[0.75f32, -1.0]);
    /// assert_eq!(x.ldexp(2).to_vec()?, [3.0, -4.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): shapes that do not broadcast; another device.
    #[track_caller]
    pub fn ldexp(&self, exponent: impl Operand<i32>) -> Array<T> {
        let exponent = exponent.into_array(self.device()).into_node();
        Array::of(call(Function::LdExp, &[exponent, self.node.clone()], Location::caller()))
    }

    /// NaN becomes 0, infinities the largest and the smallest number of the type. NumPy's `nan_to_num`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[f32::NAN, 1.5, f32::NEG_INFINITY]);
    /// assert_eq!(x.nan_to_num().to_vec()?, [0.0, 1.5, f32::MIN]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn nan_to_num(&self) -> Array<T> {
        let most = match T::DTYPE {
            DType::F16 => 65504.0,
            DType::F32 => f32::MAX as f64,
            _ => f64::MAX,
        };
        let of = |value: f64| T::from_scalar(Value::Float(value).scalar(T::DTYPE));
        self.nan_to_num_with(of(0.0), of(most), of(-most))
    }

    /// NaN, infinity and minus infinity replaced by a number or an array's elements each.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[f32::NAN, f32::INFINITY, f32::NEG_INFINITY]);
    /// assert_eq!(x.nan_to_num_with(-1.0, 9.0, 0.0).to_vec()?, [-1.0, 9.0, 0.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): shapes that do not broadcast; another device.
    #[track_caller]
    pub fn nan_to_num_with(
        &self,
        nan: impl Operand<T>,
        infinite: impl Operand<T>,
        negative: impl Operand<T>,
    ) -> Array<T> {
        let ends = self.signbit().select(negative, infinite);
        self.is_nan().select(nan, self.is_infinite().select(ends, self))
    }
}
