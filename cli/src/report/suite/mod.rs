//! The suite of `crosslane report`: problems as a table, each with its sizes, what it moves and computes, and its reference.

mod babelstream;
mod classics;
mod kernel;
mod library;
mod prepared;
mod raja_algorithm;
mod raja_apps;
mod raja_basic;
mod raja_lcals;
mod raja_mesh;
mod raja_polybench;
mod tutorials;

use super::super::compare::{random, randoms};
use super::super::{Outcome, indices};
use crosslane::device::DeviceKind;
use crosslane::{Array, Device};
pub use prepared::{Prepared, Work};

/// A problem of the suite.
#[derive(Clone, Copy)]
pub struct Problem {
    /// Where its definition is from.
    pub suite: &'static str,
    /// Its name there.
    pub name: &'static str,
    pub prepare: Prepare,
}

/// Uploads a problem's inputs and compiles its texts.
pub type Prepare = fn(&Setting) -> Outcome<Prepared>;

impl Problem {
    /// Its name in tables and filters.
    pub fn label(&self) -> String {
        format!("{} {}", self.suite, self.name)
    }
}

/// Where a problem is prepared.
pub struct Setting<'a> {
    pub device: &'a Device,
    /// The problem's name.
    pub name: &'static str,
    pub sizes: Sizes,
}

/// How large the problems are.
#[derive(Clone, Copy, Debug, PartialEq, clap::ValueEnum)]
pub enum Scale {
    /// For tests, and for the interpreter.
    Tiny,
    Quick,
    Full,
}

/// Elements of an array, and sides of what has several dimensions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sizes {
    pub line: usize,
    /// The side of a matrix that is read a few times.
    pub plane: usize,
    pub cube: usize,
    /// The side of a matrix of products; bodies of N_BODY are four times as many.
    pub matrix: usize,
    /// The side where each row takes a launch of its own.
    pub chain: usize,
}

impl Sizes {
    /// The line is the square of an integer, as the library's rows want it. Those of a card do not fit its caches.
    pub fn of(scale: Scale, device: &Device) -> Sizes {
        let card = device.properties().kind == DeviceKind::Discrete;
        let [line, plane, cube, matrix, chain] = match (scale, card) {
            (Scale::Tiny, _) => [32 * 32, 33, 9, 24, 12],
            (Scale::Quick, false) => [1 << 18, 512, 48, 128, 64],
            (Scale::Full, false) => [1 << 22, 2048, 128, 512, 256],
            (Scale::Quick, true) => [1 << 24, 4096, 256, 1024, 256],
            (Scale::Full, true) => [1 << 26, 8192, 400, 2048, 1024],
        };
        Sizes { line, plane, cube, matrix, chain }
    }
}

/// All problems, in the order of the tables.
pub fn all() -> Vec<Problem> {
    let tables: [&[Problem]; 10] = [
        &babelstream::PROBLEMS,
        &raja_basic::PROBLEMS,
        &raja_lcals::PROBLEMS,
        &raja_polybench::PROBLEMS,
        &raja_apps::PROBLEMS,
        &raja_mesh::PROBLEMS,
        &raja_algorithm::PROBLEMS,
        &library::PROBLEMS,
        &tutorials::PROBLEMS,
        &classics::PROBLEMS,
    ];
    tables.concat()
}

/// Element `i` of the input with this seed, in 0.1..0.3 as RAJAPerf's values are. RAJAPerf's are almost equal to each other,
/// so that an element from a wrong place would pass its check; these differ.
fn value(seed: u64, i: usize) -> f64 {
    near(random(seed, i)) as f64
}

fn near(random: f32) -> f32 {
    0.1 + 0.2 * random
}

impl Setting<'_> {
    /// The elements of [`value`].
    fn input(&self, seed: u64, shape: &[usize]) -> Array<f32> {
        let values: Vec<f32> = randoms(seed, shape.iter().product()).into_iter().map(near).collect();
        Array::from_shape(self.device, shape, &values)
    }
}

/// `f` of each index.
fn each(n: usize, f: impl Fn(usize) -> f64 + Sync) -> Vec<f64> {
    indices::map(n, f)
}

#[cfg(test)]
mod tests;
