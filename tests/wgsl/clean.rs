//! Small kernels of the usual kinds without a defect: a sanitizer must find nothing in them. Their results are checked.

use crate::judge::{Judge, judges};
use crate::support::{random, say};
use crosslane::Kernel;
use rand::Rng;

/// Whether the buffers are right, given what they were before.
type Right = fn(before: &[Vec<u32>], after: &[Vec<u32>]) -> bool;

/// A kernel of `clean/`, the grid, its buffers, and what the buffers must hold after it.
pub struct Case {
    pub name: &'static str,
    pub source: &'static str,
    pub grid: [u32; 3],
    pub buffers: fn() -> Vec<Vec<u32>>,
    right: Right,
}

macro_rules! case {
    ($name:literal, $grid:expr, $buffers:expr, $right:expr) => {
        Case {
            name: $name,
            source: include_str!(concat!("clean/", $name, ".wgsl")),
            grid: $grid,
            buffers: $buffers,
            right: $right,
        }
    };
}

/// Every kernel of `clean/`.
pub const CASES: &[Case] = &[
    case!("reduce_tree", [4, 1, 1], || vec![words(1024), garbage(4)], |before, after| {
        after[1] == before[0].chunks(256).map(sum).collect::<Vec<_>>()
    }),
    case!("reduce_subgroup", [4, 1, 1], || vec![words(512), garbage(4)], |before, after| {
        after[1] == before[0].chunks(128).map(sum).collect::<Vec<_>>()
    }),
    case!("scan_workgroup", [3, 1, 1], || vec![words(384), garbage(384)], |before, after| {
        after[1] == before[0].chunks(128).flat_map(scan).collect::<Vec<_>>()
    }),
    case!("transpose_tile", [4, 4, 1], || vec![words(4096), garbage(4096)], |before, after| {
        (0..4096).all(|i| after[1][i] == before[0][i % 64 * 64 + i / 64])
    }),
    case!("histogram", [3, 1, 1], || vec![words(384), vec![0; 256]], |before, after| {
        let mut counts = vec![0; 256];
        before[0].iter().flat_map(|word| word.to_le_bytes()).for_each(|byte| counts[byte as usize] += 1);
        after[1] == counts
    }),
    case!("matmul_tile", [4, 4, 1], || vec![floats(1024), floats(1024), garbage(1024)], |before, after| {
        let at = |n: usize, row: usize, column: usize| f32::from_bits(before[n][row * 32 + column]);
        (0..1024)
            .all(|i| f32::from_bits(after[2][i]) == (0..32).map(|k| at(0, i / 32, k) * at(1, k, i % 32)).sum::<f32>())
    }),
    case!("stencil_halo", [4, 1, 1], || vec![words(230), garbage(230)], |before, after| {
        let at = |i: isize| usize::try_from(i).ok().and_then(|i| before[0].get(i)).copied().unwrap_or(0);
        (0..230).all(|i| after[1][i] == (-3..=3).map(|d| at(i as isize + d)).fold(0, u32::wrapping_add))
    }),
    case!("compact", [4, 1, 1], || vec![words(250), garbage(250), vec![0]], |before, after| {
        let mut wanted: Vec<_> = before[0].iter().copied().filter(|x| x % 3 == 0).collect();
        let mut kept = after[1][..wanted.len()].to_vec();
        wanted.sort();
        kept.sort();
        after[2] == [wanted.len() as u32] && kept == wanted && after[1][wanted.len()..] == garbage(250)[wanted.len()..]
    }),
    case!("look_back", [8, 1, 1], || vec![shorts(512), garbage(512), vec![0; 8], vec![0]], |before, after| {
        after[1] == scan(&before[0]) && after[3] == [8]
    }),
    case!("sort_bitonic", [3, 1, 1], || vec![words(384)], |before, after| {
        let sorted = |part: &[u32]| {
            let mut part = part.to_vec();
            part.sort();
            part
        };
        after[0] == before[0].chunks(128).flat_map(sorted).collect::<Vec<_>>()
    }),
    case!("saxpy_stride", [3, 1, 1], || vec![floats(1000), floats(1000)], |before, after| {
        let f = |x: u32| f32::from_bits(x);
        (0..1000).all(|i| f(after[1][i]) == 2.0 * f(before[0][i]) + f(before[1][i]))
    }),
    case!("hash", [4, 1, 1], || vec![words(256), vec![0; 64]], |before, after| {
        let mut counts = vec![0; 64];
        before[0].iter().for_each(|&x| counts[murmur(x) as usize & 63] += 1);
        after[1] == counts
    }),
    case!("ring", [1, 1, 1], || vec![words(64), garbage(64)], |before, after| {
        (0..64).all(|i| after[1][i] == before[0][i].wrapping_sub(before[0][(i + 61) % 64]))
    }),
    // Reads past the end whose values are dropped.
    case!("guarded_select", [2, 1, 1], || vec![words(100), garbage(128)], |before, after| {
        let scaled = before[0].iter().map(|x| x.wrapping_mul(3).wrapping_add(1));
        after[1] == scaled.chain([7; 28]).collect::<Vec<_>>()
    }),
    case!("clamped_load", [2, 1, 1], || vec![shorts(100), garbage(100)], |before, after| {
        let x = &before[0];
        let all = |i: usize| {
            let after = if i + 2 < 100 { x[i + 2] } else { 0 };
            x[i.saturating_sub(1)] + x[i] + x[(i + 1).min(99)] + after
        };
        (0..100).all(|i| after[1][i] == all(i))
    }),
    case!("early_load", [1, 1, 1], || vec![floats(50 * 8), garbage(50)], |before, after| {
        let at = |i: usize, k: usize| f32::from_bits(before[0][i * 8 + k]);
        let sum = |i: usize| {
            let mass = 2.0 * at(i, 3);
            at(i, 0) + at(i, 1) + at(i, 2) + mass * (at(i, 4) + at(i, 5) + 1.0) + at(i, i % 3)
        };
        (0..50).all(|i| f32::from_bits(after[1][i]) == sum(i))
    }),
    case!("tile_select", [3, 3, 1], || vec![floats(1600), floats(1600), garbage(1600)], |before, after| {
        let at = |n: usize, row: usize, column: usize| f32::from_bits(before[n][row * 40 + column]);
        (0..1600)
            .all(|i| f32::from_bits(after[2][i]) == (0..40).map(|k| at(0, i / 40, k) * at(1, k, i % 40)).sum::<f32>())
    }),
    case!("image_border", [3, 2, 1], || vec![shorts(240), garbage(240)], |before, after| {
        let at = |x: i32, y: i32| match (0..20).contains(&x) && (0..12).contains(&y) {
            true => before[0][(y * 20 + x) as usize],
            false => 0,
        };
        let sum = |x: i32, y: i32| (0..9).map(|k| at(x + k % 3 - 1, y + k / 3 - 1)).sum::<u32>() + 10 * at(x, y);
        (0..240).all(|i| after[1][i as usize] == sum(i % 20, i / 20))
    }),
    case!("scan_tail", [2, 1, 1], || vec![words(100), garbage(100)], |before, after| {
        after[1] == before[0].chunks(64).flat_map(scan).collect::<Vec<_>>()
    }),
    case!("both_sides", [2, 1, 1], || vec![words(100), garbage(128)], |before, after| {
        let count = |i: usize| if before[0].get(i).is_some_and(|x| x % 2 == 1) { 29 } else { 2 };
        (0..128).all(|i| after[1][i] == count(i))
    }),
    case!("overwritten", [1, 1, 1], || vec![shorts(20), garbage(32)], |before, after| {
        let x = &before[0];
        let sum = |i: usize| match i + 3 < 20 {
            true => x[i] + x[i..i + 4].iter().sum::<u32>() + x[i] + (x[i] != 0) as u32,
            false => 5 + 1,
        };
        (0..32).all(|i| after[1][i] == sum(i))
    }),
];

fn words(len: usize) -> Vec<u32> {
    let mut rng = random(len as u64);
    (0..len).map(|_| rng.random()).collect()
}

fn shorts(len: usize) -> Vec<u32> {
    words(len).iter().map(|x| x & 0xffff).collect()
}

/// Small integers as floats.
fn floats(len: usize) -> Vec<u32> {
    words(len).iter().map(|x| ((x % 17) as f32 - 8.0).to_bits()).collect()
}

fn garbage(len: usize) -> Vec<u32> {
    vec![0xcdcd_cdcd; len]
}

fn sum(part: &[u32]) -> u32 {
    part.iter().fold(0, |a, &b| a.wrapping_add(b))
}

fn scan(part: &[u32]) -> Vec<u32> {
    part.iter()
        .scan(0u32, |sum, &x| {
            *sum = sum.wrapping_add(x);
            Some(*sum)
        })
        .collect()
}

fn murmur(x: u32) -> u32 {
    let x = (x ^ x >> 16).wrapping_mul(0x85eb_ca6b);
    let x = (x ^ x >> 13).wrapping_mul(0xc2b2_ae35);
    x ^ x >> 16
}

impl Case {
    /// Whether the judge has the kernel's workgroups and subgroups.
    pub fn runs_on(&self, judge: &Judge) -> bool {
        let kernel = Kernel::wgsl(self.source).unwrap();
        kernel.reflection().expect("a program's kernel").breaks(judge.caps()).is_empty()
    }

    pub fn check(&self, judge: &Judge) {
        let before = (self.buffers)();
        let after = judge
            .run(self.source, self.grid, &before)
            .unwrap_or_else(|error| panic!("{} on {}: {error}", self.name, judge.name()));
        assert!((self.right)(&before, &after), "{} on {}: {after:?}", self.name, judge.name());
    }
}

#[test]
fn kernels() {
    for judge in judges() {
        for case in CASES {
            match case.runs_on(judge) {
                true => case.check(judge),
                false => say(&format!("{} needs more than {} has", case.name, judge.name())),
            }
        }
    }
}

/// No kernel of the folder is left out of the table.
#[test]
fn table_is_complete() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/wgsl/clean");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    for file in files {
        assert!(CASES.iter().any(|case| format!("{}.wgsl", case.name) == file), "{file} is not in CASES");
    }
}
