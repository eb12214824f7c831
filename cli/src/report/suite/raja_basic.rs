//! RAJAPerf's group Basic, in f32. References are loops in f64.

use super::super::super::Outcome;
use super::super::super::compare::{random, word};
use super::{Prepared, Problem, Setting, Work, each, value};
use crosslane::{Argument, Array, Elementwise, Kernel, Reduction, Result};

const SUITE: &str = "RAJAPerf Basic";
const BOUND: f64 = 1e-5;
/// The text of MAT_MAT_SHARED: tiles of 16 x 16 in workgroup memory.
const MATMUL: &str = include_str!("../../../kernels/matmul.wgsl");
const TILE: usize = 16;

pub const PROBLEMS: [Problem; 10] = [
    Problem { suite: SUITE, name: "DAXPY", prepare: daxpy },
    Problem { suite: SUITE, name: "IF_QUAD", prepare: if_quad },
    Problem { suite: SUITE, name: "INIT3", prepare: init3 },
    Problem { suite: SUITE, name: "INIT_VIEW1D", prepare: init_view1d },
    Problem { suite: SUITE, name: "MAT_MAT_SHARED", prepare: mat_mat_shared },
    Problem { suite: SUITE, name: "MULADDSUB", prepare: muladdsub },
    Problem { suite: SUITE, name: "NESTED_INIT", prepare: nested_init },
    Problem { suite: SUITE, name: "PI_REDUCE", prepare: pi_reduce },
    Problem { suite: SUITE, name: "REDUCE3_INT", prepare: reduce3_int },
    Problem { suite: SUITE, name: "TRAP_INT", prepare: trap_int },
];

fn daxpy(setting: &Setting) -> Outcome<Prepared> {
    const A: f32 = 0.3;
    let n = setting.sizes.line;
    let (x, y) = (setting.input(1, &[n]), setting.input(2, &[n]));
    let wanted = move || each(n, |i| value(2, i) + A as f64 * value(1, i));
    Ok(Prepared::new(n, Work::each(n, 3, 2), BOUND, move || Ok(&y + &x * A), wanted))
}

/// Coefficient b: half of the equations have no root, and none is near one root only, where rounding decides.
fn middle(i: usize) -> f32 {
    let large = random(4, i);
    if large < 0.5 { 0.01 + 0.02 * large } else { 1.0 + large }
}

fn if_quad(setting: &Setting) -> Outcome<Prepared> {
    let n = setting.sizes.line;
    let (a, c) = (setting.input(1, &[n]), setting.input(3, &[n]));
    let b = Array::from_slice(setting.device, &(0..n).map(middle).collect::<Vec<_>>());
    let root = |sign: &str| {
        let text =
            format!("let s = b * b - 4.0 * a * c; select(0.0, (-b {sign} sqrt(max(s, 0.0))) * (0.5 / a), s >= 0.0)");
        Elementwise::new("a: f32, b: f32, c: f32", &text)
    };
    let roots = [root("+")?, root("-")?];
    let make = move || roots.iter().map(|root| root.call::<f32>((&a, &b, &c))).collect::<Result<Vec<_>>>();
    let exact = |sign: f64, i: usize| {
        let (a, b, c) = (value(1, i), middle(i) as f64, value(3, i));
        let s = b * b - 4.0 * a * c;
        if s < 0.0 { 0.0 } else { (-b + sign * s.sqrt()) * (0.5 / a) }
    };
    let wanted = move || [each(n, |i| exact(1.0, i)), each(n, |i| exact(-1.0, i))].concat();
    Ok(Prepared::new(n, Work::each(n, 5, 11), BOUND, make, wanted))
}

fn init3(setting: &Setting) -> Outcome<Prepared> {
    let n = setting.sizes.line;
    let (x, y) = (setting.input(1, &[n]), setting.input(2, &[n]));
    let wanted = move || each(3 * n, |i| -value(1, i % n) - value(2, i % n));
    let make = move || Ok((0..3).map(|_| -&x - &y).collect::<Vec<_>>());
    Ok(Prepared::new(n, Work::each(n, 5, 2), BOUND, make, wanted))
}

fn init_view1d(setting: &Setting) -> Outcome<Prepared> {
    let (n, device) = (setting.sizes.line, setting.device.clone());
    let text = Elementwise::new("zero: f32", "zero + f32(i + 1u) * 0.00000123")?;
    let make = move || text.call::<f32>(&Array::<f32>::zeros(&device, &[n]));
    Ok(Prepared::new(n, Work::each(n, 1, 1), BOUND, make, move || each(n, |i| (i + 1) as f64 * 0.00000123)))
}

fn mat_mat_shared(setting: &Setting) -> Outcome<Prepared> {
    let (n, device) = (setting.sizes.matrix, setting.device.clone());
    let (a, b) = (setting.input(1, &[n, n]), setting.input(2, &[n, n]));
    let kernel = Kernel::wgsl_with(MATMUL, Some("tiled"), &[])?;
    let shape = Array::from_slice(&device, &[n as u32, n as u32, n as u32, 0]);
    let groups = n.div_ceil(TILE) as u32;
    let make = move || {
        let c = Array::<f32>::empty(&device, &[n, n]);
        let arguments = [Argument::in_place(&shape), Argument::from(&a), Argument::from(&b), Argument::in_place(&c)];
        kernel.grid([groups, groups]).args(arguments).launch(&device)?;
        Ok(c)
    };
    let work = Work { bytes: 12 * (n * n) as u64, flops: 2 * (n * n * n) as u64 };
    let wanted = move || super::raja_polybench::product(n, |i| value(1, i), |i| value(2, i));
    Ok(Prepared::new(n, work, BOUND, make, wanted))
}

fn muladdsub(setting: &Setting) -> Outcome<Prepared> {
    let n = setting.sizes.line;
    let (x, y) = (setting.input(1, &[n]), setting.input(2, &[n]));
    let wanted = move || {
        let of = |f: fn(f64, f64) -> f64| each(n, |i| f(value(1, i), value(2, i)));
        [of(|x, y| x * y), of(|x, y| x + y), of(|x, y| x - y)].concat()
    };
    Ok(Prepared::new(n, Work::each(n, 5, 3), BOUND, move || Ok(vec![&x * &y, &x + &y, &x - &y]), wanted))
}

fn nested_init(setting: &Setting) -> Outcome<Prepared> {
    let (side, device) = (setting.sizes.cube, setting.device.clone());
    let n = side.pow(3);
    let text = format!(
        "let side = {side}u; zero + 0.00000001 * f32(i % side) * f32(i / side % side) * f32(i / (side * side))"
    );
    let text = Elementwise::new("zero: f32", &text)?;
    let make = move || text.call::<f32>(&Array::<f32>::zeros(&device, &[n]));
    let product = move |i: usize| (i % side) as f64 * (i / side % side) as f64 * (i / (side * side)) as f64;
    Ok(Prepared::new(n, Work::each(n, 1, 3), BOUND, make, move || each(n, |i| 0.00000001 * product(i))))
}

fn pi_reduce(setting: &Setting) -> Outcome<Prepared> {
    let (n, device) = (setting.sizes.line, setting.device.clone());
    let text = format!("let x = (f32(i) + 0.5 + zero) / {n}.0; 4.0 / ({n}.0 * (1.0 + x * x))");
    let sum = Reduction::new("zero: f32", &text, "a + b", "0", "")?;
    let make = move || sum.call::<f32>(&Array::<f32>::zeros(&device, &[n]));
    let wanted = move || {
        let x = |i: usize| (i as f64 + 0.5) / n as f64;
        vec![each(n, |i| 4.0 / (n as f64 * (1.0 + x(i) * x(i)))).iter().sum()]
    };
    let work = Work { bytes: 4, flops: 6 * n as u64 };
    Ok(Prepared::new(n, work, BOUND, make, wanted))
}

/// As RAJAPerf has them: 1 and -1, and one smallest and one largest.
fn integers(n: usize) -> Vec<i32> {
    let mut values: Vec<i32> = (0..n).map(|i| if random(1, i) < 0.5 { -1 } else { 1 }).collect();
    values[word(2, 0) as usize % n] = -58;
    values[word(2, 1) as usize % n] = 19;
    values
}

fn reduce3_int(setting: &Setting) -> Outcome<Prepared> {
    let n = setting.sizes.line;
    let x = Array::from_slice(setting.device, &integers(n));
    let wanted = move || {
        let x = integers(n);
        let ends = [x.iter().min(), x.iter().max()].map(|end| f64::from(*end.expect("there are elements")));
        vec![x.iter().map(|&x| f64::from(x)).sum(), ends[0], ends[1]]
    };
    Ok(Prepared::new(n, Work::each(n, 1, 3), 0.0, move || Ok(vec![x.sum(), x.min(), x.max()]), wanted))
}

fn trap_int(setting: &Setting) -> Outcome<Prepared> {
    let (n, device) = (setting.sizes.line, setting.device.clone());
    // x0 = 0.2, xp = 0.1; y - yp = 0.1
    let text = format!("let x = 0.2 + f32(i) / {n}.0 - 0.1 + zero; 1.0 / sqrt(x * x + 0.01)");
    let sum = Reduction::new("zero: f32", &text, "a + b", "0", &format!("a / {n}.0"))?;
    let make = move || sum.call::<f32>(&Array::<f32>::zeros(&device, &[n]));
    let wanted = move || {
        let x = |i: usize| 0.1 + i as f64 / n as f64;
        vec![each(n, |i| 1.0 / (x(i) * x(i) + 0.01).sqrt()).iter().sum::<f64>() / n as f64]
    };
    let work = Work { bytes: 4, flops: 8 * n as u64 };
    Ok(Prepared::new(n, work, BOUND, make, wanted))
}
