//! Every elementwise function for every type it exists for, on every device, against its meaning.

use crate::for_types;
use crate::support::*;
use crosslane::array::has_kernel;
use crosslane::op::{Function, Value};
use crosslane::{Array, Complex, DType, Device, Element, Float, Integer, Number, Transcendental, bf16, f16};

/// The values of an array of any type.
pub fn values<T: Element>(array: &Array<T>) -> Vec<Value> {
    array.to_vec().unwrap_or_else(|error| panic!("{error}")).into_iter().map(value).collect()
}

type Args<'a, T> = [&'a Array<T>; 3];
/// A function over an array: the elements of the result, or the error.
pub type Outcome = crosslane::Result<Vec<Value>>;

macro_rules! table {
    ($function:expr, [$a:ident $b:ident $c:ident]: $($variant:ident $call:expr),* $(,)?) => {
        match $function {
            $(Function::$variant => Some($call.check().map(|array| values(array))),)*
            _ => None,
        }
    };
}

pub fn number<T: Number>(f: Function, [a, b, c]: Args<T>) -> Option<Outcome> {
    table!(f, [a b c]: Add a + b, Subtract a - b, Multiply a * b, Divide a / b, Remainder a % b, Negate -a,
        Absolute a.abs(), Sign a.sign(), Square a.square(), Relu a.relu(), Equal a.equal(b), NotEqual a.not_equal(b),
        Less a.less(b), LessEqual a.less_equal(b), Greater a.greater(b), GreaterEqual a.greater_equal(b),
        Minimum a.minimum(b), Maximum a.maximum(b), MultiplyAdd a.multiply_add(b, c), Modulo a.modulo(b),
        FloorDivide a.floor_divide(b), Pow a.pow(b))
}

pub fn integer<T: Integer>(f: Function, [a, b, _c]: Args<T>) -> Option<Outcome> {
    table!(f, [a b _c]: And a & b, Or a | b, Xor a ^ b, Not !a, ShiftLeft a << b, ShiftRight a >> b,
        CountOnes a.count_ones(), LeadingZeros a.leading_zeros(), TrailingZeros a.trailing_zeros(),
        ReverseBits a.reverse_bits(), Gcd a.gcd(b), Lcm a.lcm(b))
}

pub fn float<T: Float>(f: Function, [a, b, c]: Args<T>) -> Option<Outcome> {
    table!(f, [a b c]: Reciprocal a.reciprocal(), Sqrt a.sqrt(),
        ReciprocalSqrt a.rsqrt(), Hypot a.hypot(b), Lerp a.lerp(b, c), Floor a.floor(), Ceil a.ceil(), Round a.round(),
        Trunc a.trunc(), Fract a.fract(), Degrees a.to_degrees(), Radians a.to_radians(), Heaviside a.heaviside(b),
        FMin a.fmin(b), FMax a.fmax(b), CopySign a.copysign(b), NextAfter a.nextafter(b), SignBit a.signbit(),
        Mantissa a.frexp().0, Exponent a.frexp().1, LdExp a.ldexp(b.cast::<i32>()), IsNan a.is_nan(),
        IsInfinite a.is_infinite(), IsFinite a.is_finite())
}

pub fn transcendental<T: Transcendental>(f: Function, [a, b, c]: Args<T>) -> Option<Outcome> {
    table!(f, [a b c]: Cbrt a.cbrt(), Exp a.exp(), Exp2 a.exp2(), ExpM1 a.exp_m1(), Ln a.ln(),
        Log2 a.log2(), Log10 a.log10(), Ln1P a.ln_1p(), LogAddExp a.log_add_exp(b), Sin a.sin(), Cos a.cos(),
        Tan a.tan(), Asin a.asin(), Acos a.acos(), Atan a.atan(), Atan2 a.atan2(b), Sinc a.sinc(), Sinh a.sinh(),
        Cosh a.cosh(), Tanh a.tanh(), Asinh a.asinh(), Acosh a.acosh(), Atanh a.atanh(), Erf a.erf(), Erfc a.erfc(),
        ErfInv a.erfinv(), ErfcInv a.erfcinv(), Gamma a.gamma(), LGamma a.lgamma(), Digamma a.digamma(),
        I0 a.i0(), I1 a.i1(), J0 a.j0(), J1 a.j1(), BetaInc c.betainc(a, b),
        Sigmoid a.sigmoid(), Gelu a.gelu(), GeluTanh a.gelu_tanh(), Softplus a.softplus())
}

/// Types that are stored only.
fn stored<T: Element>(f: Function, [a, b, _c]: Args<T>) -> Option<Outcome> {
    table!(f, [a b _c]: Equal a.equal(b), NotEqual a.not_equal(b))
}

fn mask(f: Function, [a, b, _c]: Args<bool>) -> Option<Outcome> {
    table!(f, [a b _c]: And a & b, Or a | b, Xor a ^ b, Not !a, Equal a.equal(b), NotEqual a.not_equal(b))
}

/// Arguments: all pairs of the type's special values, then random bits.
fn arguments<T: Element>(seed: u64) -> [Vec<T>; 3] {
    let special: Vec<T> = match T::DTYPE {
        DType::Bool => vec![of(0), of(1)],
        DType::I8 | DType::I16 | DType::I32 | DType::I64 | DType::U8 | DType::U16 | DType::U32 | DType::U64 => {
            let bits = T::DTYPE.size() as u32 * 8;
            let top = 1i128 << (bits - 1);
            [0, 1, -1, 2, -2, 7, 31, 32, 33, top, top - 1, top + 1, -top, 1000].map(of).to_vec()
        }
        _ => unreachable!("floats have their own"),
    };
    let mut rng = random(seed);
    let pairs = special.iter().flat_map(|&a| special.iter().map(move |&b| (a, b)));
    let mut args = [vec![], vec![], vec![]];
    for (a, b) in pairs {
        args[0].push(a);
        args[1].push(b);
        args[2].push(special[(args[2].len() * 5) % special.len()]);
    }
    for _ in 0..1025 {
        args.iter_mut().for_each(|arg| arg.push(bits(&mut rng)));
    }
    args
}

pub type Call<T> = fn(Function, Args<T>) -> Option<Outcome>;

/// Exact types: the same integer or truth value as the meaning, for every function that there is a method of.
fn exact<T: Element>(device: &Device, calls: &[Call<T>]) {
    let host = arguments::<T>(1);
    let arrays = host.each_ref().map(|values| Array::from_slice(device, values));
    let args = arrays.each_ref();
    for &function in Function::ALL {
        let Some(outcome) = calls.iter().find_map(|call| call(function, args)) else { continue };
        let what = format!("{} of {} on {}", function.name(), T::DTYPE, name(device));
        let got = outcome.unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(got.len(), host[0].len());
        for (i, got) in got.into_iter().enumerate() {
            let args: Vec<Value> = host.iter().take(function.arity()).map(|arg| value(arg[i])).collect();
            assert_eq!(got, function.meaning(T::DTYPE, &args), "{what} of {args:?}");
        }
    }
}

#[test]
fn integers_and_masks_are_exact() {
    for device in apis() {
        spoil(device);
        exact::<i32>(device, &[number, integer]);
        exact::<u32>(device, &[number, integer]);
        if device.caps().i64 {
            exact::<i64>(device, &[number, integer]);
            exact::<u64>(device, &[number, integer]);
        }
        exact::<bool>(device, &[mask]);
        exact::<u8>(device, &[stored]);
        exact::<i8>(device, &[stored]);
        exact::<i16>(device, &[stored]);
        exact::<u16>(device, &[stored]);
    }
}

/// NumPy 2.3's answers: `np.mod`, `np.floor_divide`, `np.power`, `np.gcd`, `np.lcm` of int32.
#[test]
fn integer_functions_have_numpys_signs() {
    let (most, least) = (i32::MAX, i32::MIN);
    let a = [7, -7, 7, -7, 0, 5, least, least, most, 12, 2, -3];
    let b = [3, 3, -3, -3, 5, 0, -1, 3, -2, -18, 31, 5];
    type Called = fn(&Array<i32>, &Array<i32>) -> Array<i32>;
    let rows: [(&str, Called, [i32; 12]); 4] = [
        ("modulo", |a, b| a.modulo(b), [1, 2, -2, -1, 0, 0, 0, 1, -1, -6, 2, 2]),
        (
            "floor_divide",
            |a, b| a.floor_divide(b),
            [2, -3, -3, 2, 0, 0, least, -715_827_883, -1_073_741_824, -1, 0, -1],
        ),
        ("gcd", |a, b| a.gcd(b), [1, 1, 1, 1, 5, 5, 1, 1, 1, 6, 1, 1]),
        ("lcm", |a, b| a.lcm(b), [21, 21, 21, 21, 0, 0, least, least, -2, 36, 62, 15]),
    ];
    for device in apis() {
        let (x, y) = (Array::from_slice(device, &a), Array::from_slice(device, &b));
        for (what, call, wanted) in &rows {
            assert_eq!(call(&x, &y).to_vec().unwrap(), wanted, "{what} on {}", name(device));
        }
        let powers = Array::from_slice(device, &[2, -2, 3, 0, 7, -1, 1, -1]);
        let of = Array::from_slice(device, &[31, 3, 20, 0, 0, -3, -9, -2]);
        let wanted = [least, -8, -808_182_895, 1, 1, -1, 1, 1];
        assert_eq!(powers.pow(&of).to_vec().unwrap(), wanted, "pow on {}", name(device));
        let none = Array::from_slice(device, &[5, 0, -2]).pow(-1);
        assert_eq!(none.to_vec().unwrap(), [0, 0, 0], "reciprocals on {}", name(device));
        // Euclid's longest way: neighbours in Fibonacci's sequence.
        let (f, g) = (2_971_215_073u32, 1_836_311_903u32);
        assert_eq!(Array::full(device, &[5], g).gcd(f).to_vec().unwrap(), [1; 5]);
        if device.caps().i64 {
            let (f, g) = (12_200_160_415_121_876_738u64, 7_540_113_804_746_346_429u64);
            assert_eq!(Array::full(device, &[5], g).gcd(f).to_vec().unwrap(), [1; 5]);
        }
    }
}

#[test]
fn select_takes_every_type_and_broadcasts() {
    fn check<T: Element>(device: &Device) {
        let (rows, columns) = (5, 7);
        let mask = Dense::new(&[rows, 1], (0..rows).map(|i| i % 2 == 0).collect());
        let then = Dense::new(&[rows, columns], small::<T>(rows * columns));
        let other = Dense::new(&[columns], small::<T>(columns + 4)[4..].to_vec());
        let got = upload(device, &mask).select(upload(device, &then), upload(device, &other));
        let wanted = then.view(&then.shape, |p| p.to_vec());
        let wide = other.broadcast(&then.shape);
        let data = points(&then.shape).map(|p| if mask.data[p[0]] { wanted.at(&p) } else { wide.at(&p) }).collect();
        same(&got, &Dense::new(&then.shape, data), &format!("select of {}", T::DTYPE));
        let scalar = upload(device, &mask).select(of::<T>(1), of::<T>(0));
        let wanted = mask.map(|m| of::<T>(m as i128));
        same(&scalar, &wanted, &format!("select of scalars of {}", T::DTYPE));
    }
    for device in apis() {
        for_types!(device, [f16, f32, f64, i32, i64, u8, u16, u32, u64, bool, bf16, i8, i16, Complex<f32>, Complex<f64>], check);
    }
}

/// Every function of every type has a kernel exactly where it has a method, which this file or `accuracy.rs` calls: what
/// compiles is not refused when it runs.
#[test]
fn every_method_has_a_kernel_and_every_kernel_a_method() {
    fn reached<T: Element>(device: &Device, calls: &[Call<T>]) {
        if !has(device, T::DTYPE) {
            return;
        }
        let none = Array::<T>::zeros(device, &[0]);
        for &f in Function::ALL {
            // A method of masks; and rounding a whole number has a kernel but no method.
            let whole = matches!(f, Function::Floor | Function::Ceil | Function::Round | Function::Trunc);
            let whole = whole && !matches!(T::DTYPE, DType::F16 | DType::F32 | DType::F64);
            // Complex numbers have a test of their own, which calls all of theirs.
            let complex = matches!(f, Function::Complex | Function::Polar);
            if f == Function::Select || whole || complex {
                continue;
            }
            let outcome = calls.iter().find_map(|call| call(f, [&none; 3]));
            let what = format!("{} of {} on {}", f.name(), T::DTYPE, name(device));
            assert_eq!(outcome.is_some(), has_kernel(f, T::DTYPE), "{what}: a method, and a kernel");
            assert!(outcome.is_none_or(|outcome| outcome.is_ok()), "{what} is refused");
        }
    }
    for device in apis() {
        reached::<f16>(device, &[number, float, transcendental]);
        reached::<f32>(device, &[number, float, transcendental]);
        reached::<f64>(device, &[number, float, transcendental]);
        reached::<i32>(device, &[number, integer]);
        reached::<i64>(device, &[number, integer]);
        reached::<u8>(device, &[stored]);
        reached::<bf16>(device, &[stored]);
        reached::<i8>(device, &[stored]);
        reached::<i16>(device, &[stored]);
        reached::<u16>(device, &[stored]);
        reached::<u32>(device, &[number, integer]);
        reached::<u64>(device, &[number, integer]);
        reached::<bool>(device, &[mask]);
    }
}

/// Sizes around every edge of vectors, workgroups and grids: `x * 3 + 1` and a comparison, whole and as a tail.
#[test]
fn sizes_around_every_edge() {
    let past_one_row_of_workgroups = 4 * 256 * 65535 + 5;
    let sizes = [0, 1, 2, 3, 4, 5, 63, 64, 65, 255, 256, 257, 1023, 1024, 1025, 65537];
    for device in devices() {
        spoil(device);
        for size in sizes {
            let host = small::<i32>(size);
            let x = Array::from_slice(device, &host);
            let wanted: Vec<i32> = host.iter().map(|x| x * 3 + 1).collect();
            same_values(&(&x * 3 + 1).to_vec().unwrap(), &wanted, &format!("{size} i32 on {}", name(device)));
            let wanted: Vec<bool> = host.iter().map(|&x| x > 0).collect();
            same_values(&x.greater(0).to_vec().unwrap(), &wanted, &format!("{size} masks on {}", name(device)));
            let wanted: Vec<u16> = host.iter().map(|&x| (x * x) as u16).collect();
            same_values(&x.square().cast::<u16>().to_vec().unwrap(), &wanted, &format!("{size} u16"));
        }
        let x = Array::full(device, &[past_one_row_of_workgroups], 7u8).cast::<u32>();
        let odd = Array::arange(device, 0u32, past_one_row_of_workgroups as u32, 1);
        let sum = (x + (odd & Array::full(device, &[], 1u32))).cast::<u8>().to_vec().unwrap();
        assert!(sum.iter().enumerate().all(|(i, &v)| v == 7 + (i & 1) as u8), "{} bytes", sum.len());
    }
}
