//! Float functions within the accuracy that the WGSL specification promises, against f64.

use crate::judge::judges;
use crate::support::{random, say};
use rand::Rng;
use std::f64::consts::PI;

/// Samples of each function.
const SAMPLES: usize = 512;
/// Distance from one f32 to the next above 1.
const EPSILON: f64 = f32::EPSILON as f64;

/// Distance between floats around a value.
fn ulp(x: f64) -> f64 {
    let exponent = (x.abs() as f32).to_bits() >> 23;
    2f64.powi(exponent.max(1) as i32 - 127 - 23)
}

fn half_ulp(x: f64) -> f64 {
    2f64.powi(x.abs().log2().floor().max(-14.0) as i32 - 10)
}

/// Error of `exp` and `exp2` with such an argument and result.
fn exp_error(x: f64, result: f64) -> f64 {
    (3.0 + 2.0 * x.abs()) * ulp(result)
}

/// Error of `log` and `log2` of `x`.
fn log_error(x: f64, result: f64) -> f64 {
    if (0.5..=2.0).contains(&x) { 2f64.powi(-21) } else { 3.0 * ulp(result) }
}

/// Where an argument is drawn from: evenly between two, or by exponent with either sign.
#[derive(Clone, Copy)]
enum Draw {
    Even(f64, f64),
    Exponent(i32, i32),
}
use Draw::*;

/// An expression over `a`, `b`, `c`; where they come from; its value; the most error, given arguments and value.
struct Row(&'static str, &'static [Draw], fn(&[f64]) -> f64, fn(&[f64], f64) -> f64);

const WIDE: Draw = Exponent(-30, 30);
const UNIT: Draw = Even(-1.0, 1.0);

/// Where the specification says "inherited from", the bound follows that expression step by step.
const ROWS: &[Row] = &[
    Row("a + b", &[WIDE, WIDE], |x| x[0] + x[1], |_, r| ulp(r)),
    Row("a - b", &[WIDE, WIDE], |x| x[0] - x[1], |_, r| ulp(r)),
    Row("a * b", &[WIDE, WIDE], |x| x[0] * x[1], |_, r| ulp(r)),
    Row("a / b", &[WIDE, WIDE], |x| x[0] / x[1], |_, r| 2.5 * ulp(r)),
    Row("a / b", &[Exponent(-60, 60), Exponent(-60, 60)], |x| x[0] / x[1], |_, r| 2.5 * ulp(r)),
    Row(
        "a % b",
        &[Even(-100.0, 100.0), Even(1.0, 10.0)],
        |x| x[0] % x[1],
        // x - y * trunc(x / y), where the quotient may fall on the other side of an integer.
        |x, _| {
            let quotient = x[0] / x[1];
            let near = (quotient - quotient.round()).abs() < 1e-4;
            if near { f64::INFINITY } else { 2.0 * ulp(x[0]) }
        },
    ),
    Row("sqrt(a)", &[Even(0.0, 4.0)], |x| x[0].sqrt(), |_, r| 5.0 * ulp(r)),
    Row("sqrt(abs(a))", &[Exponent(-100, 100)], |x| x[0].abs().sqrt(), |_, r| 5.0 * ulp(r)),
    Row("inverseSqrt(abs(a))", &[Exponent(-100, 100)], |x| 1.0 / x[0].abs().sqrt(), |_, r| 2.0 * ulp(r)),
    Row("exp(a)", &[Even(-80.0, 80.0)], |x| x[0].exp(), |x, r| exp_error(x[0], r)),
    Row("exp(a)", &[Exponent(-20, 2)], |x| x[0].exp(), |x, r| exp_error(x[0], r)),
    Row("exp2(a)", &[Even(-120.0, 120.0)], |x| x[0].exp2(), |x, r| exp_error(x[0], r)),
    Row("log(a)", &[Even(0.001, 4.0)], |x| x[0].ln(), |x, r| log_error(x[0], r)),
    Row("log(abs(a))", &[Exponent(-100, 100)], |x| x[0].abs().ln(), |x, r| log_error(x[0].abs(), r)),
    Row("log2(a)", &[Even(0.001, 4.0)], |x| x[0].log2(), |x, r| log_error(x[0], r)),
    Row("log2(abs(a))", &[Exponent(-100, 100)], |x| x[0].abs().log2(), |x, r| log_error(x[0].abs(), r)),
    Row(
        "pow(a, b)",
        &[Even(0.05, 20.0), Even(-10.0, 10.0)],
        |x| x[0].powf(x[1]),
        |x, r| {
            let log = x[0].log2();
            let exponent = log_error(x[0], log) * x[1].abs() + ulp(log * x[1]);
            r * exponent * std::f64::consts::LN_2 * 1.01 + exp_error(x[1] * log, r)
        },
    ),
    Row("sin(a)", &[Even(-PI, PI)], |x| x[0].sin(), |_, _| 2f64.powi(-11)),
    Row("cos(a)", &[Even(-PI, PI)], |x| x[0].cos(), |_, _| 2f64.powi(-11)),
    Row(
        "tan(a)",
        &[Even(-1.3, 1.3)],
        |x| x[0].tan(),
        |x, r| (1.0 + r.abs()) * 2f64.powi(-11) / (x[0].cos() - 2f64.powi(-11)) + 3.0 * ulp(r),
    ),
    Row("asin(a)", &[UNIT], |x| x[0].asin(), |_, r| 6.81e-5f64.max(4100.0 * ulp(r))),
    Row("acos(a)", &[UNIT], |x| x[0].acos(), |_, r| 6.77e-5f64.max(4100.0 * ulp(r))),
    Row("atan(a)", &[WIDE], |x| x[0].atan(), |_, r| 4096.0 * ulp(r)),
    Row("atan2(a, b)", &[WIDE, WIDE], |x| x[0].atan2(x[1]), |_, r| 4096.0 * ulp(r)),
    Row("sinh(a)", &[Even(-20.0, 20.0)], |x| x[0].sinh(), |x, r| hyperbolic(x[0]) + 2.0 * ulp(r)),
    Row("cosh(a)", &[Even(-20.0, 20.0)], |x| x[0].cosh(), |x, r| hyperbolic(x[0]) + 2.0 * ulp(r)),
    Row(
        "tanh(a)",
        &[Even(-9.0, 9.0)],
        |x| x[0].tanh(),
        |x, r| 1e-5f64.max(2.1 * hyperbolic(x[0]) / x[0].cosh() + 3.0 * ulp(r)),
    ),
    Row(
        "asinh(a)",
        &[Even(-2.0, 100.0)],
        |x| x[0].asinh(),
        |x, r| {
            let root = (x[0] * x[0] + 1.0).sqrt();
            let argument = x[0] + root;
            7.0 * ulp(root) / argument + log_error(argument, r) + EPSILON
        },
    ),
    Row(
        "acosh(a)",
        &[Even(1.5, 1000.0)],
        |x| x[0].acosh(),
        |x, r| {
            let root = (x[0] * x[0] - 1.0).sqrt();
            let argument = x[0] + root;
            (2.0 * ulp(x[0] * x[0]) / root + 7.0 * ulp(root)) / argument + log_error(argument, r) + EPSILON
        },
    ),
    Row(
        "atanh(a)",
        &[Even(-0.9, 0.9)],
        |x| x[0].atanh(),
        |x, r| 0.5 * (5.0 * EPSILON + log_error((1.0 + x[0]) / (1.0 - x[0]), 2.0 * r)) + ulp(r),
    ),
    Row("length(a)", &[WIDE], |x| x[0].abs(), |_, r| 5.0 * ulp(r)),
    Row("length(vec2(a, b))", &[WIDE, WIDE], |x| x[0].hypot(x[1]), |_, r| 7.0 * ulp(r)),
    Row("length(vec3(a, b, c))", &[WIDE, WIDE, WIDE], |x| x[0].hypot(x[1]).hypot(x[2]), |_, r| 8.0 * ulp(r)),
    Row("distance(vec2(a, b), vec2(b, c))", &[UNIT, UNIT, UNIT], distance, |_, r| 9.0 * ulp(r)),
    Row("normalize(vec2(a, b)).y", &[WIDE, WIDE], |x| x[1] / x[0].hypot(x[1]), |_, r| 10.0 * ulp(r)),
    Row("dot(vec2(a, b), vec2(c, a))", &[UNIT, UNIT, UNIT], |x| x[0] * x[2] + x[1] * x[0], |_, _| 2.0 * EPSILON),
    Row(
        "cross(vec3(a, b, c), vec3(c, a, b)).y",
        &[UNIT, UNIT, UNIT],
        |x| x[2] * x[2] - x[0] * x[1],
        |_, _| 2.0 * EPSILON,
    ),
    Row(
        "reflect(vec2(a, b), vec2(b, c)).x",
        &[UNIT, UNIT, UNIT],
        |x| x[0] - 2.0 * (x[1] * x[0] + x[2] * x[1]) * x[1],
        |_, _| 12.0 * EPSILON,
    ),
    Row("fma(a, b, c)", &[UNIT, UNIT, UNIT], |x| x[0] * x[1] + x[2], |_, _| 2.0 * EPSILON),
    Row("mix(a, b, abs(c))", &[UNIT, UNIT, UNIT], |x| x[0] + (x[1] - x[0]) * x[2].abs(), |_, _| 4.0 * EPSILON),
    Row("smoothstep(0.25, 0.75, a)", &[Even(0.0, 1.0)], smoothstep, |_, _| 12.0 * EPSILON),
    Row("degrees(a)", &[WIDE], |x| x[0].to_degrees(), |_, r| 2.0 * ulp(r)),
    Row("radians(a)", &[WIDE], |x| x[0].to_radians(), |_, r| 2.0 * ulp(r)),
    Row("fract(a)", &[Even(-50.0, 50.0)], |x| x[0] - x[0].floor(), |_, _| EPSILON),
    Row("floor(a)", &[WIDE], |x| x[0].floor(), |_, _| 0.0),
    Row("round(a)", &[Even(-50.0, 50.0)], |x| x[0].round_ties_even(), |_, _| 0.0),
    Row("trunc(a)", &[WIDE], |x| x[0].trunc(), |_, _| 0.0),
    Row("ldexp(a, i32(b))", &[WIDE, Even(-40.0, 40.0)], |x| x[0] * x[1].trunc().exp2(), |_, _| 0.0),
    Row("ldexp(frexp(a).fract, frexp(a).exp)", &[Exponent(-120, 120)], |x| x[0], |_, _| 0.0),
    Row("abs(frexp(a).fract)", &[WIDE], |x| x[0].abs() / (x[0].abs().log2().floor() + 1.0).exp2(), |_, _| 0.0),
    Row("modf(a).fract", &[Even(-50.0, 50.0)], |x| x[0].fract(), |_, _| 0.0),
    Row("modf(a).whole", &[Even(-50.0, 50.0)], |x| x[0].trunc(), |_, _| 0.0),
    Row("quantizeToF16(a)", &[Exponent(-13, 14)], |x| x[0], |x, _| half_ulp(x[0])),
    Row("unpack2x16float(pack2x16float(vec2(a, b))).y", &[UNIT, Exponent(-13, 14)], |x| x[1], |x, _| half_ulp(x[1])),
    // Rounding to a step, and the error of the division by the number of steps.
    Row("unpack2x16unorm(pack2x16unorm(vec2(a, b))).x", &[Even(0.0, 1.0), UNIT], |x| x[0], |_, _| 0.505 / 65535.0),
    Row("unpack2x16snorm(pack2x16snorm(vec2(a, b))).y", &[UNIT, UNIT], |x| x[1], |_, _| 0.505 / 32767.0),
    Row("unpack4x8unorm(pack4x8unorm(vec4(a, b, a, b))).z", &[Even(0.0, 1.0), UNIT], |x| x[0], |_, _| 0.501 / 255.0),
    Row("unpack4x8snorm(pack4x8snorm(vec4(a, b, a, b))).w", &[UNIT, UNIT], |x| x[1], |_, _| 0.501 / 127.0),
    Row("f32(i32(a))", &[Even(-1e9, 1e9)], |x| x[0].trunc(), |_, _| 0.0),
    Row("f32(u32(abs(a)))", &[Exponent(-5, 30)], |x| x[0].abs().trunc(), |_, _| 0.0),
];

fn hyperbolic(x: f64) -> f64 {
    0.5 * (exp_error(x, x.exp()) + exp_error(x, (-x).exp()))
}

fn distance(x: &[f64]) -> f64 {
    (x[0] - x[1]).hypot(x[1] - x[2])
}

fn smoothstep(x: &[f64]) -> f64 {
    let t = ((x[0] - 0.25) / 0.5).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// Arguments of a row, three a sample.
fn arguments(row: &Row, seed: u64) -> Vec<[f32; 3]> {
    let mut rng = random(seed);
    let mut draw = |from: Option<&Draw>| match from {
        Some(&Even(low, high)) => rng.random_range(low..high) as f32,
        Some(&Exponent(low, high)) => {
            let sign = if rng.random() { 1.0 } else { -1.0 };
            (sign * rng.random_range(1.0..2.0) * 2f64.powi(rng.random_range(low..=high))) as f32
        }
        None => 0.0,
    };
    (0..SAMPLES).map(|_| [draw(row.1.first()), draw(row.1.get(1)), draw(row.1.get(2))]).collect()
}

#[test]
fn functions() {
    let mut body = String::new();
    let mut samples = vec![];
    for (n, row) in ROWS.iter().enumerate() {
        samples.push(arguments(row, n as u64));
        body += &format!("    output[{n}u * {SAMPLES}u + i] = row{n}(input[{n}u * {SAMPLES}u + i]);\n");
    }
    let functions: String = (0..)
        .zip(ROWS)
        .map(|(n, row)| {
            format!(
                "fn row{n}(x: array<f32, 3>) -> f32 {{ let a = x[0]; let b = x[1]; let c = x[2]; return {}; }}\n",
                row.0
            )
        })
        .collect();
    let source = format!(
        "@group(0) @binding(0) var<storage, read> input: array<array<f32, 3>>;
@group(0) @binding(1) var<storage, read_write> output: array<f32>;
{functions}@compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3<u32>) {{\n    let i = id.x;\n{body}}}"
    );
    let input: Vec<u32> = samples.iter().flatten().flatten().map(|x| x.to_bits()).collect();
    for judge in judges() {
        let buffers = [input.clone(), vec![0x7fc0_dead; ROWS.len() * SAMPLES]];
        let results = judge.run(&source, [SAMPLES as u32 / 64, 1, 1], &buffers).unwrap();
        let mut wrong = vec![];
        for ((row, samples), got) in ROWS.iter().zip(&samples).zip(results[1].chunks(SAMPLES)) {
            let (mut worst, mut worst_ulp, mut text) = (0.0, 0.0f64, String::new());
            for (sample, &got) in samples.iter().zip(got) {
                let x = sample.map(|x| x as f64);
                let (got, wanted) = (f32::from_bits(got) as f64, row.2(&x));
                let error = (got - wanted).abs();
                // What is smaller than the smallest normal float may become zero.
                let bound = row.3(&x, wanted) + if wanted.abs() < 1.2e-38 { 1.2e-38 } else { 0.0 };
                let share = match error / bound {
                    _ if error == 0.0 => 0.0,
                    // NaN where there is a number.
                    share if share.is_nan() => f64::INFINITY,
                    share => share,
                };
                worst_ulp = worst_ulp.max(error / ulp(wanted));
                if share > worst {
                    worst = share;
                    text = format!(
                        "{} of {sample:?}: got {got:e}, wanted {wanted:e}, off by {error:e}, bound {bound:e}",
                        row.0
                    );
                }
            }
            println!("{:50} {:6.3} of its bound, {worst_ulp:8.1} ULP at worst", row.0, worst);
            if worst > 1.0 {
                wrong.push(text);
            }
        }
        assert!(wrong.is_empty(), "out of bounds on {}:\n{}", judge.name(), wrong.join("\n"));
        say(&format!("{} functions within WGSL's accuracy on {}", ROWS.len(), judge.name()));
    }
}
