//! Problems of RAJAPerf's group Apps, in f32. References are loops in f64.

use super::super::super::Outcome;
use super::kernel::Each;
use super::{Prepared, Problem, Setting, Work, each, value};
use crosslane::{Argument, Array, Elementwise, Result};

const SUITE: &str = "RAJAPerf Apps";
const BOUND: f64 = 2e-5;

pub const PROBLEMS: [Problem; 4] = [
    Problem { suite: SUITE, name: "ENERGY", prepare: energy },
    Problem { suite: SUITE, name: "FIR", prepare: fir },
    Problem { suite: SUITE, name: "LTIMES", prepare: ltimes },
    Problem { suite: SUITE, name: "PRESSURE", prepare: pressure },
];

/// Coefficients of the filter: 3 in every fifth place.
const FIR: usize = 16;

fn coefficient(i: usize) -> f64 {
    if i.is_multiple_of(5) { 3.0 } else { -1.0 }
}

fn fir(setting: &Setting) -> Outcome<Prepared> {
    let (n, device) = (setting.sizes.line, setting.device.clone());
    let x = setting.input(1, &[n + FIR - 1]);
    let list = (0..FIR).map(|i| format!("{:.1}", coefficient(i))).collect::<Vec<_>>().join(", ");
    let kernel = Each::new(
        &[("x", "f32")],
        "f32",
        &format!(
            "fn value(i: u32) -> f32 {{
    var coefficients = array<f32, {FIR}>({list});
    var sum = 0.0;
    for (var j = 0u; j < {FIR}u; j++) {{ sum += coefficients[j] * x[i + j]; }}
    return sum;
}}"
        ),
    )?;
    let make = move || kernel.launch::<f32>(&device, n, &[Argument::from(&x)]);
    let wanted = move || each(n, |i| (0..FIR).map(|j| coefficient(j) * value(1, i + j)).sum());
    Ok(Prepared::new(n, Work::each(n, 2, 2 * FIR), BOUND, make, wanted))
}

/// Directions, groups and moments, as RAJAPerf has them; zones fill the line.
const DIRECTIONS: usize = 64;
const MOMENTS: usize = 25;

fn ltimes(setting: &Setting) -> Outcome<Prepared> {
    let rows = setting.sizes.line / DIRECTIONS;
    let (ell, psi) = (setting.input(1, &[MOMENTS, DIRECTIONS]), setting.input(2, &[rows, DIRECTIONS]));
    let wanted = move || {
        each(rows * MOMENTS, |i| {
            let (row, moment) = (i / MOMENTS, i % MOMENTS);
            (0..DIRECTIONS).map(|d| value(1, moment * DIRECTIONS + d) * value(2, row * DIRECTIONS + d)).sum()
        })
    };
    let work =
        Work { bytes: (4 * rows * (DIRECTIONS + MOMENTS)) as u64, flops: (2 * rows * MOMENTS * DIRECTIONS) as u64 };
    Ok(Prepared::new(rows * DIRECTIONS, work, BOUND, move || Ok(psi.matmul(&ell.transpose())), wanted))
}

/// The least pressure. RAJAPerf also cuts small ones off; no value comes near that cut here, where rounding would decide.
const LEAST: f32 = 0.03;
/// Past this volume the pressure is 0; an f32 that inputs may equal.
const LARGEST_VOLUME: f32 = 0.25;

fn pressure(setting: &Setting) -> Outcome<Prepared> {
    let n = setting.sizes.line;
    let (compression, old, volume) = (setting.input(1, &[n]), setting.input(2, &[n]), setting.input(3, &[n]));
    let text = format!(
        "let p = bvc * old; max(select(select(p, 0.0, abs(p) < 0.01), 0.0, volume >= {LARGEST_VOLUME}), {LEAST})"
    );
    let new = Elementwise::new("bvc: f32, old: f32, volume: f32", &text)?;
    let make = move || {
        let bvc = (&compression + 1.0) * 0.25;
        let new = new.call::<f32>((&bvc, &old, &volume))?;
        Ok(vec![bvc, new])
    };
    let wanted = move || {
        let bvc = |i: usize| 0.25 * (value(1, i) + 1.0);
        let new = |i: usize| {
            let p = if value(3, i) >= LARGEST_VOLUME as f64 { 0.0 } else { bvc(i) * value(2, i) };
            p.max(LEAST as f64)
        };
        [each(n, bvc), each(n, new)].concat()
    };
    Ok(Prepared::new(n, Work::each(n, 5, 3), BOUND, make, wanted))
}

/// Names of ENERGY's inputs, by their seeds from 1 on.
const E_OLD: usize = 0;
const DELVC: usize = 1;
const P_NEW: usize = 2;
const P_OLD: usize = 3;
const Q_OLD: usize = 4;
const WORK: usize = 5;
const COMPRESSION: usize = 6;
const P_HALF: usize = 7;
const BVC: usize = 8;
const PBVC: usize = 9;
const QL: usize = 10;
const QQ: usize = 11;
const V_NEW: usize = 12;
const INPUTS: usize = 13;

/// The density that RAJAPerf takes from its data, and the least energy.
const RHO: f32 = 0.25;
const E_LEAST: f32 = 0.2;

/// An input of ENERGY. Half of the zones expand, and half are compressed.
fn energetic(input: usize, i: usize) -> f64 {
    let x = value(input as u64 + 1, i);
    if input == DELVC { x - 0.2f32 as f64 } else { x }
}

/// The artificial viscosity, in WGSL and on the host; the difference of volumes decides, which has no rounding.
const VISCOSITY: &str = "let ssc = (pbvc * e + v * v * bvc * p) / 0.25;
    select(select(sqrt(ssc), 0.3333333e-18, ssc <= 0.1111111e-36) * ql + qq, 0.0, delvc > 0.0)";

fn viscosity(i: usize, e: f64, v: f64, p: f64) -> f64 {
    let of = |input| energetic(input, i);
    let ssc = (of(PBVC) * e + v * v * of(BVC) * p) / RHO as f64;
    let root = if ssc <= 0.1111111e-36 { 0.3333333e-18 } else { ssc.sqrt() };
    if of(DELVC) > 0.0 { 0.0 } else { root * of(QL) + of(QQ) }
}

fn energy(setting: &Setting) -> Outcome<Prepared> {
    let n = setting.sizes.line / 4;
    let device = setting.device.clone();
    let inputs: Vec<Array<f32>> = (0..INPUTS)
        .map(|input| Array::from_slice(&device, &(0..n).map(|i| energetic(input, i) as f32).collect::<Vec<_>>()))
        .collect();
    let viscosity_of =
        Elementwise::new("delvc: f32, pbvc: f32, e: f32, v: f32, bvc: f32, p: f32, ql: f32, qq: f32", VISCOSITY)?;
    let make = move || -> Result<Vec<Array<f32>>> {
        let of = |input: usize| &inputs[input];
        let q = |e: &Array<f32>, v: &Array<f32>, p: &Array<f32>| {
            viscosity_of.call::<f32>((of(DELVC), of(PBVC), e, v, of(BVC), p, of(QL), of(QQ)))
        };
        let old = of(P_OLD) + of(Q_OLD);
        let first = of(E_OLD) - of(DELVC) * &old * 0.5 + of(WORK) * 0.5;
        let half = 1.0 / (of(COMPRESSION) + 1.0);
        let q_half = q(&first, &half, of(P_HALF))?;
        let middle = of(P_HALF) + &q_half;
        let second = &first + of(DELVC) * (&old * 3.0 - &middle * 4.0) * 0.5 + of(WORK) * 0.5;
        let second = second.maximum(E_LEAST);
        let q_second = q(&second, of(V_NEW), of(P_NEW))?;
        let change = (&old * 7.0 - &middle * 8.0 + of(P_NEW) + q_second) * of(DELVC) / 6.0;
        let last = (&second - change).maximum(E_LEAST);
        let q_new = q(&last, of(V_NEW), of(P_NEW))?;
        Ok(vec![last, q_new])
    };
    let one = move |i: usize| {
        let of = |input| energetic(input, i);
        let old = of(P_OLD) + of(Q_OLD);
        let first = of(E_OLD) - 0.5 * of(DELVC) * old + 0.5 * of(WORK);
        let middle = of(P_HALF) + viscosity(i, first, 1.0 / (1.0 + of(COMPRESSION)), of(P_HALF));
        let second = first + 0.5 * of(DELVC) * (3.0 * old - 4.0 * middle) + 0.5 * of(WORK);
        let second = second.max(E_LEAST as f64);
        let q_second = viscosity(i, second, of(V_NEW), of(P_NEW));
        let change = (7.0 * old - 8.0 * middle + (of(P_NEW) + q_second)) * of(DELVC) / 6.0;
        let last = (second - change).max(E_LEAST as f64);
        (last, viscosity(i, last, of(V_NEW), of(P_NEW)))
    };
    let wanted = move || [each(n, |i| one(i).0), each(n, |i| one(i).1)].concat();
    Ok(Prepared::new(n, Work::each(n, INPUTS + 2, 56), BOUND, make, wanted))
}
