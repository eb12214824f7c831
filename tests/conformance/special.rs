//! Special functions against exact results: `special.txt` has them to a thousandth of an ULP, by mpmath in 50 digits, as
//! `special.py` writes them; and their values at poles, zeros, infinities and limits, which are SciPy's or C's.

use crate::support::*;
use crosslane::op::Value;
use crosslane::{Array, DType, Device};

type Of<T> = fn(&[Array<T>]) -> Array<T>;

/// Name, the call for f32 and for f64, and the bound in ULP, as the documentation states it for both.
type Row = (&'static str, Of<f32>, Of<f64>, f64);

macro_rules! rows {
    ($($name:ident $bound:literal)*) => {
        [$((stringify!($name), |x| x[0].$name(), |x| x[0].$name(), $bound)),*]
    };
}

const ROWS: [Row; 9] = rows! { erfinv 4.0 erfcinv 4.0 gamma 6.0 lgamma 6.0 digamma 6.0 i0 6.0 i1 6.0 j0 6.0 j1 6.0 };

/// Its ULP in the table is as large as its whole bound, which depends on its arguments.
const BETAINC: Row = ("betainc", |x| x[2].betainc(&x[0], &x[1]), |x| x[2].betainc(&x[0], &x[1]), 1.0);

/// Arguments, the f64 nearest to the result, how far the result lies above it in its ULPs, and the ULP that errors count in.
struct Exact {
    args: Vec<f64>,
    nearest: f64,
    above: f64,
    unit: f64,
}

fn table(name: &str, kind: &str) -> Vec<Exact> {
    let exact = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        let bits = |word: &&str| f64::from_bits(u64::from_str_radix(word, 16).unwrap());
        let [args @ .., nearest, above, exponent] = &words[2..] else { panic!("{line}") };
        let exponent: i32 = exponent.parse().unwrap();
        let unit = 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2);
        Exact { args: args.iter().map(bits).collect(), nearest: bits(nearest), above: above.parse().unwrap(), unit }
    };
    let begin = format!("{name} {kind} ");
    include_str!("special.txt").lines().filter(|line| line.starts_with(&begin)).map(exact).collect()
}

/// The row that is furthest off, if that is past the bound.
fn worst<T: crosslane::Float>(device: &Device, name: &str, kind: &str, call: Of<T>, bound: f64) -> Option<String> {
    let rows = table(name, kind);
    assert!(rows.len() >= 200, "{name} of {kind} has {} rows", rows.len());
    let column = |nth: usize| {
        let values = rows.iter().map(|row| T::from_scalar(Value::Float(row.args[nth]).scalar(T::DTYPE)));
        Array::from_slice(device, &values.collect::<Vec<T>>())
    };
    let args: Vec<Array<T>> = (0..rows[0].args.len()).map(column).collect();
    let got = call(&args).to_vec().unwrap();
    let errors = rows.iter().zip(got).map(|(row, got)| {
        let got = value(got).float();
        (((got - row.nearest) / row.unit - row.above).abs(), row, got)
    });
    let rank = |error: f64| if error.is_nan() { f64::INFINITY } else { error };
    let (error, row, got) = errors.max_by(|(a, ..), (b, ..)| rank(*a).total_cmp(&rank(*b))).expect("there are rows");
    println!("{name} of {kind} on {}: at most {error:.2} ULP", crate::support::name(device));
    let what = format!("{name} of {:?}, {kind}, on {}: {error:.3} ULP", row.args, crate::support::name(device));
    (rank(error) > bound).then(|| format!("{what}: got {got:e}, wanted {:e}", row.nearest))
}

#[test]
fn special_functions_are_within_their_bounds_of_exact_results() {
    let mut failures = vec![];
    for device in devices() {
        for (name, single, double, bound) in ROWS.into_iter().chain([BETAINC]) {
            failures.extend(worst(device, name, "f32", single, bound));
            if has(device, DType::F64) {
                failures.extend(worst(device, name, "f64", double, bound));
            }
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// SciPy 1.17.1's values, and C99's of lgamma at minus infinity; the signs of zeros count where they are not lgamma's.
#[test]
fn poles_zeros_infinities_and_limits() {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let x = [0.0, -0.0, 1.0, 2.0, -1.0, -2.0, -1e30, inf, -inf, nan, 0.5, 1e-30, -1e-30, 171.7, 2.5];
    type Table = (&'static str, Of<f32>, Of<f64>, [f32; 15]);
    let tables: [Table; 9] = [
        (
            "gamma",
            |x| x[0].gamma(),
            |x| x[0].gamma(),
            [inf, -inf, 1.0, 1.0, nan, nan, nan, inf, nan, nan, 1.772_453_9, 1e30, -1e30, inf, 1.329_340_4],
        ),
        (
            "lgamma",
            |x| x[0].lgamma(),
            |x| x[0].lgamma(),
            [
                inf,
                inf,
                0.0,
                0.0,
                inf,
                inf,
                inf,
                inf,
                inf,
                nan,
                0.572_364_9,
                69.077_55,
                69.077_55,
                710.171_6,
                0.284_682_87,
            ],
        ),
        (
            "digamma",
            |x| x[0].digamma(),
            |x| x[0].digamma(),
            [
                -inf,
                inf,
                -0.577_215_7,
                0.422_784_33,
                nan,
                nan,
                nan,
                inf,
                nan,
                nan,
                -1.963_51,
                -1e30,
                1e30,
                5.142_833_9,
                0.703_156_65,
            ],
        ),
        (
            "erfinv",
            |x| x[0].erfinv(),
            |x| x[0].erfinv(),
            [0.0, -0.0, inf, nan, -inf, nan, nan, nan, nan, nan, 0.476_936_28, 8.862_269e-31, -8.862_269e-31, nan, nan],
        ),
        (
            "erfcinv",
            |x| x[0].erfcinv(),
            |x| x[0].erfcinv(),
            [inf, inf, 0.0, -inf, nan, nan, nan, nan, nan, nan, 0.476_936_28, 8.148_616, nan, nan, nan],
        ),
        // SciPy gives NaN at infinities of these; the limits are C's.
        (
            "i0",
            |x| x[0].i0(),
            |x| x[0].i0(),
            [
                1.0,
                1.0,
                1.266_066,
                2.279_585_3,
                1.266_066,
                2.279_585_3,
                inf,
                inf,
                inf,
                nan,
                1.063_483_4,
                1.0,
                1.0,
                inf,
                3.289_839_2,
            ],
        ),
        (
            "i1",
            |x| x[0].i1(),
            |x| x[0].i1(),
            [
                0.0,
                -0.0,
                0.565_159_1,
                1.590_636_9,
                -0.565_159_1,
                -1.590_636_9,
                -inf,
                inf,
                -inf,
                nan,
                0.257_894_3,
                5e-31,
                -5e-31,
                inf,
                2.516_716_2,
            ],
        ),
        (
            "j0",
            |x| x[0].j0(),
            |x| x[0].j0(),
            [
                1.0,
                1.0,
                0.765_197_7,
                0.223_890_78,
                0.765_197_7,
                0.223_890_78,
                0.0,
                0.0,
                0.0,
                nan,
                0.938_469_8,
                1.0,
                1.0,
                0.018_164_855,
                -0.048_383_776,
            ],
        ),
        (
            "j1",
            |x| x[0].j1(),
            |x| x[0].j1(),
            [
                0.0,
                -0.0,
                0.440_050_6,
                0.576_724_8,
                -0.440_050_6,
                -0.576_724_8,
                0.0,
                0.0,
                -0.0,
                nan,
                0.242_268_46,
                5e-31,
                -5e-31,
                0.058_171_704,
                0.497_094_1,
            ],
        ),
    ];
    let close = |got: f64, wanted: f32, what: String| {
        let wanted = wanted as f64;
        let near = (got - wanted).abs() <= 5e-6 * wanted.abs() || got.is_nan() && wanted.is_nan() || got == wanted;
        // Waves are as low as this where the phase of f32 has no accuracy.
        let near = near || what.starts_with('j') && (got - wanted).abs() < 1e-14;
        let sign = got != 0.0 || what.starts_with("lgamma") || got.is_sign_negative() == wanted.is_sign_negative();
        assert!(near && sign, "{what}: {got:e}, wanted {wanted:e}");
    };
    for device in devices() {
        for (what, single, double, wanted) in &tables {
            let got = single(&[Array::from_slice(device, &x)]).to_vec().unwrap();
            for ((x, got), wanted) in x.iter().zip(got).zip(wanted) {
                // 1/1e-30 and what is as large is a number of f32 too.
                close(got as f64, *wanted, format!("{what}({x:e}) of f32 on {}", name(device)));
            }
            if has(device, DType::F64) {
                let exact: Vec<f64> = x.iter().map(|&x| x as f64).collect();
                let got = double(&[Array::from_slice(device, &exact)]).to_vec().unwrap();
                for ((x, got), wanted) in exact.iter().zip(got).zip(wanted) {
                    close(got, *wanted, format!("{what}({x:e}) of f64 on {}", name(device)));
                }
            }
        }
    }
}

/// SciPy 1.17.1's.
#[test]
fn limits_of_the_incomplete_beta_function() {
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let a = [0.0, 1.0, 0.0, -1.0, 1.0, 1.0, inf, 1.0, inf, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 2.0, 2.0, 1.0, 0.5];
    let b = [1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, inf, inf, 1.0, 1.0, 1.0, 0.0, 1.0, 0.0, 3.0, 3.0, 1.0, 0.5];
    let x = [0.5, 0.5, 0.5, 0.5, -0.1, 1.1, 0.5, 0.5, 0.5, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, nan, 0.5, 0.25, 0.25];
    let third = 1.0 / 3.0;
    let wanted = [1.0, 0.0, nan, nan, nan, nan, 0.0, 1.0, nan, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, nan, 0.6875, 0.25, third];
    for device in devices() {
        let [a, b, x] = [a, b, x].map(|values| Array::from_slice(device, &values));
        let got = x.betainc(&a, &b).to_vec().unwrap();
        let same = |(got, wanted): (&f32, &f32)| (got - wanted).abs() < 2e-6 || got.is_nan() && wanted.is_nan();
        assert!(got.iter().zip(&wanted).all(same), "{got:?} on {}", name(device));
    }
}

/// What only doubles have: small results, and arguments past the range of f32.
#[test]
fn doubles_reach_to_their_limits() {
    type Case = (&'static str, Of<f64>, f64, f64);
    let rows: [Case; 9] = [
        ("gamma", |x| x[0].gamma(), 171.0, 7.257415615307999e306),
        ("gamma", |x| x[0].gamma(), 171.62, 1.7576826789978127e308),
        ("gamma", |x| x[0].gamma(), 171.7, f64::INFINITY),
        ("gamma", |x| x[0].gamma(), -172.5, -1.11978350329e-312),
        ("gamma", |x| x[0].gamma(), -190.5, -0.0),
        ("gamma", |x| x[0].gamma(), 1e-308, 1e308),
        ("lgamma", |x| x[0].lgamma(), 1e305, 7.012_884_533_631_839e307),
        ("erfcinv", |x| x[0].erfcinv(), 5e-324, 27.213_293_210_812_95),
        ("erfcinv", |x| x[0].erfcinv(), 1e-300, 26.209_469_960_516_124),
    ];
    for device in devices().iter().filter(|device| has(device, DType::F64)) {
        for (what, call, x, wanted) in rows {
            let got = call(&[Array::from_slice(device, &[x])]).item().unwrap();
            let near = got == wanted || (got - wanted).abs() <= 1e-15 * wanted.abs();
            assert!(near || (got - wanted).abs() <= 1e-323, "{what}({x:e}) on {}: {got:e}, {wanted:e}", name(device));
        }
    }
}
