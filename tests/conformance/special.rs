//! Special functions against exact results: `special.txt` has them to a thousandth of an ULP, by mpmath in 50 digits, as
//! `special.py` writes them; and their values at poles, zeros, infinities and limits, which are SciPy's or C's.

use crate::support::*;
use crosslane::op::Value;
use crosslane::{Array, DType, Device, f16};

type Of<T> = fn(&[Array<T>]) -> Array<T>;

/// Name, the call for f32 and for f64, and the bound in ULP, as the documentation states it for both.
type Row = (&'static str, Of<f32>, Of<f64>, f64);

macro_rules! rows {
    ($($name:ident $bound:literal,)*) => {
        vec![$((stringify!($name), |x: &[Array<f32>]| x[0].$name(), |x: &[Array<f64>]| x[0].$name(), $bound)),*]
    };
}

fn rows() -> Vec<Row> {
    rows! { erfinv 3.5, erfcinv 3.5, gamma 4.5, lgamma 4.5, digamma 4.5, i0 6.0, i1 6.0, j0 6.0, j1 6.0, }
        .into_iter()
        .chain(betainc())
        .collect()
}

/// Its ULP in the table is as large as its whole bound, which depends on its arguments.
fn betainc() -> [Row; 1] {
    [("betainc", |x| x[2].betainc(&x[0], &x[1]), |x| x[2].betainc(&x[0], &x[1]), 1.0)]
}

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
        for (name, single, double, bound) in rows() {
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
                0.572_364_94,
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
                1.266_065_9,
                2.279_585_3,
                1.266_065_9,
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
        ("erfcinv", |x| x[0].erfcinv(), 5e-324, 27.213_293_210_812_948),
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

/// NumPy 2.4's `frexp`, `ldexp`, `signbit`, `nan_to_num`, `divmod`.
#[test]
fn parts_of_numbers_are_numpys() {
    let tiny = f32::from_bits(1);
    for device in devices() {
        let what = name(device);
        let x = [0.0, -0.0, 3.0, -1024.0, tiny, f32::MIN_POSITIVE, f32::MAX, f32::INFINITY, f32::NAN, -1e-40];
        let array = Array::from_slice(device, &x);
        let (mantissas, exponents) = array.frexp();
        let (mantissas, exponents) = (mantissas.to_vec().unwrap(), exponents.to_vec().unwrap());
        let wanted = [0.0, -0.0, 0.75, -0.5, 0.5, 0.5, 1.0 - 2f32.powi(-24), f32::INFINITY];
        assert_eq!(mantissas[..8].iter().map(|m| m.to_bits()).collect::<Vec<_>>(), wanted.map(f32::to_bits), "{what}");
        assert!(mantissas[8].is_nan() && mantissas[9] == libm::frexpf(-1e-40).0, "{what}");
        assert_eq!(exponents, [0, 0, 2, 11, -148, -125, 128, 0, 0, -132], "{what}");
        let signs = [false, true, false, true, false, false, false, false];
        assert_eq!(array.signbit().to_vec().unwrap()[..8], signs, "{what}");
        // Rounded once to denormal numbers, ties to even, and back to what overflows.
        let some = [1.0f32, 3.0, 5.0, 1.5, -1.999_999_9, tiny, 1e-40, 1.0, 1.0, 0.0];
        let powers = [-149, -150, -150, -149, -127, 276, 133, 128, i32::MIN, i32::MAX];
        let got = Array::from_slice(device, &some).ldexp(&Array::from_slice(device, &powers)).to_vec().unwrap();
        let wanted =
            [tiny, 2.0 * tiny, 2.0 * tiny, 2.0 * tiny, -1.175_494_4e-38, 2f32.powi(127), libm::scalbnf(1e-40, 133)];
        assert_eq!(got[..7].iter().map(|x| x.to_bits()).collect::<Vec<_>>(), wanted.map(f32::to_bits), "{what}");
        assert_eq!(got[7..], [f32::INFINITY, 0.0, 0.0], "{what}");
        let ends = Array::from_slice(device, &[f32::NAN, f32::INFINITY, -f32::INFINITY, -0.0, tiny]);
        let got: Vec<u32> = ends.nan_to_num().to_vec().unwrap().into_iter().map(f32::to_bits).collect();
        assert_eq!(got, [0.0, f32::MAX, f32::MIN, -0.0, tiny].map(f32::to_bits), "{what}");
        let given = ends.slice(crosslane::s![..3]).nan_to_num_with(1.0, 2.0, 3.0);
        assert_eq!(given.to_vec().unwrap(), [1.0, 2.0, 3.0], "{what}");
        let (quotients, rests) =
            Array::from_slice(device, &[5, -5, 5, -5, i32::MIN]).divmod(&Array::from_slice(device, &[3, 3, -3, 0, -1]));
        assert_eq!(quotients.to_vec().unwrap(), [1, -2, -2, 0, i32::MIN], "{what}");
        assert_eq!(rests.to_vec().unwrap(), [2, 1, -1, 0, 0], "{what}");
        let (quotients, rests) = Array::from_slice(device, &[5.5f32, -5.5, 5.5, -1.0])
            .divmod(&Array::from_slice(device, &[2.0, 2.0, -2.0, 0.0]));
        assert_eq!(quotients.to_vec().unwrap(), [2.0, -3.0, -3.0, f32::NEG_INFINITY], "{what}");
        let rests = rests.to_vec().unwrap();
        assert!(rests[..3] == [1.5, 0.5, -0.5] && rests[3].is_nan(), "{what}: {rests:?}");
    }
}

#[test]
fn parts_of_doubles_and_halves_are_numpys() {
    for device in devices() {
        let what = name(device);
        if has(device, DType::F64) {
            let x = [5e-324, -3.0, f64::MAX, f64::INFINITY, 0.0, 2.2e-308];
            let (mantissas, exponents) = Array::from_slice(device, &x).frexp();
            assert_eq!(exponents.to_vec().unwrap(), [-1073, 2, 1024, 0, 0, -1022], "{what}");
            let wanted = [0.5, -0.75, 1.0 - 2f64.powi(-53), f64::INFINITY, 0.0, libm::frexp(2.2e-308).0];
            assert_eq!(mantissas.to_vec().unwrap(), wanted, "{what}");
            let some = [1.0, 3.0, 5e-324, 1.0, -1.0, 1.0, f64::NEG_INFINITY];
            let powers = [-1074, -1075, 2097, 1024, -1076, 1023, 3];
            let got = Array::from_slice(device, &some).ldexp(&Array::from_slice(device, &powers)).to_vec().unwrap();
            let wanted = [5e-324, 1e-323, 2f64.powi(1023), f64::INFINITY, -0.0, 2f64.powi(1023), f64::NEG_INFINITY];
            assert_eq!(got, wanted, "{what}");
            let ends = Array::from_slice(device, &[f64::NAN, f64::INFINITY, f64::NEG_INFINITY]).nan_to_num();
            assert_eq!(ends.to_vec().unwrap(), [0.0, f64::MAX, f64::MIN], "{what}");
        }
        if has(device, DType::F16) {
            let x = Array::from_slice(device, &[f16::from_f32(-3.0), f16::from_bits(1), f16::MAX, f16::INFINITY]);
            let (mantissas, exponents) = x.frexp();
            assert_eq!(exponents.to_vec().unwrap(), [2, -23, 16, 0], "{what}");
            let wanted = [-0.75, 0.5, 0.999_511_7, f32::INFINITY];
            assert_eq!(mantissas.cast::<f32>().to_vec().unwrap(), wanted, "{what}");
            let more = x.slice(crosslane::s![..2]).ldexp(4).cast::<f32>().to_vec().unwrap();
            assert_eq!(more, [-48.0, 2f32.powi(-20)], "{what}");
            assert_eq!(x.nan_to_num().cast::<f32>().to_vec().unwrap()[3], 65504.0, "{what}");
        }
    }
}
