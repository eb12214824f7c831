//! Floats: every function within its stated bound of the f64 result, in ULP, on every device.

use super::elementwise::{Call, float, number, transcendental};
use crate::support::*;
use crosslane::op::{Function, Value};
use crosslane::{Array, DType, Device, Float, f16};
use rand::{Rng, rngs::StdRng};
use std::f64::consts::PI;

/// The bound of each function in ULP of f32, as `shaders/shared/math` and the documentation state it; 0 is exact.
fn bound(f: Function, a: f64) -> f64 {
    use Function::*;
    match f {
        // One operation, rounded to nearest.
        Add | Subtract | Multiply | Square => 0.5,
        // Vulkan's own accuracy of division and inverseSqrt; sqrt is 1 / inverseSqrt there.
        Divide | Reciprocal => 2.5,
        Sqrt => 3.0,
        ReciprocalSqrt => 2.0,
        // Two or three roundings, in ULP of the largest part (`scale`).
        MultiplyAdd => 1.0,
        Lerp => 2.0,
        Modulo => 0.5,
        FloorDivide => 0.51,
        Cbrt => 2.0,
        Hypot => 1.2,
        Pow => 2.0,
        Exp => 1.8,
        Exp2 => 1.1,
        ExpM1 => 1.7,
        Ln => 0.9,
        Log2 => 1.5,
        Log10 => 1.3,
        Ln1P => 1.7,
        LogAddExp => 9.5,
        Sin | Cos => 1.6,
        Tan => 2.6,
        Asin => 2.4,
        Acos => 1.3,
        Atan => 2.1,
        Atan2 => 2.0,
        Sinc => 2.5,
        Degrees | Radians => 0.7,
        Sinh | Cosh => 2.0,
        Tanh => 1.5,
        Asinh => 1.9,
        Acosh => 2.2,
        Atanh => 2.3,
        Erf => 1.4,
        Erfc => 4.3,
        ErfInv | ErfcInv => 4.0,
        Gamma | LGamma | Digamma => 6.0,
        I0 | I1 | J0 | J1 => 6.0,
        // In units that `scale` makes of its parameters.
        BetaInc => 1.0,
        Sigmoid => 2.8,
        Gelu => 5.3,
        GeluTanh if a >= -1.0 => 2.5,
        GeluTanh if a >= -5.0 => 35.0,
        GeluTanh => 240.0,
        Softplus => 2.2,
        _ => 0.0,
    }
}

/// The same for f64, against a reference on the host that is itself off by as much as an ULP: `doubles.rs` measures against
/// exact results.
fn wide_bound(f: Function) -> f64 {
    use Function::*;
    match f {
        Cbrt | Exp | Exp2 | ExpM1 | Ln | Log2 | Log10 | Ln1P | Sin | Cos | Asin | Acos | Atan | Atan2 | Pow => 2.5,
        Tan | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | Erf | Softplus => 3.5,
        Sinc | Sigmoid | Erfc => 4.5,
        Gelu | GeluTanh | ErfInv | ErfcInv => 6.0,
        // libm's are off by as much again.
        Gamma | LGamma | Digamma | J0 | J1 | BetaInc => 12.0,
        // Of a series of a hundred terms.
        I0 | I1 => 24.0,
        LogAddExp => 9.5,
        _ => bound(f, 0.0),
    }
}

/// The exact result, independent of the library where its own `meaning` is not exact.
fn reference(f: Function, dtype: DType, a: f64, b: f64, c: f64) -> Value {
    use Function::*;
    Value::Float(match f {
        // The argument of the sine reduced exactly.
        Sinc if a.is_finite() && a != 0.0 => {
            let (n, r) = (a.round_ties_even(), a - a.round_ties_even());
            let sign = if n.rem_euclid(2.0) == 1.0 { -1.0 } else { 1.0 };
            sign * (PI * r).sin() / (PI * a)
        }
        // NumPy's: through the remainder, so that infinities give NaN.
        FloorDivide if b != 0.0 => {
            let r = a % b;
            ((a - r) / b).round() - if r != 0.0 && (r < 0.0) != (b < 0.0) { 1.0 } else { 0.0 }
        }
        NextAfter => return f.meaning(dtype, &[Value::Float(a), Value::Float(b)]),
        // As the table of calls does it: the exponent is the second argument as an integer.
        LdExp => return f.meaning(dtype, &[Value::Float(b).cast(DType::I32), Value::Float(a)]),
        Lerp if a.is_finite() && b.is_finite() && !(b - a).is_finite() => a * (1.0 - c) + b * c,
        // Limits and small values that the textbook form loses in f64 too.
        Gelu if a == f64::NEG_INFINITY => 0.0,
        GeluTanh => match 1.595_769_121_605_730_8 * a * (1.0 + 0.044715 * a * a) {
            _ if a == f64::NEG_INFINITY => 0.0,
            twice => a / (1.0 + (-twice).exp()),
        },
        Acosh if a < 1.0 => f64::NAN,
        Exp => libm::exp(a),
        Ln => libm::log(a),
        Sin => libm::sin(a),
        Cos => libm::cos(a),
        Tanh => libm::tanh(a),
        Cbrt => libm::cbrt(a),
        Hypot => libm::hypot(a, b),
        Atan2 => libm::atan2(a, b),
        _ => return f.meaning(DType::F64, &[Value::Float(a), Value::Float(b), Value::Float(c)]),
    })
}

/// Where a function promises its bound; elsewhere it only must not hang or harm.
fn promised(f: Function, dtype: DType, a: f64, b: f64) -> bool {
    use Function::*;
    match f {
        // The sign of NaN does not outlive a conversion on every device.
        CopySign => !b.is_nan(),
        SignBit => !a.is_nan(),
        // Past that 1 / x is a denormal number.
        J0 | J1 => dtype == DType::F64 || !a.is_finite() || a.abs() <= 1e37,
        // The reference's own error is that of ln gamma.
        BetaInc => {
            let most = if dtype == DType::F64 { 100.0 } else { 1e4 };
            [a, b].iter().all(|&size| size.is_nan() || size <= most && (size <= 0.0 || size >= 1e-30))
        }
        // Past that the reference here is not exact: `doubles.rs` has exact results.
        FloorDivide if dtype == DType::F64 => !a.is_finite() || !b.is_finite() || (a / b).abs() < 2f64.powi(51),
        // The reference loses what it rounds in the exponent.
        Gelu | GeluTanh if dtype == DType::F64 => a >= -1.0 || a.is_nan(),
        // Below, the documentation says 0.
        GeluTanh => a >= -10.0 || a.is_nan(),
        _ => true,
    }
}

/// What the error is measured against, where parts cancel.
fn scale(f: Function, a: f64, b: f64, c: f64, result: f64) -> f64 {
    match f {
        Function::MultiplyAdd => result.abs().max((a * b).abs()).max(c.abs()),
        Function::Lerp => result.abs().max(((b - a) * c).abs()).max(a.abs()),
        Function::LogAddExp => result.abs().max(a.max(b).abs()),
        // By reflection below 0, and about a zero of the reference.
        Function::LGamma if a < 0.0 => result.abs().max(1.0).max(libm::lgamma(-a)),
        Function::Digamma if a < 0.0 => result.abs().max(1.0).max(PI / (PI * (a - a.round_ties_even())).tan().abs()),
        Function::Digamma => result.abs().max(1.0),
        // As documented. A parameter outside gives NaN whatever the bound.
        Function::BetaInc => {
            let of = if c > (a + 1.0) / (a + b + 2.0) { 1.0 } else { result.abs() };
            of * (60.0 + a + b + 2.0 * result.abs().ln().abs())
        }
        // The height of the wave.
        Function::J0 | Function::J1 if a.abs() > 1.0 => result.abs().max((2.0 / (PI * a.abs())).sqrt()),
        _ => result.abs(),
    }
}

struct Format {
    digits: i32,
    least: f64,
    most: f64,
}

fn format(dtype: DType) -> Format {
    match dtype {
        DType::F16 => Format { digits: 11, least: 6.103515625e-5, most: 65504.0 },
        DType::F32 => Format { digits: 24, least: f32::MIN_POSITIVE as f64, most: f32::MAX as f64 },
        _ => Format { digits: 53, least: f64::MIN_POSITIVE, most: f64::MAX },
    }
}

/// The distance of two values in units of the last place at `scale`.
fn ulps(got: f64, wanted: f64, scale: f64, format: &Format) -> f64 {
    let Format { digits, least, most } = *format;
    let ulp = |x: f64| 2f64.powi((x.max(least).log2().floor() as i32) - digits + 1);
    match (got.is_nan(), wanted.is_nan()) {
        (true, true) => return 0.0,
        (false, false) => {}
        _ => return f64::INFINITY,
    }
    let overflow = most + ulp(most) / 2.0;
    if got == wanted || got.is_infinite() && wanted.abs() >= overflow && got.signum() == wanted.signum() {
        return 0.0;
    }
    // Denormal results may be flushed.
    if wanted.abs() < least && got.abs() <= least {
        return 0.0;
    }
    // An infinity is as far away as the first value that rounds to it.
    (got.clamp(-overflow, overflow) - wanted).abs() / ulp(scale.min(most))
}

const SPECIAL: [f64; 24] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    2.0,
    -2.5,
    3.5,
    0.75,
    -3.0,
    10.0,
    88.7,
    -87.3,
    1e4,
    -1e4,
    6.2e-5,
    -6.2e-5,
    65504.0,
    -65504.0,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    PI,
];

/// Arguments: pairs of special values, numbers around 1, whole numbers, and bits of every size.
fn arguments<T: Float>(count: usize) -> [Vec<T>; 3] {
    let mut rng = random(2);
    let round = |x: f64| T::from_scalar(Value::Float(x).scalar(T::DTYPE));
    let mut args = [vec![], vec![], vec![]];
    for i in 0..SPECIAL.len() * SPECIAL.len() {
        let (a, b) = (i / SPECIAL.len(), i % SPECIAL.len());
        args.iter_mut().zip([a, b, (a + 3 * b) % 20]).for_each(|(arg, s)| arg.push(round(SPECIAL[s])));
    }
    let near = |rng: &mut StdRng| rng.random_range(-1.0..1.0) * 10f64.powf(rng.random_range(-3.0..2.0));
    for i in 0..count {
        for arg in &mut args {
            arg.push(match i % 4 {
                0 | 1 => round(near(&mut rng)),
                2 => round(rng.random_range(-40..40) as f64),
                _ => bits(&mut rng),
            });
        }
    }
    args
}

fn check<T: Float>(device: &Device, f: Function, host: &[Vec<T>; 3], got: &[Value]) -> Result<(), String> {
    let format = format(T::DTYPE);
    // f16 is computed in f32 and rounded, or is one operation; `lerp` and `multiply_add` round two or three times.
    let several = matches!(f, Function::Lerp | Function::MultiplyAdd | Function::Divide | Function::Reciprocal);
    let mut worst = (0.0, 0);
    let mut checked = 0;
    for (i, got) in got.iter().enumerate() {
        let [a, b, c] = host.each_ref().map(|arg| value(arg[i]).float());
        if !promised(f, T::DTYPE, a, b) {
            continue;
        }
        checked += 1;
        let wanted = reference(f, T::DTYPE, a, b, c);
        let error = match (got, wanted) {
            (Value::Float(got), Value::Float(wanted)) => {
                let allowed = match T::DTYPE {
                    DType::F16 if bound(f, a) == 0.0 => 0.0,
                    DType::F16 if several => bound(f, a),
                    DType::F16 if f == Function::GeluTanh => 0.6,
                    DType::F16 => 0.51,
                    DType::F64 => wide_bound(f),
                    _ => bound(f, a),
                };
                let error = ulps(*got, wanted, scale(f, a, b, c, wanted), &format);
                // A denormal on the way may be flushed, as WGSL allows.
                let flushed = allowed > 0.0 && (got - wanted).abs() <= format.least;
                let error = if flushed { 0.0 } else { error };
                if allowed == 0.0 { if error == 0.0 { 0.0 } else { f64::INFINITY } } else { error / allowed }
            }
            (got, wanted) => {
                if *got == wanted {
                    0.0
                } else {
                    f64::INFINITY
                }
            }
        };
        if error > worst.0 {
            worst = (error, i);
        }
    }
    let (error, i) = worst;
    let [a, b, c] = host.each_ref().map(|arg| value(arg[i]).float());
    assert!(checked * 2 > got.len(), "{}: too few arguments lie in its range", f.name());
    if error <= 1.0 {
        return Ok(());
    }
    let bound = if T::DTYPE == DType::F64 { wide_bound(f) } else { bound(f, a) };
    let (f_name, dtype, device) = (f.name(), T::DTYPE, name(device));
    let (got, wanted) = (got[i], reference(f, T::DTYPE, a, b, c));
    Err(format!(
        "{f_name} of {dtype} on {device}: {error} times its bound {bound} at ({a:e}, {b:e}, {c:e}): got {got:?}, \
         wanted {wanted:?}"
    ))
}

fn every_function<T: Float>(device: &Device, count: usize, calls: &[Call<T>]) -> Vec<String> {
    let host = arguments::<T>(count);
    let arrays = host.each_ref().map(|values| Array::from_slice(device, values));
    let mut failures = Vec::new();
    for &f in Function::ALL {
        let Some(outcome) = calls.iter().find_map(|call| call(f, arrays.each_ref())) else { continue };
        let got = outcome.unwrap();
        failures.extend(check(device, f, &host, &got).err());
    }
    failures
}

#[test]
fn every_float_function_keeps_its_bound() {
    let mut failures = Vec::new();
    for device in drivers() {
        spoil(device);
        failures.extend(every_function::<f32>(device, 8192, &[number, float, transcendental]));
        if device.caps().f16 {
            failures.extend(every_function::<f16>(device, 2048, &[number, float, transcendental]));
        }
        if device.caps().f64 {
            failures.extend(every_function::<f64>(device, 2048, &[number, float, transcendental]));
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// Quotients of any size: bits of all exponents, and divisors just below the dividend. Rust's `%` is exact, and a remainder of halves
/// is a half.
#[test]
fn remainders_are_exact() {
    let mut rng = random(5);
    let known: [(f32, f32, f32); 5] = [
        (1e20, 3.0, 2.0),
        (3.520235e16, 39.146587, 25.946697),
        (f32::MAX, 3.0, 0.0),
        (f32::MAX, 1e-45, 0.0),
        (-f32::MAX, 11.0, -9.0),
    ];
    let some = (0..4096).map(|i| {
        let (a, b) = (bits::<f32>(&mut rng), bits::<f32>(&mut rng));
        if i % 2 == 0 { (a, b) } else { (a, a * rng.random_range(-1.0..1.0)) }
    });
    let pairs: Vec<(f32, f32)> = known.iter().map(|&(a, b, _)| (a, b)).chain(some).collect();
    let (a, b): (Vec<f32>, Vec<f32>) = pairs.iter().copied().unzip();
    for device in drivers() {
        let (x, y) = (Array::from_slice(device, &a), Array::from_slice(device, &b));
        // Whole vectors, and elements one by one.
        for step in [1, 2] {
            let every = |x: &Array<f32>| x.slice(crosslane::s![..;step]);
            let got = (every(&x) % every(&y)).to_vec().unwrap();
            for (&(a, b), got) in pairs.iter().step_by(step as usize).zip(got) {
                let same = got.to_bits() == (a % b).to_bits() || got.is_nan() && (a % b).is_nan();
                assert!(same, "{a:e} % {b:e} on {}: {got:e}, wanted {:e}", name(device), a % b);
            }
        }
        for (a, b, wanted) in known {
            let got = (Array::from_slice(device, &[a]) % b).item().unwrap();
            assert_eq!(got, wanted, "{a:e} % {b:e} on {}", name(device));
        }
        if device.caps().f16 {
            let half = |x: &[f32]| x.iter().map(|&x| f16::from_bits((x.to_bits() >> 16) as u16)).collect::<Vec<f16>>();
            let (a, b) = (half(&a), half(&b));
            let got = (Array::from_slice(device, &a) % Array::from_slice(device, &b)).to_vec().unwrap();
            for ((a, b), got) in a.iter().zip(&b).zip(got) {
                let wanted = f16::from_f32(a.to_f32() % b.to_f32());
                let same = got.to_bits() == wanted.to_bits() || got.is_nan() && wanted.is_nan();
                assert!(same, "{a:e} % {b:e} on {}: {got:e}, wanted {wanted:e}", name(device));
            }
        }
    }
}

/// The issue's own promise: exp, ln, sin and cos within 4 ULP of f64 on the usual range, at 2^18 points.
#[test]
fn exp_ln_sin_and_cos_are_within_4_ulp() {
    type Row = (Function, fn(&Array<f32>) -> Array<f32>, fn(f64) -> f64, fn(f64) -> f64);
    // The last column spreads 0..1 over the range.
    let rows: [Row; 4] = [
        (Function::Exp, |x| x.exp(), libm::exp, |u| u * 176.0 - 87.3),
        (Function::Ln, |x| x.ln(), libm::log, |u| 2f64.powf(u * 253.9 - 125.99)),
        (Function::Sin, |x| x.sin(), libm::sin, |u| (u * 2.0 - 1.0) * 8192.0 * PI),
        (Function::Cos, |x| x.cos(), libm::cos, |u| (u * 2.0 - 1.0) * 8192.0 * PI),
    ];
    let format = format(DType::F32);
    for (function, call, exact, spread) in rows {
        let mut rng = random(3);
        // Half of the points lie near the middle of the range: multiples of pi, and where ln is small.
        let near = |rng: &mut StdRng| match function {
            Function::Ln => rng.random_range(0.5..2.0),
            Function::Exp => rng.random_range(-1.0..1.0),
            _ => rng.random_range(-60..60) as f64 * PI / 4.0 + rng.random_range(-1e-3..1e-3),
        };
        let points = (0..1 << 18).map(|i| if i % 2 == 0 { spread(rng.random()) } else { near(&mut rng) } as f32);
        let points: Vec<f32> = points.collect();
        let wanted: Vec<f64> = points.iter().map(|&x| exact(x as f64)).collect();
        for device in apis() {
            let got = call(&Array::from_slice(device, &points)).to_vec().unwrap();
            let error = |i: usize| ulps(got[i] as f64, wanted[i], wanted[i].abs(), &format);
            let worst = (0..got.len()).max_by(|&i, &j| error(i).total_cmp(&error(j))).unwrap();
            let (x, error) = (points[worst], error(worst));
            println!("{} on {}: at most {error:.2} ULP", function.name(), name(device));
            assert!(
                error <= 4.0,
                "{} of {x:e} on {}: {error} ULP, got {:e}",
                function.name(),
                name(device),
                got[worst]
            );
        }
    }
}

/// Values that no table of the library had a part in.
#[test]
fn known_values() {
    type Row = (&'static str, fn(&Array<f32>) -> Array<f32>, f32, f32);
    let rows: [Row; 14] = [
        ("erf", |x| x.erf(), 1.0, 0.842_700_8),
        ("gelu", |x| x.gelu(), 1.0, 0.841_344_7),
        ("gelu_tanh", |x| x.gelu_tanh(), 1.0, 0.841_192),
        ("sigmoid", |x| x.sigmoid(), -1.0, 0.268_941_43),
        ("softplus", |x| x.softplus(), 1.0, 1.313_261_7),
        ("cbrt", |x| x.cbrt(), 27.0, 3.0),
        ("sinc", |x| x.sinc(), 1.5, -0.212_206_6),
        ("acosh", |x| x.acosh(), 2.0, 1.316_958),
        ("round", |x| x.round(), 2.5, 2.0),
        ("fract", |x| x.fract(), -1.25, -0.25),
        ("modulo", |x| x.modulo(3.0), -1.0, 2.0),
        ("remainder", |x| x % 3.0, -1.0, -1.0),
        ("floor_divide", |x| x.floor_divide(2.0), -1.0, -1.0),
        ("nextafter", |x| x.nextafter(2.0), 1.0, 1.000_000_1),
    ];
    for device in apis() {
        for (what, call, x, wanted) in rows {
            let got = call(&Array::full(device, &[], x)).item().unwrap();
            assert!((got - wanted).abs() <= 5e-7 * wanted.abs(), "{what}({x}) on {}: {got} {wanted}", name(device));
        }
        let zeros = Array::from_slice(device, &[0.0f32, -0.0, 3.0]);
        let signs = |x: Array<f32>| x.to_vec().unwrap().iter().map(|x| x.is_sign_negative()).collect::<Vec<_>>();
        assert_eq!(signs(-&zeros), [true, false, true], "negate on {}", name(device));
        assert_eq!(signs(zeros.abs()), [false, false, false], "abs on {}", name(device));
        assert_eq!(signs(zeros.sign()), [false, false, false], "sign on {}", name(device));
        if device.caps().f64 {
            let wide = Array::from_slice(device, &[-0.0f64, 0.0, -3.0, f64::NAN]).sign().to_vec().unwrap();
            assert!(
                wide[..3].iter().map(|x| x.to_bits()).eq([0.0f64, 0.0, -1.0].map(f64::to_bits)) && wide[3].is_nan()
            );
        }
        if device.caps().f16 {
            let halves = Array::from_slice(device, &[f16::NEG_ZERO, f16::from_f32(-2.0)]).sign().to_vec().unwrap();
            assert_eq!([halves[0].to_bits(), halves[1].to_bits()], [0, 0xbc00], "sign on {}", name(device));
        }
        assert_eq!(signs(zeros.copysign(-1.0)), [true, true, true], "copysign on {}", name(device));
    }
}
