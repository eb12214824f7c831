//! RAJAPerf's group Lcals, in f32. References are loops in f64.

use super::super::super::Outcome;
use super::{Prepared, Problem, Setting, Work, each, value};
use crosslane::{Array, s};

const SUITE: &str = "RAJAPerf Lcals";
const BOUND: f64 = 1e-5;
/// Scalars that RAJAPerf takes from its data.
const Q: f32 = 0.25;
const R: f32 = 0.125;
const T: f32 = 0.1875;

pub const PROBLEMS: [Problem; 8] = [
    Problem { suite: SUITE, name: "EOS", prepare: eos },
    Problem { suite: SUITE, name: "FIRST_DIFF", prepare: first_diff },
    Problem { suite: SUITE, name: "FIRST_MIN", prepare: first_min },
    Problem { suite: SUITE, name: "FIRST_SUM", prepare: first_sum },
    Problem { suite: SUITE, name: "HYDRO_1D", prepare: hydro_1d },
    Problem { suite: SUITE, name: "INT_PREDICT", prepare: int_predict },
    Problem { suite: SUITE, name: "PLANCKIAN", prepare: planckian },
    Problem { suite: SUITE, name: "TRIDIAG_ELIM", prepare: tridiag_elim },
];

/// `n` elements from this one on.
fn from(x: &Array<f32>, first: usize, n: usize) -> Array<f32> {
    x.slice(s![first as isize..(first + n) as isize])
}

fn eos(setting: &Setting) -> Outcome<Prepared> {
    let n = setting.sizes.line;
    let (u, y, z) = (setting.input(1, &[n + 7]), setting.input(2, &[n]), setting.input(3, &[n]));
    let make = move || {
        let u = |by: usize| from(&u, by, n);
        let near = u(3) + (u(2) + u(1) * R) * R;
        let far = (u(6) + (u(5) + u(4) * Q) * Q) * T;
        Ok(u(0) + (&z + &y * R) * R + (near + far) * T)
    };
    let wanted = move || {
        let (q, r, t) = (Q as f64, R as f64, T as f64);
        each(n, |i| {
            let u = |by: usize| value(1, i + by);
            let near = u(3) + r * (u(2) + r * u(1));
            u(0) + r * (value(3, i) + r * value(2, i)) + t * (near + t * (u(6) + q * (u(5) + q * u(4))))
        })
    };
    Ok(Prepared::new(n, Work::each(n, 4, 16), BOUND, make, wanted))
}

fn first_diff(setting: &Setting) -> Outcome<Prepared> {
    let n = setting.sizes.line;
    let y = setting.input(1, &[n + 1]);
    let make = move || Ok(from(&y, 1, n) - from(&y, 0, n));
    Ok(Prepared::new(n, Work::each(n, 2, 1), BOUND, make, move || each(n, |i| value(1, i + 1) - value(1, i))))
}

fn first_sum(setting: &Setting) -> Outcome<Prepared> {
    let n = setting.sizes.line;
    let y = setting.input(1, &[n + 1]);
    let make = move || Ok(from(&y, 0, n) + from(&y, 1, n));
    Ok(Prepared::new(n, Work::each(n, 2, 1), BOUND, make, move || each(n, |i| value(1, i) + value(1, i + 1))))
}

/// The smallest value, and the first place that has it.
fn first_min(setting: &Setting) -> Outcome<Prepared> {
    let n = setting.sizes.line;
    let x = setting.input(1, &[n]);
    let wanted = move || {
        let least = (0..n).reduce(|least, i| if value(1, i) < value(1, least) { i } else { least });
        let least = least.expect("there are elements");
        vec![value(1, least), least as f64]
    };
    Ok(Prepared::new(n, Work::each(n, 1, 1), 0.0, move || Ok((x.min(), x.arg_min())), wanted))
}

fn hydro_1d(setting: &Setting) -> Outcome<Prepared> {
    let n = setting.sizes.line;
    let (y, z) = (setting.input(1, &[n]), setting.input(2, &[n + 12]));
    let make = move || Ok(&y * (from(&z, 10, n) * R + from(&z, 11, n) * T) + Q);
    let wanted =
        move || each(n, |i| Q as f64 + value(1, i) * (R as f64 * value(2, i + 10) + T as f64 * value(2, i + 11)));
    Ok(Prepared::new(n, Work::each(n, 3, 5), BOUND, make, wanted))
}

/// Rows of the thirteen, and their factors.
const PREDICTORS: [(usize, f32); 10] =
    [(12, 0.1), (11, 0.2), (10, 0.3), (9, 0.1), (8, 0.2), (7, 0.3), (6, 0.1), (4, 0.25), (5, 0.25), (2, 1.0)];

fn int_predict(setting: &Setting) -> Outcome<Prepared> {
    let n = setting.sizes.line / 8;
    let x = setting.input(1, &[13, n]);
    let make = move || {
        let row = |&(row, factor): &(usize, f32)| x.slice(s![row as isize]) * factor;
        Ok(PREDICTORS[1..].iter().fold(row(&PREDICTORS[0]), |sum, next| sum + row(next)))
    };
    let wanted =
        move || each(n, |i| PREDICTORS.iter().map(|&(row, factor)| factor as f64 * value(1, row * n + i)).sum());
    Ok(Prepared::new(n, Work::each(n, 11, 17), BOUND, make, wanted))
}

fn planckian(setting: &Setting) -> Outcome<Prepared> {
    let n = setting.sizes.line;
    let (x, u, v) = (setting.input(1, &[n]), setting.input(2, &[n]), setting.input(3, &[n]));
    let make = move || {
        let y = &u / &v;
        let w = &x / (y.exp() - 1.0);
        Ok(vec![y, w])
    };
    let wanted = move || {
        let y = |i: usize| value(2, i) / value(3, i);
        [each(n, y), each(n, |i| value(1, i) / (y(i).exp() - 1.0))].concat()
    };
    Ok(Prepared::new(n, Work::each(n, 5, 4), BOUND, make, wanted))
}

fn tridiag_elim(setting: &Setting) -> Outcome<Prepared> {
    let n = setting.sizes.line;
    let (x, y, z) = (setting.input(1, &[n]), setting.input(2, &[n]), setting.input(3, &[n]));
    let make = move || Ok(from(&z, 1, n - 1) * (from(&y, 1, n - 1) - from(&x, 0, n - 1)));
    let wanted = move || each(n - 1, |i| value(3, i + 1) * (value(2, i + 1) - value(1, i)));
    Ok(Prepared::new(n, Work::each(n, 4, 2), BOUND, make, wanted))
}
