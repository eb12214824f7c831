//! Classics of high-performance computing, as kernels and expressions of a program's own. References are loops in f64.

use super::super::super::Outcome;
use super::super::super::compare::{random, word};
use super::super::super::indices;
use super::kernel::Each;
use super::{Prepared, Problem, Setting, Work, each, value};
use crosslane::{Argument, Array, Elementwise};

const SUITE: &str = "Classic";

pub const PROBLEMS: [Problem; 4] = [
    Problem { suite: SUITE, name: "N_BODY", prepare: n_body },
    Problem { suite: SUITE, name: "BLACK_SCHOLES", prepare: black_scholes },
    Problem { suite: SUITE, name: "SPMV", prepare: spmv },
    Problem { suite: SUITE, name: "BFS_STEP", prepare: bfs_step },
];

/// Keeps the force of two bodies that are close finite.
const SOFTENING: f32 = 0.01;

fn coordinate(axis: u64, i: usize) -> f64 {
    random(axis, i) as f64
}

/// The accelerations of bodies of one mass, each from all others: x, y and z of each body.
fn n_body(setting: &Setting) -> Outcome<Prepared> {
    let (n, device) = (4 * setting.sizes.matrix, setting.device.clone());
    let places: Vec<f32> =
        (0..4 * n).map(|i| if i % 4 == 3 { 0.0 } else { coordinate(i as u64 % 4, i / 4) as f32 }).collect();
    let bodies = Array::from_slice(&device, &places);
    let text = format!(
        "fn value(i: u32) -> vec4<f32> {{
    let own = bodies[i].xyz;
    var sum = vec3<f32>(0.0);
    for (var j = 0u; j < {n}u; j++) {{
        let by = bodies[j].xyz - own;
        let square = dot(by, by) + {SOFTENING};
        sum += by * (inverseSqrt(square) / square);
    }}
    return vec4<f32>(sum, 0.0);
}}"
    );
    let kernel = Each::new(&[("bodies", "vec4<f32>")], "vec4<f32>", &text)?;
    let make = move || kernel.launch_vectors::<f32>(&device, n, &[Argument::bytes_of(&bodies)]);
    let one = move |i: usize| {
        let mut sum = [0.0; 4];
        for j in 0..n {
            let by = [0, 1, 2].map(|axis| coordinate(axis, j) - coordinate(axis, i));
            let square = by.iter().map(|by| by * by).sum::<f64>() + SOFTENING as f64;
            (0..3).for_each(|axis| sum[axis] += by[axis] / (square * square.sqrt()));
        }
        sum
    };
    let wanted = move || indices::map(n, one).into_flattened();
    let work = Work { bytes: 32 * n as u64, flops: 20 * (n * n) as u64 };
    Ok(Prepared::new(n, work, 1e-4, make, wanted))
}

/// Riskless rate and volatility of the options.
const RATE: f32 = 0.02;
const VOLATILITY: f32 = 0.3;

/// The normal distribution by Abramowitz and Stegun's polynomial, which both sides use, as CUDA's sample does.
const DISTRIBUTION: &str = "let root = 0.3 * sqrt(years);
    let d = (log(price / strike) + (0.02 + 0.045) * years) / root;
    let ks = vec2<f32>(1.0) / (1.0 + 0.2316419 * abs(vec2<f32>(d, d - root)));
    let tails = exp(-0.5 * vec2<f32>(d * d, (d - root) * (d - root))) * 0.39894228 * (ks * (0.31938153 + ks
        * (-0.356563782 + ks * (1.781477937 + ks * (-1.821255978 + ks * 1.330274429)))));
    let normal = select(tails, 1.0 - tails, vec2<f32>(d, d - root) > vec2<f32>(0.0));
    price * normal.x - strike * exp(-0.02 * years) * normal.y";

fn normal(d: f64) -> f64 {
    let k = 1.0 / (1.0 + 0.2316419 * d.abs());
    let sum = 0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)));
    let tail = (-0.5 * d * d).exp() * 0.39894228 * k * sum;
    if d > 0.0 { 1.0 - tail } else { tail }
}

/// Prices of European call options: price and strike in 0.1..0.3, 0.1 to 0.3 years.
fn black_scholes(setting: &Setting) -> Outcome<Prepared> {
    let n = setting.sizes.line;
    let (price, strike, years) = (setting.input(1, &[n]), setting.input(2, &[n]), setting.input(3, &[n]));
    let call = Elementwise::new("price: f32, strike: f32, years: f32", DISTRIBUTION)?;
    let wanted = move || {
        each(n, |i| {
            let (price, strike, years) = (value(1, i), value(2, i), value(3, i));
            let (rate, volatility) = (RATE as f64, VOLATILITY as f64);
            let root = volatility * years.sqrt();
            let d = ((price / strike).ln() + (rate + 0.5 * volatility * volatility) * years) / root;
            price * normal(d) - strike * (-rate * years).exp() * normal(d - root)
        })
    };
    let make = move || call.call::<f32>((&price, &strike, &years));
    Ok(Prepared::new(n, Work::each(n, 4, 60), 1e-4, make, wanted))
}

/// Neighbours of a vertex, or entries of a row: 0 to 15.
fn degree(i: usize) -> usize {
    (word(7, i) % 16) as usize
}

/// Where each row begins, and the columns of all rows.
fn rows(n: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32];
    (0..n).for_each(|i| starts.push(starts[i] + degree(i) as u32));
    let entries = starts[n] as usize;
    (starts, (0..entries).map(|k| (word(8, k) % n as u64) as u32).collect())
}

/// A sparse matrix in CSR form times a vector: an invocation for each row.
fn spmv(setting: &Setting) -> Outcome<Prepared> {
    let (n, device) = (setting.sizes.line / 8, setting.device.clone());
    let (starts, columns) = rows(n);
    let entries = columns.len();
    let (values, x) = (setting.input(1, &[entries]), setting.input(2, &[n]));
    let arrays = (Array::from_slice(&device, &starts), Array::from_slice(&device, &columns));
    let kernel = Each::new(
        &[("starts", "u32"), ("columns", "u32"), ("values", "f32"), ("x", "f32")],
        "f32",
        "fn value(i: u32) -> f32 {
    var sum = 0.0;
    let end = starts[i + 1u];
    for (var k = starts[i]; k < end; k++) { sum += values[k] * x[columns[k]]; }
    return sum;
}",
    )?;
    let make = move || {
        let arguments = [&arrays.0, &arrays.1].map(Argument::from);
        let floats = [&values, &x].map(Argument::from);
        kernel.launch::<f32>(&device, n, &[arguments, floats].concat())
    };
    let wanted = move || {
        let row = |i: usize| starts[i] as usize..starts[i + 1] as usize;
        each(n, |i| row(i).map(|k| value(1, k) * value(2, columns[k] as usize)).sum())
    };
    let work = Work { bytes: (8 * entries + 12 * n) as u64, flops: 2 * entries as u64 };
    Ok(Prepared::new(n, work, 1e-5, make, wanted))
}

/// A vertex that no step has reached yet.
const UNREACHED: u32 = u32::MAX;

fn level(i: usize) -> u32 {
    if random(9, i) < 0.1 { 3 } else { UNREACHED }
}

/// A step of a breadth-first search, bottom up: a vertex that was not reached looks for a neighbour that was.
fn bfs_step(setting: &Setting) -> Outcome<Prepared> {
    let (n, device) = (setting.sizes.line / 8, setting.device.clone());
    let (starts, columns) = rows(n);
    let entries = columns.len();
    let levels = Array::from_slice(&device, &(0..n).map(level).collect::<Vec<_>>());
    let arrays = [Array::from_slice(&device, &starts), Array::from_slice(&device, &columns), levels];
    let kernel = Each::new(
        &[("starts", "u32"), ("columns", "u32"), ("levels", "u32")],
        "u32",
        "fn value(i: u32) -> u32 {
    if levels[i] != 0xffffffffu { return levels[i]; }
    let end = starts[i + 1u];
    for (var k = starts[i]; k < end; k++) {
        if levels[columns[k]] == 3u { return 4u; }
    }
    return levels[i];
}",
    )?;
    let make = move || kernel.launch::<u32>(&device, n, &arrays.each_ref().map(Argument::from));
    let wanted = move || {
        let near = |i: usize| (starts[i]..starts[i + 1]).any(|k| level(columns[k as usize] as usize) == 3);
        each(n, |i| f64::from(if level(i) == UNREACHED && near(i) { 4 } else { level(i) }))
    };
    let work = Work { bytes: (4 * entries + 12 * n) as u64, flops: 0 };
    Ok(Prepared::new(n, work, 0.0, make, wanted))
}
