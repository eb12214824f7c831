//! RAJAPerf's group Polybench, in f32, with fewer time steps. References are loops in f64.

use super::super::super::{Outcome, indices};
use super::{Prepared, Problem, Setting, Work, each, value};
use crosslane::array::PadMode;
use crosslane::{Stencil, s};

const SUITE: &str = "RAJAPerf Polybench";
const BOUND: f64 = 2e-5;
/// Time steps of the stencils; RAJAPerf does 16 to 40. Each is two sweeps: from A to B, and back.
const STEPS: usize = 4;

pub const PROBLEMS: [Problem; 11] = [
    Problem { suite: SUITE, name: "2MM", prepare: two_products },
    Problem { suite: SUITE, name: "3MM", prepare: three_products },
    Problem { suite: SUITE, name: "ATAX", prepare: atax },
    Problem { suite: SUITE, name: "FLOYD_WARSHALL", prepare: floyd_warshall },
    Problem { suite: SUITE, name: "GEMM", prepare: gemm },
    Problem { suite: SUITE, name: "GEMVER", prepare: gemver },
    Problem { suite: SUITE, name: "GESUMMV", prepare: gesummv },
    Problem { suite: SUITE, name: "HEAT_3D", prepare: heat_3d },
    Problem { suite: SUITE, name: "JACOBI_1D", prepare: |s| jacobi(s, 1) },
    Problem { suite: SUITE, name: "JACOBI_2D", prepare: |s| jacobi(s, 2) },
    Problem { suite: SUITE, name: "MVT", prepare: mvt },
];

/// The product of two square matrices of functions, in f64.
pub fn product(n: usize, a: impl Fn(usize) -> f64 + Sync, b: impl Fn(usize) -> f64 + Sync) -> Vec<f64> {
    multiplied(n, &each(n * n, a), &each(n * n, b))
}

fn multiplied(n: usize, a: &[f64], b: &[f64]) -> Vec<f64> {
    let row = |r: usize| {
        let mut sums = vec![0.0; n];
        for k in 0..n {
            sums.iter_mut().zip(&b[k * n..]).for_each(|(sum, b)| *sum += a[r * n + k] * b);
        }
        sums
    };
    indices::map(n, row).concat()
}

/// A square matrix times a vector, in f64.
fn times(n: usize, matrix: impl Fn(usize, usize) -> f64 + Sync, x: &[f64]) -> Vec<f64> {
    indices::map(n, |r| (0..n).map(|c| matrix(r, c) * x[c]).sum())
}

fn element(seed: u64, n: usize) -> impl Fn(usize, usize) -> f64 {
    move |row, column| value(seed, row * n + column)
}

/// Products of matrices: each a read, the last result a write.
fn products(n: usize, matrices: usize, products: usize) -> Work {
    Work { bytes: (4 * matrices * n * n) as u64, flops: (2 * products * n * n * n) as u64 }
}

fn gemm(setting: &Setting) -> Outcome<Prepared> {
    const ALPHA: f32 = 0.62;
    let n = setting.sizes.matrix;
    let [a, b] = [1, 2].map(|seed| setting.input(seed, &[n, n]));
    let wanted = move || product(n, |i| ALPHA as f64 * value(1, i), |i| value(2, i));
    Ok(Prepared::new(n, products(n, 3, 1), BOUND, move || Ok(a.matmul(&b) * ALPHA), wanted))
}

fn two_products(setting: &Setting) -> Outcome<Prepared> {
    const ALPHA: f32 = 1.5;
    const BETA: f32 = 1.25;
    let n = setting.sizes.matrix;
    let [a, b, c] = [1, 2, 3].map(|seed| setting.input(seed, &[n, n]));
    let wanted = move || {
        let first = product(n, |i| ALPHA as f64 * value(1, i), |i| value(2, i));
        let both = multiplied(n, &first, &each(n * n, |i| value(3, i)));
        both.into_iter().map(|sum| BETA as f64 + sum).collect()
    };
    let make = move || Ok((a.matmul(&b) * ALPHA).matmul(&c) + BETA);
    Ok(Prepared::new(n, products(n, 4, 2), BOUND, make, wanted))
}

fn three_products(setting: &Setting) -> Outcome<Prepared> {
    let n = setting.sizes.matrix;
    let [a, b, c, d] = [1, 2, 3, 4].map(|seed| setting.input(seed, &[n, n]));
    let wanted = move || {
        let [e, f] = [[1, 2], [3, 4]].map(|[x, y]| product(n, |i| value(x, i), |i| value(y, i)));
        multiplied(n, &e, &f)
    };
    let make = move || Ok(a.matmul(&b).matmul(&c.matmul(&d)));
    Ok(Prepared::new(n, products(n, 5, 3), BOUND, make, wanted))
}

/// Products of a matrix and vectors: the matrices read, `flops` an element of one.
fn vectors(n: usize, matrices: usize, flops: usize) -> Work {
    Work { bytes: (4 * matrices * n * n) as u64, flops: (flops * n * n) as u64 }
}

fn atax(setting: &Setting) -> Outcome<Prepared> {
    let n = setting.sizes.plane;
    let (a, x) = (setting.input(1, &[n, n]), setting.input(2, &[n]));
    let wanted = move || {
        let at = element(1, n);
        let inner = times(n, &at, &each(n, |i| value(2, i)));
        times(n, |r, c| at(c, r), &inner)
    };
    Ok(Prepared::new(n, vectors(n, 2, 4), BOUND, move || Ok(a.transpose().matvec(&a.matvec(&x))), wanted))
}

fn gesummv(setting: &Setting) -> Outcome<Prepared> {
    const ALPHA: f32 = 0.62;
    const BETA: f32 = 1.002;
    let n = setting.sizes.plane;
    let (a, b, x) = (setting.input(1, &[n, n]), setting.input(2, &[n, n]), setting.input(3, &[n]));
    let wanted = move || {
        let (a, b) = (element(1, n), element(2, n));
        times(n, |r, c| ALPHA as f64 * a(r, c) + BETA as f64 * b(r, c), &each(n, |i| value(3, i)))
    };
    let make = move || Ok(a.matvec(&x) * ALPHA + b.matvec(&x) * BETA);
    Ok(Prepared::new(n, vectors(n, 2, 4), BOUND, make, wanted))
}

fn mvt(setting: &Setting) -> Outcome<Prepared> {
    let n = setting.sizes.plane;
    let a = setting.input(1, &[n, n]);
    let [x1, x2, y1, y2] = [2, 3, 4, 5].map(|seed| setting.input(seed, &[n]));
    let wanted = move || {
        let at = element(1, n);
        let [first, second] = [4, 5].map(|seed| each(n, |i| value(seed, i)));
        let [first, second] = [times(n, &at, &first), times(n, |r, c| at(c, r), &second)];
        [(2, first), (3, second)].iter().flat_map(|(seed, sums)| each(n, |i| value(*seed, i) + sums[i])).collect()
    };
    let make = move || Ok(vec![&x1 + a.matvec(&y1), &x2 + a.transpose().matvec(&y2)]);
    Ok(Prepared::new(n, vectors(n, 2, 4), BOUND, make, wanted))
}

fn gemver(setting: &Setting) -> Outcome<Prepared> {
    const ALPHA: f32 = 1.5;
    const BETA: f32 = 1.25;
    let n = setting.sizes.plane;
    let a = setting.input(1, &[n, n]);
    let [u1, u2] = [2, 3].map(|seed| setting.input(seed, &[n]).reshape(&[n, 1]));
    let [v1, v2, y, z] = [4, 5, 6, 7].map(|seed| setting.input(seed, &[n]));
    let make = move || {
        let sum = &a + &u1 * &v1 + &u2 * &v2;
        let x = sum.transpose().matvec(&y) * BETA + &z;
        Ok(sum.matvec(&x) * ALPHA)
    };
    let wanted = move || {
        let sum = |r: usize, c: usize| value(1, r * n + c) + value(2, r) * value(4, c) + value(3, r) * value(5, c);
        let x = times(n, |r, c| BETA as f64 * sum(c, r), &each(n, |i| value(6, i)));
        let x: Vec<f64> = x.iter().enumerate().map(|(i, x)| x + value(7, i)).collect();
        times(n, |r, c| ALPHA as f64 * sum(r, c), &x)
    };
    Ok(Prepared::new(n, vectors(n, 4, 10), BOUND, make, wanted))
}

/// Shortest paths: a launch for each vertex that paths may go through.
fn floyd_warshall(setting: &Setting) -> Outcome<Prepared> {
    let n = setting.sizes.chain;
    let lengths = setting.input(1, &[n, n]);
    let make = move || {
        (0..n as isize).try_fold(lengths.clone(), |paths, k| {
            let through = paths.slice(s![.., k..k + 1]) + paths.slice(s![k..k + 1, ..]);
            let shorter = paths.minimum(&through);
            shorter.eval()?;
            Ok(shorter)
        })
    };
    let wanted = move || {
        let mut paths = each(n * n, |i| value(1, i));
        for k in 0..n {
            let row = paths[k * n..][..n].to_vec();
            for from in paths.chunks_exact_mut(n) {
                let first = from[k];
                from.iter_mut().zip(&row).for_each(|(path, rest)| *path = path.min(first + rest));
            }
        }
        paths
    };
    let work = Work { bytes: 8 * (n * n * n) as u64, flops: 2 * (n * n * n) as u64 };
    Ok(Prepared::new(n, work, BOUND, make, wanted))
}

/// Sweeps over a field whose edge is 0, of so many axes: only the inside is stored, and the padding
/// is the edge.
fn swept(
    setting: &Setting,
    axes: usize,
    side: usize,
    (text, flops): (&str, usize),
    rule: fn(f64, f64) -> f64,
) -> Outcome<Prepared> {
    let shape = vec![side; axes];
    let n: usize = shape.iter().product();
    let (field, stencil) = (setting.input(1, &shape), Stencil::new(text)?);
    let make = move || stencil.run(&field, 2 * STEPS, PadMode::Constant(0.0));
    let wanted = move || {
        let at = |field: &[f64], i: usize, axis: usize, by: isize| {
            let stride = side.pow((axes - 1 - axis) as u32);
            let place = (i / stride % side) as isize + by;
            let inside = (0..side as isize).contains(&place);
            if inside { field[(i as isize + by * stride as isize) as usize] } else { 0.0 }
        };
        let sweep = |field: Vec<f64>| {
            let one = |i: usize| {
                let around = |axis: usize| at(&field, i, axis, -1) + at(&field, i, axis, 1);
                rule(field[i], (0..axes).map(around).sum())
            };
            indices::map(n, one)
        };
        (0..2 * STEPS).fold(each(n, |i| value(1, i)), |field, _| sweep(field))
    };
    let work = Work::each(n * 2 * STEPS, 2, flops);
    Ok(Prepared::new(side, work, BOUND, make, wanted))
}

fn jacobi(setting: &Setting, axes: usize) -> Outcome<Prepared> {
    match axes {
        1 => {
            let rule = ("0.33333 * (left + u + right)", 3);
            swept(setting, 1, setting.sizes.line, rule, |own, around| 0.33333 * (own + around))
        }
        _ => {
            let rule = ("0.2 * (u + left + right + down + up)", 5);
            swept(setting, 2, setting.sizes.plane, rule, |own, around| 0.2 * (own + around))
        }
    }
}

fn heat_3d(setting: &Setting) -> Outcome<Prepared> {
    let text =
        "0.125 * (back - 2.0 * u + front) + 0.125 * (down - 2.0 * u + up) + 0.125 * (right - 2.0 * u + left) + u";
    let rule = |own: f64, around: f64| 0.125 * (around - 6.0 * own) + own;
    swept(setting, 3, setting.sizes.cube, (text, 15), rule)
}

#[cfg(test)]
mod tests {
    #[test]
    fn products_are_by_rows_and_columns() {
        let got = super::product(2, |i| [1.0, 2.0, 3.0, 4.0][i], |i| [5.0, 6.0, 7.0, 8.0][i]);
        assert_eq!(got, [19.0, 22.0, 43.0, 50.0]);
    }
}
