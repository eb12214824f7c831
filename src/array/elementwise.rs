//! Elementwise functions as methods. Each fuses with the operations before and after it into one kernel.
//!
//! Accuracy is given in ULP of f32 against the exact result; measured on every device by the tests. f16 goes through
//! f32 and is rounded once. f64 is computed in software; it keeps the same bounds in its own ULP, for arguments of any
//! size, and mostly better ones: [the guide](crate::guide) has them.
//!
//! A device may flush denormal f32, below 2^-126, to 0 in any arithmetic. Functions without arithmetic keep them:
//! negation, `abs`, `copysign`, comparisons, `minimum` and its kin, `clamp`, `relu`, `sign`, `select`, `is_nan` and its
//! kin, `nextafter`, `signbit`, `frexp`, `ldexp`, `nan_to_num`, and the
//! casts to `bool` and `f64`.

use super::{Array, create};
use crate::device::Device;
use crate::element::{Arithmetic, DType, Element, Float, Integer, Number, Transcendental};
use crate::graph::{Expr, Node, broadcast};
use crosslane_core::error::{CallSite, Error};
use crosslane_core::layout::broadcast_shapes;
use crosslane_core::op::Function;
use std::panic::Location;
use std::sync::Arc;

/// The second argument of an elementwise function: an array, by reference or by value, or a scalar.
pub trait Operand<T: Element> {
    /// As an array; a scalar becomes one of rank 0 on this device.
    #[doc(hidden)]
    fn into_array(self, device: &Device) -> Array<T>;
}

impl<T: Element> Operand<T> for T {
    fn into_array(self, device: &Device) -> Array<T> {
        Array::of(Node::lazy(device, vec![], T::DTYPE, Expr::Constant(self.scalar())))
    }
}

impl<T: Element> Operand<T> for &Array<T> {
    fn into_array(self, _: &Device) -> Array<T> {
        self.clone()
    }
}

impl<T: Element> Operand<T> for Array<T> {
    fn into_array(self, _: &Device) -> Array<T> {
        self
    }
}

/// A function over nodes, broadcast to one shape. Mistakes end up in the node.
pub(crate) fn call(function: Function, args: &[Arc<Node>], at: CallSite) -> Arc<Node> {
    let dtype = args.last().expect("a function has arguments").dtype;
    let device = &args[0].device;
    let fail = |error| Node::failed(device, function.result(dtype), error);
    if let Some(error) = args.iter().find_map(|arg| arg.error()) {
        return fail(error);
    }
    if let Some(other) = args.iter().find(|arg| arg.device != *device) {
        let (wanted, got) = (format!("{device:?}"), format!("{:?}", other.device));
        return fail(Error::argument(function.name(), "device", wanted, got, at));
    }
    debug_assert!(function.exists(dtype), "{} of {dtype} is a method that has no kernel", function.name());
    let shapes: Vec<&[usize]> = args.iter().map(|arg| arg.shape.as_slice()).collect();
    let Some(shape) = broadcast_shapes(&shapes) else {
        let got = shapes.iter().map(|shape| format!("{shape:?}")).collect::<Vec<_>>().join(" and ");
        return fail(Error::argument(function.name(), "shapes", "shapes that broadcast together", got, at));
    };
    if let Err(error) = create::fits(function.name(), dtype, &shape, at) {
        return fail(error);
    }
    let args = args.iter().map(|arg| broadcast(arg, &shape)).collect();
    Node::lazy(device, shape, function.result(dtype), Expr::Call(function, args))
}

impl<T: Element> Array<T> {
    #[track_caller]
    pub(crate) fn apply<R: Element>(&self, function: Function) -> Array<R> {
        Array::of(call(function, std::slice::from_ref(&self.node), Location::caller()))
    }

    #[track_caller]
    pub(crate) fn apply2<R: Element>(&self, function: Function, other: impl Operand<T>) -> Array<R> {
        Array::of(call(function, &[self.node.clone(), other.into_array(self.device()).into_node()], Location::caller()))
    }

    /// The elements in another type, converted as Rust's `as` does: floats to integers saturate and NaN becomes 0,
    /// integers wrap, anything but zero is `true`. Every result is rounded once. A real number becomes a complex one without
    /// an imaginary part; a complex number becomes real by its real part.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let x = Array::from_slice(device, &[-1.5f32, 0.0, 300.7, f32::NAN]);
    /// assert_eq!(x.cast::<i32>().to_vec()?, [-1, 0, 300, 0]);
    /// assert_eq!(x.cast::<u8>().to_vec()?, [0, 0, 255, 0]);
    /// assert_eq!(x.cast::<bool>().to_vec()?, [true, false, true, true]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): the device does not have the type.
    #[track_caller]
    pub fn cast<R: Element>(&self) -> Array<R> {
        let node = &*self.node;
        if let Some(error) = node.error() {
            return Array::failed(self.device(), error);
        }
        if R::DTYPE == T::DTYPE {
            return Array::of(node.clone());
        }
        match create::check::<R>("cast", self.device(), self.shape(), Location::caller()) {
            Err(error) => Array::failed(self.device(), error),
            Ok(()) => Array::of(Node::lazy(self.device(), node.shape.clone(), R::DTYPE, Expr::Cast(node.clone()))),
        }
    }

    /// Equal, element by element. NaN is not equal to anything.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1, 2]);
    /// assert_eq!(x.equal(2).to_vec()?, [false, true]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn equal(&self, other: impl Operand<T>) -> Array<bool> {
        self.apply2(Function::Equal, other)
    }

    /// Not equal, element by element. NaN is not equal to anything.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1.0f32, f32::NAN]);
    /// assert_eq!(x.not_equal(&x).to_vec()?, [false, true]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn not_equal(&self, other: impl Operand<T>) -> Array<bool> {
        self.apply2(Function::NotEqual, other)
    }
}

impl Array<bool> {
    /// The first value where the mask is true, the second where it is not; all three broadcast. NumPy's `where`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let x = Array::from_slice(device, &[-1.0f32, 2.0]);
    /// let zero = x.zeros_like();
    /// assert_eq!(x.less(0.0).select(&zero, &x).to_vec()?, [0.0, 2.0]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn select<T: Element>(&self, then: impl Operand<T>, otherwise: impl Operand<T>) -> Array<T> {
        let args = [
            self.node.clone(),
            then.into_array(self.device()).into_node(),
            otherwise.into_array(self.device()).into_node(),
        ];
        Array::of(call(Function::Select, &args, Location::caller()))
    }
}

impl<T: Arithmetic> Array<T> {
    /// `self * factor + summand`; for floats the device may or may not round in between. For f32 at most half an ULP of the
    /// product more than a fused one.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[1.0f32, 2.0]);
    /// assert_eq!(x.multiply_add(3.0, 1.0).to_vec()?, [4.0, 7.0]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn multiply_add(&self, factor: impl Operand<T>, summand: impl Operand<T>) -> Array<T> {
        let args = [
            self.node.clone(),
            factor.into_array(self.device()).into_node(),
            summand.into_array(self.device()).into_node(),
        ];
        Array::of(call(Function::MultiplyAdd, &args, Location::caller()))
    }
}

impl<T: Number> Array<T> {
    /// The value limited to `low..=high`; NaN stays NaN.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[-3, 1, 9]);
    /// assert_eq!(x.clamp(0, 5).to_vec()?, [0, 1, 5]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn clamp(&self, low: impl Operand<T>, high: impl Operand<T>) -> Array<T> {
        self.maximum(low).minimum(high)
    }
}

impl<T: Float> Array<T> {
    /// `self + (to - self) * at`, element by element. Where `to - self` overflows: `self * (1 - at) + to * at`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[0.0f32, 4.0]);
    /// assert_eq!(x.lerp(8.0, 0.25).to_vec()?, [2.0, 5.0]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn lerp(&self, to: impl Operand<T>, at: impl Operand<T>) -> Array<T> {
        let args =
            [self.node.clone(), to.into_array(self.device()).into_node(), at.into_array(self.device()).into_node()];
        Array::of(call(Function::Lerp, &args, Location::caller()))
    }

    /// 1 where positive, 0 where negative, `at_zero` at zero.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[-2.0f32, 0.0, 3.0]);
    /// assert_eq!(x.heaviside(0.5).to_vec()?, [0.0, 0.5, 1.0]);
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn heaviside(&self, at_zero: impl Operand<T>) -> Array<T> {
        self.apply2(Function::Heaviside, at_zero)
    }
}

impl<T: Transcendental> Array<T> {
    /// The regularised incomplete beta function I_x(a, b) of these x from 0 to 1; SciPy's `betainc(a, b, x)`. By its continued
    /// fraction (DLMF 8.17.22), for a and b from 10^-30 to 10^4, of which it takes up to 200 turns, 400 of f64. Off by at most
    /// 60 + a + b + 2 |ln I| ULP of the result, of 1 where x > (a + 1) / (a + b + 2). 1 for a = 0, 0 for b = 0, NaN for both,
    /// and where an argument lies outside.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_slice(device, &[0.0f32, 0.5, 1.0]);
    /// crosslane::assert_close(&x.betainc(2.0, 3.0).to_vec()?, &[0.0, 0.6875, 1.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): shapes that do not broadcast; another device.
    #[track_caller]
    pub fn betainc(&self, a: impl Operand<T>, b: impl Operand<T>) -> Array<T> {
        let args =
            [a.into_array(self.device()).into_node(), b.into_array(self.device()).into_node(), self.node.clone()];
        Array::of(call(Function::BetaInc, &args, Location::caller()))
    }
}

/// Methods of one argument: documentation, name, function, result, and an example: values in and out.
macro_rules! unary {
    ($kind:ident: $($name:ident $function:ident -> $result:ty, $doc:literal, $given:literal => $gives:literal;)*) => {
        impl<T: $kind> Array<T> {$(
            #[doc = $doc]
            ///
            /// ```
            /// # crosslane::example(|device| {
            #[doc = concat!("let x = crosslane::Array::from_slice(device, &", $given, ");")]
            #[doc = concat!("crosslane::assert_close(&x.", stringify!($name), "().to_vec()?, &", $gives, ");")]
            /// # Ok(()) });
            /// ```
            #[track_caller]
            pub fn $name(&self) -> Array<$result> {
                self.apply(Function::$function)
            }
        )*}
    };
}

/// Methods of two arguments, the second an array or a scalar.
macro_rules! binary {
    ($kind:ident: $($name:ident $function:ident -> $result:ty, $doc:literal, $given:literal, $other:literal => $gives:literal;)*) => {
        impl<T: $kind> Array<T> {$(
            #[doc = $doc]
            ///
            /// ```
            /// # crosslane::example(|device| {
            #[doc = concat!("let x = crosslane::Array::from_slice(device, &", $given, ");")]
            #[doc = concat!("crosslane::assert_close(&x.", stringify!($name), "(", $other, ").to_vec()?, &", $gives, ");")]
            /// # Ok(()) });
            /// ```
            #[track_caller]
            pub fn $name(&self, other: impl Operand<T>) -> Array<$result> {
                self.apply2(Function::$function, other)
            }
        )*}
    };
}

unary! { Number:
    abs Absolute -> T, "The absolute value; the smallest integer stays itself.", "[-2, 3]" => "[2, 3]";
    sign Sign -> T, "-1, 0 or 1, which -0 gives too; NaN stays.", "[-2.5f32, 0.0, 9.0]" => "[-1.0, 0.0, 1.0]";
    relu Relu -> T, "The value, or 0 where it is negative; NaN stays.", "[-1.0f32, 2.0]" => "[0.0, 2.0]";
}

unary! { Arithmetic:
    square Square -> T, "The square.", "[3, -4]" => "[9, 16]";
}

unary! { Integer:
    count_ones CountOnes -> u32, "How many bits are set.", "[7u32, 0]" => "[3, 0]";
    leading_zeros LeadingZeros -> u32, "The number of leading zero bits.", "[1u32, 0]" => "[31, 32]";
    trailing_zeros TrailingZeros -> u32, "The number of trailing zero bits.", "[8u32, 0]" => "[3, 32]";
    reverse_bits ReverseBits -> T, "The bits in reverse order.", "[1u32]" => "[0x8000_0000]";
}

unary! { Float:
    reciprocal Reciprocal -> T, "1 / x, within 2.5 ULP.", "[2.0f32, -4.0]" => "[0.5, -0.25]";
    sqrt Sqrt -> T, "The square root, within 3 ULP; NaN where negative.", "[4.0f32, 2.25]" => "[2.0, 1.5]";
    rsqrt ReciprocalSqrt -> T, "1 / the square root, within 2 ULP.", "[4.0f32, 0.25]" => "[0.5, 2.0]";
    floor Floor -> T, "The largest whole number that is not larger.", "[1.5f32, -1.5]" => "[1.0, -2.0]";
    ceil Ceil -> T, "The smallest whole number that is not smaller.", "[1.5f32, -1.5]" => "[2.0, -1.0]";
    round Round -> T, "The nearest whole number, ties to even.", "[0.5f32, 1.5, -2.5]" => "[0.0, 2.0, -2.0]";
    trunc Trunc -> T, "The whole part.", "[1.7f32, -1.7]" => "[1.0, -1.0]";
    fract Fract -> T, "The fractional part, with the sign of the value.", "[1.75f32, -1.75]" => "[0.75, -0.75]";
    to_degrees Degrees -> T, "Radians to degrees, within 1 ULP.", "[3.1415927f32]" => "[180.0]";
    to_radians Radians -> T, "Degrees to radians, within 1 ULP.", "[180.0f32]" => "[3.1415927]";
    signbit SignBit -> bool, "Whether the sign bit is set: of -0 too. The sign of NaN may get lost on the way.", "[1.0f32, -0.0]" => "[false, true]";
    is_nan IsNan -> bool, "Whether it is not a number.", "[0.0f32, f32::NAN]" => "[false, true]";
    is_infinite IsInfinite -> bool, "Whether it is infinite.", "[0.0f32, f32::INFINITY]" => "[false, true]";
    is_finite IsFinite -> bool, "Whether it is neither infinite nor NaN.", "[0.0f32, f32::NAN]" => "[true, false]";
}

unary! { Transcendental:
    cbrt Cbrt -> T, "The cube root, within 2 ULP.", "[8.0f32, -27.0]" => "[2.0, -3.0]";
    exp Exp -> T, "e to the power x, within 2 ULP.", "[0.0f32, 1.0]" => "[1.0, 2.7182817]";
    exp2 Exp2 -> T, "2 to the power x, within 2 ULP.", "[3.0f32, -1.0]" => "[8.0, 0.5]";
    exp_m1 ExpM1 -> T, "e to the power x, less 1: within 2 ULP near 0 too.", "[0.0f32, 1.0]" => "[0.0, 1.7182818]";
    ln Ln -> T, "The natural logarithm, within 1 ULP.", "[1.0f32, 2.7182817]" => "[0.0, 1.0]";
    log2 Log2 -> T, "The logarithm to base 2, within 2 ULP.", "[8.0f32, 0.5]" => "[3.0, -1.0]";
    log10 Log10 -> T, "The logarithm to base 10, within 2 ULP.", "[1000.0f32, 0.1]" => "[3.0, -1.0]";
    ln_1p Ln1P -> T, "The natural logarithm of 1 + x: within 2 ULP near 0 too.", "[0.0f32, 1.7182817]" => "[0.0, 1.0]";
    sin Sin -> T, "The sine, within 2 ULP for any angle.", "[0.0f32, 1.5707964]" => "[0.0, 1.0]";
    cos Cos -> T, "The cosine, within 2 ULP for any angle.", "[0.0f32, 3.1415927]" => "[1.0, -1.0]";
    tan Tan -> T, "The tangent, within 3 ULP for any angle.", "[0.0f32, 0.7853982]" => "[0.0, 1.0]";
    asin Asin -> T, "The arc sine, within 3 ULP.", "[0.0f32, 1.0]" => "[0.0, 1.5707964]";
    acos Acos -> T, "The arc cosine, within 2 ULP.", "[1.0f32, -1.0]" => "[0.0, 3.1415927]";
    atan Atan -> T, "The arc tangent, within 3 ULP.", "[0.0f32, 1.0]" => "[0.0, 0.7853982]";
    sinc Sinc -> T, "sin(pi x) / (pi x), 1 at 0; within 3 ULP.", "[0.0f32, 0.5]" => "[1.0, 0.6366198]";
    sinh Sinh -> T, "The hyperbolic sine, within 2 ULP.", "[0.0f32, 1.0]" => "[0.0, 1.1752012]";
    cosh Cosh -> T, "The hyperbolic cosine, within 2 ULP.", "[0.0f32, 1.0]" => "[1.0, 1.5430806]";
    tanh Tanh -> T, "The hyperbolic tangent, within 2 ULP.", "[0.0f32, 1.0]" => "[0.0, 0.7615942]";
    asinh Asinh -> T, "The inverse hyperbolic sine, within 3 ULP.", "[0.0f32, 1.1752012]" => "[0.0, 1.0]";
    acosh Acosh -> T, "The inverse hyperbolic cosine, within 3 ULP; NaN below 1.", "[1.0f32, 1.5430806]" => "[0.0, 1.0]";
    atanh Atanh -> T, "The inverse hyperbolic tangent, within 3 ULP; NaN outside -1..1.", "[0.0f32, 0.7615942]" => "[0.0, 1.0]";
    erf Erf -> T, "The error function, within 2 ULP.", "[0.0f32, 1.0]" => "[0.0, 0.8427008]";
    erfc Erfc -> T, "1 less the error function, within 5 ULP for large x too.", "[0.0f32, 1.0]" => "[1.0, 0.15729921]";
    erfinv ErfInv -> T, "The inverse of [`Array::erf`], within 4 ULP; infinite at 1 and -1, NaN outside.", "[0.0f32, 0.5]" => "[0.0, 0.4769363]";
    erfcinv ErfcInv -> T, "The inverse of [`Array::erfc`], within 4 ULP for small x too; infinite at 0 and 2, NaN outside.", "[1.0f32, 0.5]" => "[0.0, 0.4769363]";
    gamma Gamma -> T, "The gamma function (SciPy's `gamma`), within 6 ULP; NaN at negative whole numbers, infinite at 0.", "[5.0f32, -0.5]" => "[24.0, -3.5449078]";
    lgamma LGamma -> T, "The natural logarithm of the absolute value of the gamma function (SciPy's `gammaln`), within 6 ULP for x >= 0, near its zeros at 1 and 2 too; below 0 it is off by 6 ULP of the largest of 1, its value and that at -x. Infinite at whole numbers up to 0, and at both infinities as in C.", "[1.0f32, 5.0]" => "[0.0, 3.1780539]";
    digamma Digamma -> T, "The derivative of [`Array::lgamma`] (SciPy's `digamma`), within 6 ULP for x > 0, near its zero at 1.46 too; below 0 it is off by 6 ULP of the largest of 1, its value and pi cot(pi x). NaN at negative whole numbers, infinite at 0.", "[1.0f32, 0.5]" => "[-0.5772157, -1.96351]";
    i0 I0 -> T, "The modified Bessel function of the first kind of order 0 (NumPy's and SciPy's `i0`), within 6 ULP; infinite at infinities, where theirs is NaN.", "[0.0f32, 1.0]" => "[1.0, 1.2660659]";
    i1 I1 -> T, "The modified Bessel function of the first kind of order 1 (SciPy's `i1`), within 6 ULP; infinite at infinities, with their sign.", "[0.0f32, -1.0]" => "[0.0, -0.5651591]";
    j0 J0 -> T, "The Bessel function of the first kind of order 0, by modulus and phase for large x (Harrison, 2009). Off by 6 ULP of the largest of its value and the height of its wave, sqrt(2 / (pi |x|)): its zeros have an absolute error. Of f32 up to 1e37, where 1 / x is a normal number. 0 at infinities, where SciPy's `j0` is NaN.", "[0.0f32, 2.0]" => "[1.0, 0.22389078]";
    j1 J1 -> T, "The Bessel function of the first kind of order 1, with the bounds of [`Array::j0`]; within 6 ULP of its value up to 1. 0 at infinities, where SciPy's `j1` is NaN.", "[0.0f32, -2.0]" => "[0.0, -0.5767248]";
    sigmoid Sigmoid -> T, "1 / (1 + e to the power -x), within 3 ULP.", "[0.0f32, 2.0]" => "[0.5, 0.8807971]";
    gelu Gelu -> T, "x times the normal distribution up to x (Hendrycks and Gimpel, 2016), within 6 ULP.", "[0.0f32, 1.0]" => "[0.0, 0.8413447]";
    gelu_tanh GeluTanh -> T, "gelu by the tanh approximation of the same paper; within 3 ULP from -1 on, 35 from -5, 240 from -10, 0 below; f64 within 3 everywhere.", "[0.0f32, 1.0]" => "[0.0, 0.841192]";
    softplus Softplus -> T, "ln(1 + e to the power x), without overflow, within 3 ULP.", "[0.0f32, 100.0]" => "[0.6931472, 100.0]";
}

binary! { Number:
    less Less -> bool, "Less, element by element; false for NaN.", "[1, 2]", "2" => "[true, false]";
    less_equal LessEqual -> bool, "Less or equal; false for NaN.", "[1, 3]", "2" => "[true, false]";
    greater Greater -> bool, "Greater; false for NaN.", "[1, 3]", "2" => "[false, true]";
    greater_equal GreaterEqual -> bool, "Greater or equal; false for NaN.", "[1, 2]", "2" => "[false, true]";
    minimum Minimum -> T, "The smaller of both, element by element; NaN if either is. [`Array::min`] is the smallest element of one array.", "[1, 3]", "2" => "[1, 2]";
    maximum Maximum -> T, "The larger of both, element by element; NaN if either is. [`Array::max`] is the largest element of one array.", "[1, 3]", "2" => "[2, 3]";
    modulo Modulo -> T, "The remainder of a division, with the sign of the divisor, as Python's % and NumPy's. Integers are exact; of them `i` modulo 0 is 0. Floats are exact for any quotient, but for one rounding where the signs differ.", "[-1, 5]", "3" => "[2, 2]";
    floor_divide FloorDivide -> T, "The quotient, rounded down, as Python's // and NumPy's. Integers are exact; of them `i` by 0 is 0, and the smallest by -1 is itself. Floats are exact where the type has the quotient, f32 to 2^24 and f64 to 2^53, else within an ULP; an infinity by any number is NaN.", "[-1, 7]", "2" => "[-1, 3]";
    pow Pow -> T, "The value raised to the other's power. Floats are within 2 ULP; special cases as in C99. Integers wrap, and of a negative power 1 and -1 remain, others give 0.", "[2.0f32, 9.0]", "0.5" => "[1.4142135, 3.0]";
}

binary! { Float:
    hypot Hypot -> T, "The length of the vector (self, other), without overflow on the way, within 2 ULP.", "[3.0f32]", "4.0" => "[5.0]";
    fmin FMin -> T, "The smaller; NaN only if both are.", "[1.0f32, f32::NAN]", "2.0" => "[1.0, 2.0]";
    fmax FMax -> T, "The larger; NaN only if both are.", "[1.0f32, f32::NAN]", "2.0" => "[2.0, 2.0]";
    copysign CopySign -> T, "The value with the other's sign.", "[1.0f32, -3.0]", "-2.0" => "[-1.0, -3.0]";
    nextafter NextAfter -> T, "The next representable value towards the other.", "[1.0f32]", "2.0" => "[1.0000001]";
}

binary! { Integer:
    gcd Gcd -> T, "The greatest common divisor of the absolute values; of 0 and 0 it is 0. At most 47 divisions, 92 of 64 bits.", "[12, -8, 0]", "18" => "[6, 2, 18]";
    lcm Lcm -> T, "The least common multiple of the absolute values; 0 if either is 0. It wraps.", "[4, -6, 0]", "10" => "[20, 30, 0]";
}

binary! { Transcendental:
    atan2 Atan2 -> T, "The angle of the point (other, self), within 2 ULP.", "[1.0f32, -1.0]", "1.0" => "[0.7853982, -0.7853982]";
    log_add_exp LogAddExp -> T, "ln(e^self + e^other), without overflow; within 10 ULP of the larger argument.", "[0.0f32, 1000.0]", "0.0" => "[0.6931472, 1000.0]";
}

/// Whether a function has a kernel for a type: `crosslane::array::has_kernel(Function::Sin, DType::I32)` is false.
///
/// ```
/// use crosslane::DType;
/// use crosslane::array::has_kernel;
/// use crosslane::op::Function;
/// assert!(has_kernel(Function::Sin, DType::F64) && !has_kernel(Function::Sin, DType::I32));
/// ```
pub fn has_kernel(function: Function, dtype: DType) -> bool {
    function.exists(dtype)
}
