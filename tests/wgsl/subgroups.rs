//! Subgroup operations against a model on the host, for the size that the judge says.

use crate::judge::judges;
use crate::support::{random, say};
use rand::Rng;

/// What a lane sees: the values of its subgroup by lane, and which lane it is.
struct View<'a> {
    all: &'a [u32],
    me: usize,
}

impl View<'_> {
    /// The value of a lane; `None`, which is anything, where there is no such lane.
    fn lane(&self, at: usize) -> Option<u32> {
        self.all.get(at).copied()
    }

    fn fold(&self, values: &[u32], start: u32, f: fn(u32, u32) -> u32) -> Option<u32> {
        Some(values.iter().fold(start, |a, &b| f(a, b)))
    }

    fn reduce(&self, f: fn(u32, u32) -> u32) -> Option<u32> {
        self.all.iter().copied().reduce(f)
    }

    /// Word `at` of the mask of lanes for which something holds.
    fn ballot(&self, at: usize, holds: fn(u32) -> bool) -> Option<u32> {
        let bit = |lane: usize| self.all.get(lane).is_some_and(|&v| holds(v)) as u32;
        Some((0..32).map(|n| bit(at * 32 + n) << n).sum())
    }
}

/// An expression over the lane's value as `v`, `i` (i32) and `f` (a small f32), its lane `lane` and the subgroup's
/// `size`; its result as a word; whether it also holds in a subgroup that is not full.
type Row = (&'static str, fn(View) -> Option<u32>, bool);

/// The small float of a value: sums and products of few are exact.
fn small(v: u32) -> f32 {
    (1u32 << (v % 2)) as f32
}

fn floats(view: View, f: fn(f32, f32) -> f32) -> Option<u32> {
    view.all.iter().map(|&v| small(v)).reduce(f).map(f32::to_bits)
}

const ROWS: &[Row] = &[
    ("subgroupAdd(v)", |x| x.reduce(u32::wrapping_add), true),
    ("subgroupMul(v)", |x| x.reduce(u32::wrapping_mul), true),
    ("subgroupMin(v)", |x| x.reduce(u32::min), true),
    ("subgroupMax(v)", |x| x.reduce(u32::max), true),
    ("subgroupAnd(v)", |x| x.reduce(|a, b| a & b), true),
    ("subgroupOr(v)", |x| x.reduce(|a, b| a | b), true),
    ("subgroupXor(v)", |x| x.reduce(|a, b| a ^ b), true),
    ("bitcast<u32>(subgroupAdd(i))", |x| x.reduce(u32::wrapping_add), true),
    ("bitcast<u32>(subgroupMin(i))", |x| x.reduce(|a, b| (a as i32).min(b as i32) as u32), true),
    ("bitcast<u32>(subgroupMax(i))", |x| x.reduce(|a, b| (a as i32).max(b as i32) as u32), true),
    ("bitcast<u32>(subgroupAdd(f))", |x| floats(x, |a, b| a + b), true),
    ("bitcast<u32>(subgroupMul(f))", |x| floats(x, |a, b| a * b), true),
    ("bitcast<u32>(subgroupMin(f))", |x| floats(x, f32::min), true),
    ("bitcast<u32>(subgroupMax(f))", |x| floats(x, f32::max), true),
    ("subgroupInclusiveAdd(v)", |x| x.fold(&x.all[..=x.me], 0, u32::wrapping_add), true),
    ("subgroupExclusiveAdd(v)", |x| x.fold(&x.all[..x.me], 0, u32::wrapping_add), true),
    ("subgroupInclusiveMul(v)", |x| x.fold(&x.all[..=x.me], 1, u32::wrapping_mul), true),
    ("subgroupExclusiveMul(v)", |x| x.fold(&x.all[..x.me], 1, u32::wrapping_mul), true),
    ("u32(subgroupExclusiveAdd(f))", |x| Some(x.all[..x.me].iter().map(|&v| small(v)).sum::<f32>() as u32), true),
    ("subgroupAdd(vec2(v, lane)).x", |x| x.reduce(u32::wrapping_add), true),
    ("u32(subgroupAll(v % 2u == 0u))", |x| Some(x.all.iter().all(|v| v % 2 == 0) as u32), true),
    ("u32(subgroupAll(lane < size))", |_| Some(1), true),
    ("u32(subgroupAny(v % 7u == 0u))", |x| Some(x.all.iter().any(|v| v % 7 == 0) as u32), true),
    ("u32(subgroupAny(lane >= size))", |_| Some(0), true),
    ("subgroupBallot(v % 2u == 0u).x", |x| x.ballot(0, |v| v % 2 == 0), true),
    ("subgroupBallot(v % 3u == 0u).y", |x| x.ballot(1, |v| v % 3 == 0), true),
    ("subgroupBallot(true).x", |x| x.ballot(0, |_| true), true),
    ("subgroupBallot().x", |x| x.ballot(0, |_| true), true),
    ("subgroupBallot(true).w", |x| x.ballot(3, |_| true), true),
    ("subgroupBroadcast(v, 0u)", |x| x.lane(0), true),
    ("subgroupBroadcast(v, 3u)", |x| x.lane(3), false),
    ("subgroupBroadcastFirst(v)", |x| x.lane(0), true),
    ("subgroupBroadcastFirst(vec3(v)).z", |x| x.lane(0), true),
    ("subgroupShuffle(v, size - 1u - lane)", |x| x.lane(x.all.len() - 1 - x.me), false),
    ("subgroupShuffle(v, (lane * 3u + 1u) % size)", |x| x.lane((x.me * 3 + 1) % x.all.len()), false),
    ("subgroupShuffleXor(v, 1u)", |x| x.lane(x.me ^ 1), false),
    ("subgroupShuffleXor(v, 2u)", |x| x.lane(x.me ^ 2), false),
    ("subgroupShuffleUp(v, 1u)", |x| x.me.checked_sub(1).and_then(|at| x.lane(at)), true),
    ("subgroupShuffleUp(v, 2u)", |x| x.me.checked_sub(2).and_then(|at| x.lane(at)), true),
    ("subgroupShuffleDown(v, 1u)", |x| x.lane(x.me + 1), true),
    ("subgroupShuffleDown(v, 3u)", |x| x.lane(x.me + 3), true),
    ("quadBroadcast(v, 2u)", |x| x.lane((x.me & !3) + 2), false),
    ("quadSwapX(v)", |x| x.lane(x.me ^ 1), false),
    ("quadSwapY(v)", |x| x.lane(x.me ^ 2), false),
    ("quadSwapDiagonal(v)", |x| x.lane(x.me ^ 3), false),
];

/// Words of output before the rows' results: size, lane, subgroup, number of subgroups.
const HEAD: usize = 4;

fn check(workgroup: usize, full: bool) {
    let rows: Vec<_> = ROWS.iter().filter(|row| full || row.2).collect();
    let words = HEAD + rows.len();
    let body: String =
        rows.iter().zip(HEAD..).map(|(row, n)| format!("output[i * {words}u + {n}u] = {};\n", row.0)).collect();
    let source = format!(
        "@group(0) @binding(0) var<storage, read> input: array<u32>;
@group(0) @binding(1) var<storage, read_write> output: array<u32>;
@compute @workgroup_size({workgroup})
fn main(@builtin(local_invocation_index) local: u32, @builtin(workgroup_id) group: vec3<u32>,
    @builtin(subgroup_size) size: u32, @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_id) subgroup: u32, @builtin(num_subgroups) subgroups: u32) {{
let i = group.x * {workgroup}u + local;
let v = input[i]; let i32_ = bitcast<i32>(v); let f = f32(1u << (v % 2u));
output[i * {words}u] = size; output[i * {words}u + 1u] = lane;
output[i * {words}u + 2u] = subgroup; output[i * {words}u + 3u] = subgroups;
{}}}",
        body.replace("(i)", "(i32_)")
    );
    let mut rng = random(7);
    let input: Vec<u32> =
        (0..workgroup * 2).map(|n| if n % 2 == 0 { rng.random() } else { rng.random_range(0..9) }).collect();
    for judge in judges() {
        let Some((min, max)) = judge.caps().subgroups else { continue };
        let buffers = [input.clone(), vec![0xcdcd_cdcd; input.len() * words]];
        let results = judge.run(&source, [2, 1, 1], &buffers).unwrap();
        for (group, invocations) in results[1].chunks(workgroup * words).enumerate() {
            let lanes: Vec<&[u32]> = invocations.chunks(words).collect();
            let size = lanes[0][0];
            assert!((min..=max).contains(&size), "size {size} on {}", judge.name());
            let count = lanes.iter().map(|lane| lane[2]).max().unwrap() + 1;
            // Mesa 22.3.6's llvmpipe rounds num_subgroups down: 1 for 13 invocations in subgroups of 8.
            let exempt = !full && judge.is("llvmpipe");
            assert!(exempt || lanes.iter().all(|lane| lane[3] == count), "number of subgroups on {}", judge.name());
            for subgroup in 0..count {
                // The invocations of this subgroup in the order of their lanes, which are 0, 1, ...
                let mut of: Vec<usize> = (0..workgroup).filter(|&n| lanes[n][2] == subgroup).collect();
                of.sort_by_key(|&n| lanes[n][1]);
                assert!(of.iter().zip(0..).all(|(&n, at)| lanes[n][1] == at), "lanes on {}", judge.name());
                let all: Vec<u32> = of.iter().map(|&n| input[group * workgroup + n]).collect();
                for (me, &n) in of.iter().enumerate() {
                    for (row, got) in rows.iter().zip(&lanes[n][HEAD..]) {
                        let Some(wanted) = row.1(View { all: &all, me }) else { continue };
                        let what = row.0;
                        assert_eq!(*got, wanted, "{what} in lane {me} of {all:?} on {}", judge.name());
                    }
                }
            }
        }
    }
}

#[test]
fn full_subgroups() {
    check(64, true);
}

/// A workgroup that fills no whole number of subgroups: the lanes that are not there do not count.
#[test]
fn partial_subgroups() {
    check(13, false);
    // Whole ones, and then one that is not.
    check(45, false);
}

/// In a branch only the lanes that took it count.
#[test]
fn branches() {
    let source = "@group(0) @binding(0) var<storage, read_write> output: array<vec4<u32>>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32, @builtin(subgroup_size) size: u32, @builtin(subgroup_invocation_id) lane: u32) {
    var r = vec4<u32>(size, lane, 0u, 0u);
    if lane % 2u == 1u {
        r.z = subgroupAdd(lane + 1u); r.w = subgroupBallot(true).x;
    } else {
        r.z = subgroupMax(lane) + 100u; r.w = subgroupBroadcastFirst(lane + 7u);
    }
    output[i] = r;
}";
    for judge in judges().filter(|judge| judge.caps().subgroups.is_some()) {
        let results = judge.run(source, [1, 1, 1], &[vec![0; 256]]).unwrap();
        for lane in results[0].chunks(4) {
            let size = lane[0].min(64);
            let wanted = match lane[1] % 2 {
                1 => [(0..size / 2).map(|n| 2 * n + 2).sum(), (0..size.min(32) / 2).map(|n| 2 << (2 * n)).sum()],
                _ => [size - 2 + 100, 7],
            };
            assert_eq!(lane[2..], wanted, "lane {} of {size} on {}", lane[1], judge.name());
        }
    }
}

/// What numbers lanes by subgroups runs where these are full; an engine that cannot promise it has asked the driver.
#[test]
fn drivers_here_fill_subgroups() {
    for (index, listed) in crosslane::Device::list().iter().enumerate() {
        let Ok(device) = crosslane::Device::open(&index.to_string()) else {
            say(&format!("skipped: {} does not open", listed.name));
            continue;
        };
        assert_eq!(device.caps().subgroups, listed.caps.subgroups, "{} leaves subgroups partly empty", listed.name);
    }
}
