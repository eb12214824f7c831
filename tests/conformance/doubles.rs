//! Functions of f64 against exact results: `doubles.txt` has them to a thousandth of an ULP, as mpmath 1.3.0 computed them in
//! 200 bits or more, and those of divisions as Python's fractions are. Half of the others' arguments are those of the largest
//! errors among some thousands.

use crate::support::*;
use crosslane::op::Function;
use crosslane::{Array, Device};

type Call = fn(&Array<f64>, &Array<f64>) -> Array<f64>;

/// The name in the table, the function, and its bound in ULP as the documentation states it. `exp2`, `pow` and `sinh` are within
/// 0.8, 0.8 and 1.4 where a product and a sum are rounded once, and within 1.3, 1.8 and 1.9 on llvmpipe.
const ROWS: [(&str, Function, Call, f64); 34] = [
    ("exp", Function::Exp, |a, _| a.exp(), 1.0),
    ("exp2", Function::Exp2, |a, _| a.exp2(), 1.5),
    ("expm1", Function::ExpM1, |a, _| a.exp_m1(), 1.2),
    ("log", Function::Ln, |a, _| a.ln(), 1.0),
    ("log2", Function::Log2, |a, _| a.log2(), 1.0),
    ("log10", Function::Log10, |a, _| a.log10(), 1.0),
    ("log1p", Function::Ln1P, |a, _| a.ln_1p(), 1.5),
    ("logaddexp", Function::LogAddExp, |a, b| a.log_add_exp(b), 2.0),
    ("pow", Function::Pow, |a, b| a.pow(b), 2.0),
    ("cbrt", Function::Cbrt, |a, _| a.cbrt(), 1.0),
    ("hypot", Function::Hypot, |a, b| a.hypot(b), 1.2),
    ("sin", Function::Sin, |a, _| a.sin(), 1.0),
    ("cos", Function::Cos, |a, _| a.cos(), 1.0),
    ("tan", Function::Tan, |a, _| a.tan(), 2.0),
    ("asin", Function::Asin, |a, _| a.asin(), 1.0),
    ("acos", Function::Acos, |a, _| a.acos(), 1.0),
    ("atan", Function::Atan, |a, _| a.atan(), 1.0),
    ("atan2", Function::Atan2, |a, b| a.atan2(b), 1.5),
    ("sinc", Function::Sinc, |a, _| a.sinc(), 2.0),
    ("sinh", Function::Sinh, |a, _| a.sinh(), 2.0),
    ("cosh", Function::Cosh, |a, _| a.cosh(), 1.5),
    ("tanh", Function::Tanh, |a, _| a.tanh(), 1.5),
    ("asinh", Function::Asinh, |a, _| a.asinh(), 1.5),
    ("acosh", Function::Acosh, |a, _| a.acosh(), 2.0),
    ("atanh", Function::Atanh, |a, _| a.atanh(), 2.0),
    ("erf", Function::Erf, |a, _| a.erf(), 1.0),
    ("erfc", Function::Erfc, |a, _| a.erfc(), 3.0),
    ("sigmoid", Function::Sigmoid, |a, _| a.sigmoid(), 2.5),
    ("gelu_erf", Function::Gelu, |a, _| a.gelu(), 4.0),
    ("gelu", Function::GeluTanh, |a, _| a.gelu_tanh(), 3.0),
    ("softplus", Function::Softplus, |a, _| a.softplus(), 2.0),
    ("remainder", Function::Remainder, |a, b| a % b, 0.0),
    ("modulo", Function::Modulo, |a, b| a.modulo(b), 0.501),
    ("floor_divide", Function::FloorDivide, |a, b| a.floor_divide(b), 0.51),
];

/// Arguments, the f64 nearest to the result, how far the result lies above it in its ULPs, and the ULP that errors count in.
struct Exact {
    a: f64,
    b: f64,
    nearest: f64,
    above: f64,
    unit: f64,
}

fn table(name: &str) -> Vec<Exact> {
    let exact = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let bits = |at: usize| f64::from_bits(u64::from_str_radix(words[at], 16).unwrap());
        let exponent: i32 = words[5].parse().unwrap();
        Exact { a: bits(1), b: bits(2), nearest: bits(3), above: words[4].parse().unwrap(), unit: two_to(exponent) }
    };
    include_str!("doubles.txt").lines().filter(|line| line.split(' ').next() == Some(name)).map(exact).collect()
}

/// A power of two, of denormal numbers too.
fn two_to(exponent: i32) -> f64 {
    2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
}

fn worst(device: &Device, rows: &[Exact], call: Call) -> (f64, usize) {
    let of = |pick: fn(&Exact) -> f64| Array::from_slice(device, &rows.iter().map(pick).collect::<Vec<f64>>());
    let got = call(&of(|row| row.a), &of(|row| row.b)).to_vec().unwrap();
    let error = |(row, got): (&Exact, f64)| ((got - row.nearest) / row.unit - row.above).abs();
    let errors = rows.iter().zip(got).map(error).zip(0..);
    errors.max_by(|(a, _), (b, _)| a.total_cmp(b)).expect("a function has rows")
}

#[test]
fn every_function_is_within_its_bound_of_exact_results() {
    let mut failures = vec![];
    for device in devices().iter().filter(|device| device.caps().f64) {
        for (table_name, function, call, bound) in ROWS {
            let rows = table(table_name);
            assert!(rows.len() >= 40, "{table_name} has {} rows", rows.len());
            let (error, at) = worst(device, &rows, call);
            if error.is_nan() || error > bound {
                let Exact { a, b, .. } = rows[at];
                failures.push(format!("{} of {a:e}, {b:e} on {}: {error:.3} ULP", function.name(), name(device)));
            }
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// C99's special values, which no table of numbers has: bit for bit but for NaN.
#[test]
fn special_values_are_those_of_c99() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let pi = std::f64::consts::PI;
    let rows: [(&str, Call, f64, f64, f64); 48] = [
        ("exp", |a, _| a.exp(), -inf, 0.0, 0.0),
        ("exp", |a, _| a.exp(), 710.0, 0.0, inf),
        ("exp", |a, _| a.exp(), -745.0, 0.0, 5e-324),
        ("exp_m1", |a, _| a.exp_m1(), -0.0, 0.0, -0.0),
        ("exp_m1", |a, _| a.exp_m1(), -inf, 0.0, -1.0),
        ("ln", |a, _| a.ln(), -0.0, 0.0, -inf),
        ("ln", |a, _| a.ln(), -1.0, 0.0, nan),
        ("ln", |a, _| a.ln(), inf, 0.0, inf),
        ("log2", |a, _| a.log2(), 5e-324, 0.0, -1074.0),
        ("ln_1p", |a, _| a.ln_1p(), -1.0, 0.0, -inf),
        ("sin", |a, _| a.sin(), inf, 0.0, nan),
        ("sin", |a, _| a.sin(), -0.0, 0.0, -0.0),
        ("cos", |a, _| a.cos(), -0.0, 0.0, 1.0),
        ("tan", |a, _| a.tan(), -0.0, 0.0, -0.0),
        ("asin", |a, _| a.asin(), 1.0000000000000002, 0.0, nan),
        ("acos", |a, _| a.acos(), 1.0, 0.0, 0.0),
        ("atan2", |a, b| a.atan2(b), 0.0, -0.0, pi),
        ("atan2", |a, b| a.atan2(b), -0.0, 1.0, -0.0),
        ("atan2", |a, b| a.atan2(b), inf, -inf, 2.356194490192345),
        ("atanh", |a, _| a.atanh(), -1.0, 0.0, -inf),
        ("acosh", |a, _| a.acosh(), 0.5, 0.0, nan),
        ("tanh", |a, _| a.tanh(), inf, 0.0, 1.0),
        ("sinh", |a, _| a.sinh(), -inf, 0.0, -inf),
        ("erf", |a, _| a.erf(), -inf, 0.0, -1.0),
        ("erfc", |a, _| a.erfc(), inf, 0.0, 0.0),
        ("pow", |a, b| a.pow(b), -2.0, 3.0, -8.0),
        ("pow", |a, b| a.pow(b), -2.0, 0.5, nan),
        ("pow", |a, b| a.pow(b), -0.0, -3.0, -inf),
        ("pow", |a, b| a.pow(b), nan, 0.0, 1.0),
        ("pow", |a, b| a.pow(b), -1.0, inf, 1.0),
        ("pow", |a, b| a.pow(b), 2.0, -1074.0, 5e-324),
        ("cbrt", |a, _| a.cbrt(), -27.0, 0.0, -3.0),
        ("cbrt", |a, _| a.cbrt(), -0.0, 0.0, -0.0),
        ("gelu", |a, _| a.gelu(), -inf, 0.0, -0.0),
        ("remainder", |a, b| a % b, f64::MAX, 0.5, 0.0),
        ("remainder", |a, b| a % b, -f64::MAX, 0.5, -0.0),
        ("remainder", |a, b| a % b, -0.0, 3.0, -0.0),
        ("remainder", |a, b| a % b, -3.5, inf, -3.5),
        ("remainder", |a, b| a % b, inf, 3.0, nan),
        ("remainder", |a, b| a % b, 3.0, 0.0, nan),
        ("modulo", |a, b| a.modulo(b), -3.5, inf, inf),
        ("modulo", |a, b| a.modulo(b), 4.0, -2.0, -0.0),
        ("floor_divide", |a, b| a.floor_divide(b), f64::MAX, 5e-324, inf),
        ("floor_divide", |a, b| a.floor_divide(b), -f64::MAX, 5e-324, -inf),
        ("floor_divide", |a, b| a.floor_divide(b), -1.0, inf, -1.0),
        ("floor_divide", |a, b| a.floor_divide(b), -1.0, 0.0, -inf),
        ("floor_divide", |a, b| a.floor_divide(b), inf, 2.0, nan),
        ("floor_divide", |a, b| a.floor_divide(b), -0.0, 2.0, -0.0),
    ];
    for device in devices().iter().filter(|device| device.caps().f64) {
        for (what, call, a, b, wanted) in rows {
            let of = |x: f64| Array::full(device, &[1], x).copy();
            let got = call(&of(a), &of(b)).item().unwrap();
            let same = got.to_bits() == wanted.to_bits() || got.is_nan() && wanted.is_nan();
            assert!(same, "{what}({a:e}, {b:e}) on {}: {got:e}, wanted {wanted:e}", name(device));
        }
    }
}
