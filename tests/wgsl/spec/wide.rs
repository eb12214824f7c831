//! 64-bit integers and floats and 16-bit floats, where a device has them.

use crate::judge::{Judge, judges};
use crate::support::random;
use crosslane::{DType, f16};
use rand::Rng;

const MIN: i64 = i64::MIN;
const MAX: i64 = i64::MAX;
const ALL: u64 = u64::MAX;
/// A float whose fraction f32 does not have.
const BIG: f64 = (1u64 << 40) as f64;

/// Expressions over `a` and `b`, the arguments and the result as their bits, in elements of a type.
fn check<T: bytemuck::Pod + PartialEq + std::fmt::Debug>(
    dtype: DType,
    ty: &str,
    head: &str,
    rows: &[(&str, T, T, T)],
    exempt: fn(&Judge, &str) -> bool,
) {
    for judge in judges().filter(|judge| judge.has(dtype)) {
        let rows: Vec<_> = rows.iter().filter(|row| !exempt(judge, row.0)).collect();
        let mut body = String::new();
        for (n, (expression, ..)) in rows.iter().enumerate() {
            body += &format!("{{ let a = input[{}]; let b = input[{}]; ", n * 2, n * 2 + 1);
            body += &format!("output[{n}] = {ty}({expression}); }}\n");
        }
        let source = format!(
            "{head}@group(0) @binding(0) var<storage, read> input: array<{ty}>;
@group(0) @binding(1) var<storage, read_write> output: array<{ty}>;
@compute @workgroup_size(1) fn main() {{\n{body}}}"
        );
        let words = |values: Vec<T>| -> Vec<u32> {
            let mut bytes = bytemuck::cast_slice::<T, u8>(&values).to_vec();
            bytes.resize(bytes.len().next_multiple_of(4), 0);
            bytemuck::pod_collect_to_vec(&bytes)
        };
        let buffers =
            [words(rows.iter().flat_map(|row| [row.1, row.2]).collect()), words(vec![T::zeroed(); rows.len()])];
        let results = judge.run(&source, [1, 1, 1], &buffers).unwrap_or_else(|error| panic!("{error}\n{source}"));
        let got: Vec<T> = bytemuck::pod_collect_to_vec(&results[1]);
        let wrong: Vec<_> = rows.iter().zip(&got).filter(|(row, got)| row.3 != **got).collect();
        assert!(wrong.is_empty(), "row, got, on {}: {wrong:#?}", judge.name());
    }
}

fn all(_: &Judge, _: &str) -> bool {
    false
}

#[test]
fn signed_64() {
    let rows: &[(&str, i64, i64, i64)] = &[
        ("a + b", MAX, 1, MIN),
        ("a - b", MIN, 1, MAX),
        ("a * b", 0x1_0000_0001, 0x1_0000_0001, 0x2_0000_0001),
        ("-a", MIN, 0, MIN),
        ("~a", 0, 0, -1),
        ("a / b", -7, 2, -3),
        ("a % b", -7, 2, -1),
        ("a / b", 7, 0, 7),
        ("a % b", 7, 0, 0),
        ("a / b", MIN, -1, MIN),
        ("a % b", MIN, -1, 0),
        ("a / b", 1 << 40, 1 << 20, 1 << 20),
        ("a & b", -1, 0xf_0000_0000, 0xf_0000_0000),
        ("a ^ b", -1, 1, -2),
        ("a << 40u", 1, 0, 1 << 40),
        ("a >> 63u", MIN, 0, -1),
        ("min(a, b)", -1, 1, -1),
        ("max(a, b)", MIN, 1, 1),
        ("clamp(a, b, 5li)", 9, 0, 5),
        ("abs(a)", -(1 << 40), 0, 1 << 40),
        ("sign(a)", -(1 << 40), 0, -1),
        ("select(a, b, a < b)", -(1 << 40), 3, 3),
        ("select(0li, 1li, a == b)", 1 << 32, 0, 0),
        ("vec2<i64>(a, b).yx.x", 5, 6, 6),
        ("dot(vec2<i64>(a, b), vec2<i64>(b, a))", 1 << 20, 1 << 20, 1 << 41),
        // Conversions: 32-bit integers extend by their own sign, and 64-bit ones lose their upper half.
        ("i32(a)", 0x1_8000_0000, 0, i32::MIN as i64),
        ("u32(a)", -1, 0, 0xffff_ffff),
        ("u64(a) >> 63u", -1, 0, 1),
        ("f32(a)", 1 << 40, 0, 1 << 40),
        ("bool(a)", 1 << 32, 0, 1),
        ("bitcast<u64>(a)", -1, 0, -1),
    ];
    // naga 30 extends 32-bit integers to 64 bits by the target's signedness: u32 to i64 gives -1 for 0xffffffff, and
    // i32 to u64 gives 0xffffffff for -1; `u32(a)` of these rows goes back to i64.
    check(DType::I64, "i64", "", rows, |_, row| row == "u32(a)");
}

#[test]
fn unsigned_64() {
    let rows: &[(&str, u64, u64, u64)] = &[
        ("a + b", ALL, 2, 1),
        ("a - b", 0, 1, ALL),
        ("a * b", ALL, ALL, 1),
        ("a / b", ALL, 2, MAX as u64),
        ("a / b", 7, 0, 7),
        ("a % b", 7, 0, 0),
        ("a % b", ALL, 10, 5),
        ("a >> 63u", 1 << 63, 0, 1),
        ("a << 63u", 3, 0, 1 << 63),
        ("a | b", 1 << 63, 1, (1 << 63) + 1),
        ("min(a, b)", ALL, 1, 1),
        ("max(a, b)", ALL, 1, ALL),
        ("select(0lu, 1lu, a > b)", ALL, 1, 1),
        ("u32(a)", 0x5_8000_0001, 0, 0x8000_0001),
        ("u64(f32(a))", 1 << 50, 0, 1 << 50),
    ];
    check(DType::U64, "u64", "", rows, all);
}

#[test]
fn float_64() {
    let rows: &[(&str, f64, f64, f64)] = &[
        ("a + b", 1.0, 2f64.powi(-52), 1.0 + 2f64.powi(-52)),
        ("a - b", 1e300, 1e300, 0.0),
        ("a * b", 1e200, 1e100, 1e300),
        ("a / b", 1.0, 3.0, 1.0 / 3.0),
        ("-a", 2.5, 0.0, -2.5),
        ("abs(a)", -2.5, 0.0, 2.5),
        ("sqrt(a)", 2.0, 0.0, std::f64::consts::SQRT_2),
        ("floor(a)", -2.5, 0.0, -3.0),
        ("ceil(a)", -2.5, 0.0, -2.0),
        ("trunc(a)", -2.75, 0.0, -2.0),
        ("round(a)", 2.5, 0.0, 2.0),
        ("trunc(a + b)", BIG, 0.75, BIG),
        ("round(a + b)", BIG, 0.75, BIG + 1.0),
        ("floor(a + b)", -BIG, -0.75, -BIG - 1.0),
        ("ceil(a + b)", -BIG, -0.75, -BIG),
        ("trunc(a)", 1e300, 0.0, 1e300),
        ("round(a)", -1e300, 0.0, -1e300),
        ("fract(a)", -1.25, 0.0, 0.75),
        ("sign(a)", -3.0, 0.0, -1.0),
        ("min(a, b)", -1.0, 1.0, -1.0),
        ("max(a, b)", -1.0, 1.0, 1.0),
        ("clamp(a, b, 2.0lf)", 9.0, 0.0, 2.0),
        ("select(a, b, a < b)", 1.0, 2.0, 2.0),
        ("f32(a)", 0.1, 0.0, 0.1f32 as f64),
        ("i32(a)", -7.9, 0.0, -7.0),
        ("u32(a)", 3e9, 0.0, 3e9),
        ("dot(vec2<f64>(a, b), vec2<f64>(b, b))", 3.0, 4.0, 28.0),
        ("(mat2x2<f64>(a, b, b, a) * vec2<f64>(1.0lf, 10.0lf)).x", 3.0, 4.0, 43.0),
    ];
    // Mesa 22.3.6's llvmpipe leaves large f64 as they are in trunc and round, as if they were f32 and had no fraction.
    check(DType::F64, "f64", "", rows, |judge, row| {
        judge.is("llvmpipe") && ["trunc(a + b)", "round(a + b)"].contains(&row)
    });
}

#[test]
fn float_16() {
    // Without bitcasts between vec2<f16> and u32: naga 30 has only those that keep the number of components.
    let h = f16::from_f32;
    let rows: Vec<(&str, f16, f16, f16)> = [
        ("a + b", 1.5, -0.25, 1.25),
        ("a * b", -1.5, 3.0, -4.5),
        ("a - b", 2048.0, 2.0, 2046.0),
        ("a / b", 9.0, 4.0, 2.25),
        ("-a", 2.5, 0.0, -2.5),
        ("abs(a)", -2.5, 0.0, 2.5),
        ("floor(a)", -1.5, 0.0, -2.0),
        ("ceil(a)", 1.25, 0.0, 2.0),
        ("trunc(a)", -1.75, 0.0, -1.0),
        ("round(a)", 2.5, 0.0, 2.0),
        ("fract(a)", -1.25, 0.0, 0.75),
        ("sign(a)", -3.0, 0.0, -1.0),
        ("min(a, b)", -1.0, 1.0, -1.0),
        ("max(a, b)", -1.0, 1.0, 1.0),
        ("clamp(a, b, 2.0h)", 9.0, 0.0, 2.0),
        ("saturate(a)", 3.0, 0.0, 1.0),
        ("select(a, b, a < b)", 1.0, 2.0, 2.0),
        ("step(a, b)", 1.0, 2.0, 1.0),
        ("fma(a, b, 1.0h)", 3.0, 4.0, 13.0),
        ("f32(a) * 0.5", 3.0, 0.0, 1.5),
        ("i32(a)", -7.5, 0.0, -7.0),
        ("u32(b)", 0.0, 9.9, 9.0),
        ("vec3<f16>(a, b, 1.0h).zyx.y", 3.0, 4.0, 4.0),
        ("dot(vec2<f16>(a, b), vec2<f16>(b, b))", 3.0, 4.0, 28.0),
        ("(mat2x2<f16>(a, b, b, a) * vec2<f16>(1.0h, 10.0h)).x", 3.0, 4.0, 43.0),
    ]
    .map(|(row, a, b, r)| (row, h(a), h(b), h(r)))
    .to_vec();
    check(DType::F16, "f16", "enable f16; ", &rows, all);
}

/// A binary operation as WGSL and on the host.
type Operation<T> = (&'static str, fn(T, T) -> T);

/// Random pairs of edges and random bits, through every operation.
fn against_host<T: bytemuck::Pod + PartialEq + std::fmt::Debug>(
    dtype: DType,
    ty: &str,
    operations: &[Operation<T>],
    make: fn(u64) -> T,
) {
    let mut rng = random(64);
    let edges = [0, 1, 2, ALL, 1 << 63, (1 << 63) - 1, 1 << 32, (1 << 32) - 1, 1 << 31];
    let mut draw = || make(if rng.random() { rng.random() } else { edges[rng.random_range(0..edges.len())] });
    let mut rows = vec![];
    for (text, host) in operations {
        for _ in 0..16 {
            let (a, b) = (draw(), draw());
            rows.push((*text, a, b, host(a, b)));
        }
    }
    check(dtype, ty, "", &rows, all);
}

#[test]
fn random_64() {
    let signed: &[Operation<i64>] = &[
        ("a + b", i64::wrapping_add),
        ("a - b", i64::wrapping_sub),
        ("a * b", i64::wrapping_mul),
        ("a / b", |a, b| if b == 0 { a } else { a.wrapping_div(b) }),
        ("a % b", |a, b| if b == 0 { 0 } else { a.wrapping_rem(b) }),
        ("a ^ b", |a, b| a ^ b),
        ("a << (u32(b) & 63u)", |a, b| a << (b & 63)),
        ("a >> (u32(b) & 63u)", |a, b| a >> (b & 63)),
        ("min(a, b)", i64::min),
        ("max(a, b)", i64::max),
        ("select(0li, 1li, a < b)", |a, b| (a < b) as i64),
        ("abs(a)", |a, _| a.wrapping_abs()),
    ];
    against_host(DType::I64, "i64", signed, |bits| bits as i64);
    let unsigned: &[Operation<u64>] = &[
        ("a + b", u64::wrapping_add),
        ("a - b", u64::wrapping_sub),
        ("a * b", u64::wrapping_mul),
        ("a / b", |a, b| a.checked_div(b).unwrap_or(a)),
        ("a % b", |a, b| a.checked_rem(b).unwrap_or(0)),
        ("~(a & b)", |a, b| !(a & b)),
        ("a << (u32(b) & 63u)", |a, b| a << (b & 63)),
        ("a >> (u32(b) & 63u)", |a, b| a >> (b & 63)),
        ("min(a, b)", u64::min),
        ("max(a, b)", u64::max),
        ("select(0lu, 1lu, a <= b)", |a, b| (a <= b) as u64),
    ];
    against_host(DType::U64, "u64", unsigned, |bits| bits);
}
