//! BabelStream's five kernels by its rules: arrays of f32 filled with 0.1, 0.2 and 0.0, a scalar of 0.4, and results checked
//! against the closed form after rounds of Copy, Mul, Add, Triad, Dot.

use super::super::super::Outcome;
use super::prepared::compared;
use super::{Prepared, Problem, Setting, Work};
use crosslane::{Array, Device, Result};

const SUITE: &str = "BabelStream";
const INITIAL: [f32; 3] = [0.1, 0.2, 0.0];
const SCALAR: f32 = 0.4;
/// Rounds of all five before results are checked.
const ROUNDS: usize = 10;
/// BabelStream's bound for f32: a hundred times the type's epsilon.
const BOUND: f64 = 100.0 * f32::EPSILON as f64;

pub const PROBLEMS: [Problem; 5] = [
    Problem { suite: SUITE, name: "Copy", prepare: |s| prepared(s, 0, 2, 0) },
    Problem { suite: SUITE, name: "Mul", prepare: |s| prepared(s, 1, 2, 1) },
    Problem { suite: SUITE, name: "Add", prepare: |s| prepared(s, 2, 3, 1) },
    Problem { suite: SUITE, name: "Triad", prepare: |s| prepared(s, 3, 3, 2) },
    Problem { suite: SUITE, name: "Dot", prepare: |s| prepared(s, 4, 2, 2) },
];

/// The three arrays, and what each kernel writes.
#[derive(Clone)]
struct Stream([Array<f32>; 3]);

impl Stream {
    fn new(device: &Device, n: usize) -> Result<Stream> {
        let arrays = INITIAL.map(|value| Array::full(device, &[n], value).copy());
        crosslane::eval_all(&arrays.each_ref())?;
        Ok(Stream(arrays))
    }

    /// What the kernel with this place in the order makes.
    fn made(&self, kernel: usize) -> Array<f32> {
        let [a, b, c] = &self.0;
        match kernel {
            0 => a.copy(),
            1 => c * SCALAR,
            2 => a + b,
            3 => b + c * SCALAR,
            _ => (a * b).sum(),
        }
    }

    /// Runs it, and keeps what it writes: c, b, c, a. Dot keeps nothing.
    fn run(&mut self, kernel: usize) -> Result<Array<f32>> {
        let made = self.made(kernel);
        made.eval()?;
        if let Some(&place) = [2, 1, 2, 0].get(kernel) {
            self.0[place] = made.clone();
        }
        Ok(made)
    }
}

/// The value of each element that the kernel writes in the last round; of Dot's sum, that of each product.
fn closed_form(last: usize) -> f64 {
    let [mut a, mut b, mut c] = INITIAL.map(f64::from);
    let scalar = SCALAR as f64;
    let mut written = 0.0;
    for round in 0..ROUNDS {
        for kernel in 0..if round + 1 == ROUNDS { last + 1 } else { 5 } {
            written = match kernel {
                0 => {
                    c = a;
                    c
                }
                1 => {
                    b = scalar * c;
                    b
                }
                2 => {
                    c = a + b;
                    c
                }
                3 => {
                    a = b + scalar * c;
                    a
                }
                _ => a * b,
            };
        }
    }
    written
}

fn check(device: &Device, n: usize, last: usize) -> Outcome {
    let mut stream = Stream::new(device, n)?;
    for _ in 1..ROUNDS {
        (0..5).try_for_each(|kernel| stream.run(kernel).map(drop))?;
    }
    (0..last).try_for_each(|kernel| stream.run(kernel).map(drop))?;
    let got: Vec<f64> = stream.run(last)?.to_vec()?.into_iter().map(f64::from).collect();
    let wanted = closed_form(last);
    compared(&got, &if last == 4 { vec![wanted * n as f64] } else { vec![wanted; n] }, BOUND)
}

fn prepared(setting: &Setting, kernel: usize, arrays: usize, flops: usize) -> Outcome<Prepared> {
    let (device, n) = (setting.device.clone(), setting.sizes.line);
    let stream = Stream::new(&device, n)?;
    let run = move || stream.made(kernel).eval();
    Ok(Prepared::checked(n, Work::each(n, arrays, flops), run, move || check(&device, n, kernel)))
}
