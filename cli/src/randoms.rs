//! Random numbers: written once, and nothing read.

use super::compare::compare;
use super::measure::{Group, Row};
use crosslane::random::Generator;
use crosslane::{Array, Device};
use std::cell::RefCell;

const SEED: u64 = 0x0123_4567_89ab_cdef;

/// So many numbers of a generator.
type Make = fn(&mut Generator, usize) -> Array<f32>;

/// A generator that goes on from run to run, so that each draws other numbers.
pub struct Source {
    generator: RefCell<Generator>,
    n: usize,
}

impl Source {
    pub fn new(device: &Device, n: usize) -> Source {
        Source { generator: RefCell::new(Generator::new(device, SEED)), n }
    }

    /// The first draw of the seed, which the host can compute.
    fn first(&self) -> Generator {
        Generator::new(self.generator.borrow().device(), SEED)
    }
}

/// Word `i` of the seed: Philox4x32-10 (Salmon et al., 2011).
fn word(i: usize) -> u32 {
    let multiply = |a: u32, b: u32| (a as u64 * b as u64, (a as u64 * b as u64) >> 32);
    let (mut c, mut key) = ([(i / 4) as u32, ((i / 4) as u64 >> 32) as u32, 0, 0], [SEED as u32, (SEED >> 32) as u32]);
    for _ in 0..10 {
        let ((low0, high0), (low1, high1)) = (multiply(0xd251_1f53, c[0]), multiply(0xcd9e_8d57, c[2]));
        c = [high1 as u32 ^ c[1] ^ key[0], low1 as u32, high0 as u32 ^ c[3] ^ key[1], low0 as u32];
        key = [key[0].wrapping_add(0x9e37_79b9), key[1].wrapping_add(0xbb67_ae85)];
    }
    c[i % 4]
}

/// The normal number that two words are, in doubles: a radius by the first 24 bits of one from its highest on, an angle by the
/// first 26 of the other.
fn normal(i: usize) -> f64 {
    let (first, second) = (word(i & !1) | 1, word(i | 1));
    let shift = 8u32.saturating_sub(first.leading_zeros());
    let radius = (-2.0 * ((first >> shift << shift) as f64 / 4_294_967_296.0).ln()).sqrt();
    let quarters = (second >> 30) as f64 + (((second << 2) as i32 >> 8) as f64) / (1 << 24) as f64;
    let (s, c) = (quarters * std::f64::consts::FRAC_PI_2).sin_cos();
    radius * if i.is_multiple_of(2) { c } else { s }
}

pub fn rows(source: &Source) -> Vec<Row<'_>> {
    let n = source.n;
    let bytes = Group::Memory { bytes: 4 * n as u64 };
    let draw = |make: Make| move || make(&mut source.generator.borrow_mut(), n).eval();
    let (uniform, normals): (Make, Make) = (|random, n| random.uniform(&[n]), |random, n| random.normal(&[n]));
    vec![
        Row {
            op: "random_uniform_f32",
            n,
            group: bytes,
            before: None,
            check: Box::new(move || {
                let got = uniform(&mut source.first(), n).to_vec()?;
                compare("random_uniform_f32", &got, n, 0.0, |i| (word(i) >> 8) as f64 / (1 << 24) as f64)
            }),
            work: Box::new(draw(uniform)),
        },
        Row {
            op: "random_normal_f32",
            n,
            group: bytes,
            before: None,
            check: Box::new(move || {
                // Near a turn's quarters a coordinate is small by cancellation: what counts is the circle's size.
                let got: Vec<f32> = normals(&mut source.first(), n).to_vec()?.into_iter().map(|x| x + 8.0).collect();
                compare("random_normal_f32", &got, n, 1e-6, |i| normal(i) + 8.0)
            }),
            work: Box::new(draw(normals)),
        },
        Row {
            op: "random_permutation_u32",
            n: n / 4,
            group: Group::Memory { bytes: n as u64 },
            before: None,
            check: Box::new(move || {
                let mut order = source.first().permutation(n / 4).to_vec()?;
                order.sort_unstable();
                match order.iter().enumerate().all(|(at, &x)| at == x as usize) {
                    true => Ok(()),
                    false => Err("random_permutation_u32: a number is missing".into()),
                }
            }),
            work: Box::new(move || source.generator.borrow_mut().permutation(n / 4).eval()),
        },
    ]
}
