//! Methods of complex numbers: parts, polar form, functions.
//!
//! Accuracy is given in ULP of the parts' type against the exact result, of the result as a vector: `|got - exact|` is at most
//! so many times `|exact| * 2^-23`, of f64 `2^-52`. A part that is much smaller than the other may have no correct digit. Results past the largest
//! float are infinite or NaN, as those of an infinite argument, where nothing else is said.

use super::{Array, Operand};
use crate::array::shapes::axes::Axes;
use crate::element::Part;
use crosslane_core::op::Function;
use num_complex::Complex;

/// Methods of one argument: documentation, name, function, result, and an example: values in and out.
macro_rules! unary {
    ($part:ty: $($name:ident $function:ident -> $result:ty, $doc:literal, $given:literal => $gives:literal;)*) => {$(
        #[doc = $doc]
        ///
        /// ```
        /// # crosslane::example(|device| {
        /// use crosslane::Complex;
        #[doc = concat!("let z = crosslane::Array::from_slice(device, &[Complex::new", $given, "]);")]
        #[doc = concat!("assert_eq!(z.", stringify!($name), "().to_vec()?, [", $gives, "]);")]
        /// # Ok(()) });
        /// ```
        #[track_caller]
        pub fn $name(&self) -> Array<$result> {
            self.apply(Function::$function)
        }
    )*};
}

impl<R: Part> Array<Complex<R>> {
    /// Complex numbers from real and imaginary parts, broadcast together.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Complex};
    /// let z = Array::complex(&device.array([1.0f32, 2.0]), -1.0);
    /// assert_eq!(z.to_vec()?, [Complex::new(1.0, -1.0), Complex::new(2.0, -1.0)]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): shapes that do not broadcast; another device.
    #[track_caller]
    pub fn complex(re: &Array<R>, im: impl Operand<R>) -> Array<Complex<R>> {
        re.apply2(Function::Complex, im)
    }

    unary! { R:
        real Real -> R, "The real part.", "(3.0f32, -4.0)" => "3.0";
        imag Imag -> R, "The imaginary part.", "(3.0f32, -4.0)" => "-4.0";
        conj Conj -> Complex<R>, "The complex conjugate: the imaginary part with the other sign.", "(3.0f32, -4.0)" => "Complex::new(3.0, 4.0)";
        abs Absolute -> R, "The modulus, without overflow on the way, within 2 ULP; infinite if either part is.", "(3.0f32, -4.0)" => "5.0";
        sqrt Sqrt -> Complex<R>, "The square root with a real part of at least 0, within 4 ULP. The branch cut is the negative real axis; the sign of a zero imaginary part says on which side of it a number lies. Of f32 infinities are as in C99's Annex G.", "(-4.0f32, 0.0)" => "Complex::new(0.0, 2.0)";
        reciprocal Reciprocal -> Complex<R>, "1 / z, without overflow on the way, within 4 ULP.", "(0.0f32, 2.0)" => "Complex::new(0.0, -0.5)";
        is_nan IsNan -> bool, "Whether either part is not a number.", "(f32::NAN, 1.0)" => "true";
        is_infinite IsInfinite -> bool, "Whether either part is infinite.", "(f32::INFINITY, 1.0)" => "true";
        is_finite IsFinite -> bool, "Whether both parts are neither infinite nor NaN.", "(1.0f32, 1.0)" => "true";
    }

    /// The numbers raised to whole powers, by repeated multiplication: within `2 * |n|` ULP. A negative power is 1 divided by
    /// the positive one.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Complex};
    /// let i = Array::from_slice(device, &[Complex::new(0.0f32, 1.0)]);
    /// assert_eq!(i.powi(3).to_vec()?, [Complex::new(0.0, -1.0)]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): shapes that do not broadcast; another device.
    #[track_caller]
    pub fn powi(&self, n: impl Operand<i32>) -> Array<Complex<R>> {
        let n = n.into_array(self.device()).into_node();
        let at = std::panic::Location::caller();
        Array::of(super::elementwise::call(Function::PowI, &[n, self.node.clone()], at))
    }

    /// The mean of all elements; NaN for no elements.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Complex};
    /// let z = Array::from_slice(device, &[Complex::new(1.0f32, 2.0), Complex::new(3.0, -4.0)]);
    /// assert_eq!(z.mean().item()?, Complex::new(2.0, -1.0));
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn mean(&self) -> Array<Complex<R>> {
        self.mean_axes(..)
    }

    /// The mean over some axes ([`Axes`]): that of each part.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Complex};
    /// let z = Array::from_slice(device, &[Complex::new(1.0f32, 2.0), Complex::new(3.0, -4.0)]).reshape(&[2, 1]);
    /// assert_eq!(z.mean_axes(0).to_vec()?, [Complex::new(2.0, -1.0)]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an axis out of range, or given twice.
    #[track_caller]
    pub fn mean_axes(&self, axes: impl Into<Axes>) -> Array<Complex<R>> {
        let axes = axes.into();
        Array::complex(&self.real().mean_axes(axes.clone()), self.imag().mean_axes(axes))
    }

    /// The square of the modulus: `re * re + im * im`, without a square root.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Complex};
    /// assert_eq!(Array::from_slice(device, &[Complex::new(3.0f32, 4.0)]).norm_squared().to_vec()?, [25.0]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn norm_squared(&self) -> Array<R> {
        self.real().square() + self.imag().square()
    }

    /// The Euclidean length: the square root of the sum of the squared moduli.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Complex};
    /// let z = Array::from_slice(device, &[Complex::new(1.0f32, 2.0), Complex::new(-2.0, 4.0)]);
    /// assert_eq!(z.norm().item()?, 5.0);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn norm(&self) -> Array<R> {
        self.norm_squared().sum().sqrt()
    }
}

impl<R: Part> Array<Complex<R>> {
    /// Complex numbers from moduli and angles in radians, broadcast together; within 3 ULP.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Complex};
    /// assert_eq!(Array::polar(&device.array([2.0f32]), 0.0).to_vec()?, [Complex::new(2.0, 0.0)]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): shapes that do not broadcast; another device.
    #[track_caller]
    pub fn polar(modulus: &Array<R>, angle: impl Operand<R>) -> Array<Complex<R>> {
        modulus.apply2(Function::Polar, angle)
    }

    unary! { R:
        arg Arg -> R, "The angle, from -pi to pi, within 2 ULP.", "(0.0f32, 1.0)" => "std::f32::consts::FRAC_PI_2";
        exp Exp -> Complex<R>, "e to the power z, within 6 ULP. Infinities are as in C99's Annex G.", "(0.0f32, 0.0)" => "Complex::new(1.0, 0.0)";
        ln Ln -> Complex<R>, "The natural logarithm, within 4 ULP. The branch cut is the negative real axis, as [`Array::sqrt`]'s.", "(1.0f32, 0.0)" => "Complex::new(0.0, 0.0)";
    }

    /// The numbers raised to complex powers: `e^(other * ln(self))`. The error in ULP is about 10 and twice the absolute value
    /// of `other * ln(self)`. Any number to the power 0 is 1; 0 to another power is 0 if the power's real part is positive, else
    /// NaN.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::{Array, Complex};
    /// let z = Array::from_slice(device, &[Complex::new(0.0f32, 1.0)]);
    /// assert!((z.pow(Complex::new(2.0, 0.0)).item()? - Complex::new(-1.0, 0.0)).norm() < 1e-6);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): shapes that do not broadcast; another device.
    #[track_caller]
    pub fn pow(&self, other: impl Operand<Complex<R>>) -> Array<Complex<R>> {
        self.apply2(Function::Pow, other)
    }
}
