//! The problems on meshes of RAJAPerf's group Apps, in f32. References are loops in f64.
//!
//! Nodes stand near a grid whose lines repeat every four, so that coordinates stay small and differences of neighbours exact
//! enough; each is moved at random.

use super::super::super::Outcome;
use super::super::super::compare::random;
use super::kernel::Each;
use super::{Prepared, Problem, Setting, Work, each, value};
use crosslane::{Argument, Array, Device};

const SUITE: &str = "RAJAPerf Apps";
const BOUND: f64 = 1e-4;

pub const PROBLEMS: [Problem; 2] = [
    Problem { suite: SUITE, name: "DEL_DOT_VEC_2D", prepare: del_dot_vec_2d },
    Problem { suite: SUITE, name: "VOL3D", prepare: vol3d },
];

/// The coordinate of a node along an axis.
fn coordinate(axis: usize, node: usize, side: usize) -> f64 {
    let line = node / side.pow(axis as u32) % side;
    (0.25 * (line % 4) as f32 + 0.0625 * random(20 + axis as u64, node)) as f64
}

fn coordinates(device: &Device, axis: usize, side: usize, nodes: usize) -> Array<f32> {
    Array::from_slice(
        device,
        &each(nodes, |node| coordinate(axis, node, side)).iter().map(|&x| x as f32).collect::<Vec<_>>(),
    )
}

/// The divergence of a velocity in each zone, from its four nodes in a turn.
fn del_dot_vec_2d(setting: &Setting) -> Outcome<Prepared> {
    let (zones, device) = (setting.sizes.plane, setting.device.clone());
    let (side, n) = (zones + 1, zones * zones);
    let places = [0, 1].map(|axis| coordinates(&device, axis, side, side * side));
    let speeds = [1, 2].map(|seed| setting.input(seed, &[side * side]));
    let text = format!(
        "fn node(zone: u32) -> u32 {{ return zone % {zones}u + zone / {zones}u * {side}u; }}
fn value(zone: u32) -> f32 {{
    let d = node(zone);
    let a = d + 1u;
    let b = d + {side}u + 1u;
    let c = d + {side}u;
    let xi = 0.5 * (x[a] + x[b] - x[c] - x[d]);
    let xj = 0.5 * (x[b] + x[c] - x[d] - x[a]);
    let yi = 0.5 * (y[a] + y[b] - y[c] - y[d]);
    let yj = 0.5 * (y[b] + y[c] - y[d] - y[a]);
    let fxi = 0.5 * (u[a] + u[b] - u[c] - u[d]);
    let fxj = 0.5 * (u[b] + u[c] - u[d] - u[a]);
    let fyi = 0.5 * (v[a] + v[b] - v[c] - v[d]);
    let fyj = 0.5 * (v[b] + v[c] - v[d] - v[a]);
    let area = 1.0 / (xi * yj - xj * yi + 1e-20);
    let affine = (v[a] + v[b] + v[c] + v[d]) / (y[a] + y[b] + y[c] + y[d]);
    return area * (fxi * yj - fxj * yi) + area * (fyj * xi - fyi * xj) + affine;
}}"
    );
    let kernel = Each::new(&[("x", "f32"), ("y", "f32"), ("u", "f32"), ("v", "f32")], "f32", &text)?;
    let make = move || {
        let inputs = [&places[0], &places[1], &speeds[0], &speeds[1]].map(Argument::from);
        kernel.launch::<f32>(&device, n, &inputs)
    };
    let wanted = move || {
        each(n, |zone| {
            let first = zone % zones + zone / zones * side;
            let nodes = [first + 1, first + side + 1, first + side, first];
            // Along the zone's two directions, and the sum.
            let slopes = |f: &dyn Fn(usize) -> f64| {
                let [a, b, c, d] = nodes.map(f);
                (0.5 * (a + b - c - d), 0.5 * (b + c - d - a), a + b + c + d)
            };
            let (xi, xj, _) = slopes(&|node| coordinate(0, node, side));
            let (yi, yj, y) = slopes(&|node| coordinate(1, node, side));
            let (fxi, fxj, _) = slopes(&|node| value(1, node));
            let (fyi, fyj, v) = slopes(&|node| value(2, node));
            ((fxi * yj - fxj * yi) + (fyj * xi - fyi * xj)) / (xi * yj - xj * yi + 1e-20) + v / y
        })
    };
    Ok(Prepared::new(zones, Work::each(n, 5, 54), BOUND, make, wanted))
}

/// The volume of each zone, from its eight nodes.
fn vol3d(setting: &Setting) -> Outcome<Prepared> {
    let (zones, device) = (setting.sizes.cube, setting.device.clone());
    let (side, n) = (zones + 1, zones.pow(3));
    let places = [0, 1, 2].map(|axis| coordinates(&device, axis, side, side.pow(3)));
    let text = format!(
        "fn at(node: u32) -> vec3<f32> {{ return vec3<f32>(x[node], y[node], z[node]); }}
fn value(zone: u32) -> f32 {{
    let n0 = zone % {zones}u + zone / {zones}u % {zones}u * {side}u + zone / {}u * {}u;
    let n4 = n0 + {}u;
    let p0 = at(n0);
    let p7 = at(n4 + {side}u + 1u);
    let d71 = p7 - at(n0 + 1u);
    let d72 = p7 - at(n0 + {side}u);
    let d74 = p7 - at(n4);
    let d30 = at(n0 + {side}u + 1u) - p0;
    let d50 = at(n4 + 1u) - p0;
    let d60 = at(n4 + {side}u) - p0;
    let sum = dot(d71 + d60, cross(d72, d30)) + dot(d72 + d50, cross(d74, d60)) + dot(d74 + d30, cross(d71, d50));
    return sum * 0.083333336;
}}",
        zones * zones,
        side * side,
        side * side
    );
    let kernel = Each::new(&[("x", "f32"), ("y", "f32"), ("z", "f32")], "f32", &text)?;
    let make = move || kernel.launch::<f32>(&device, n, &places.each_ref().map(Argument::from));
    let wanted = move || {
        each(n, |zone| {
            let first = zone % zones + zone / zones % zones * side + zone / (zones * zones) * side * side;
            let node = |nth: usize| first + nth % 2 + nth / 2 % 2 * side + nth / 4 * side * side;
            let by = |to: usize, from: usize| {
                [0, 1, 2].map(|axis| coordinate(axis, node(to), side) - coordinate(axis, node(from), side))
            };
            let [d71, d72, d74, d30, d50, d60] =
                [(7, 1), (7, 2), (7, 4), (3, 0), (5, 0), (6, 0)].map(|(a, b)| by(a, b));
            (triple(d71, d60, d72, d30) + triple(d72, d50, d74, d60) + triple(d74, d30, d71, d50)) / 12.0
        })
    };
    Ok(Prepared::new(zones, Work::each(n, 4, 72), BOUND, make, wanted))
}

/// (a + b) . (c x d)
fn triple(a: [f64; 3], b: [f64; 3], c: [f64; 3], d: [f64; 3]) -> f64 {
    (0..3)
        .map(|axis| {
            let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
            (a[axis] + b[axis]) * (c[next] * d[last] - c[last] * d[next])
        })
        .sum()
}
