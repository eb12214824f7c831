//! Convolutions of an image and of a signal, as the peers': zeros around, as many results as values.

use super::Outcome;
use super::compare::random;
use super::measure::{Group, Row};
use crosslane::array::{ConvolveMode, PadMode};
use crosslane::{Array, Device};
use std::cell::OnceCell;

/// A square image, and its values as a signal.
pub struct Image {
    device: Device,
    side: usize,
    values: OnceCell<Array<f32>>,
}

const SEED: u64 = 10;

fn value(i: usize) -> f32 {
    random(SEED, i) - 0.5
}

/// Weight `t` of so many.
fn weight(t: usize, taps: usize) -> f32 {
    (random(SEED + 1, t) - 0.5) / (taps as f32).sqrt()
}

impl Image {
    pub fn new(device: &Device, quick: bool) -> Image {
        Image { device: device.clone(), side: if quick { 2048 } else { 8192 }, values: OnceCell::new() }
    }

    fn square(&self) -> Array<f32> {
        let values = || {
            let values: Vec<f32> = (0..self.side * self.side).map(value).collect();
            Array::from_shape(&self.device, &[self.side, self.side], &values)
        };
        self.values.get_or_init(values).clone()
    }

    fn weights(&self, shape: &[usize]) -> Array<f32> {
        let taps = shape.iter().product();
        let weights: Vec<f32> = (0..taps).map(|t| weight(t, taps)).collect();
        Array::from_shape(&self.device, shape, &weights)
    }

    /// Compares some results of windows of so many rows and columns with sums in doubles.
    fn check(&self, op: &str, got: &[f32], [rows, columns]: [usize; 2], width: usize) -> Outcome {
        let (len, taps) = (self.side * self.side, rows * columns);
        let height = len / width;
        for nth in 0..1000 {
            let at = (random(SEED + 2, nth) as f64 * len as f64) as usize % len;
            let at = if nth < 2 { nth * (len - 1) } else { at };
            let mut sum = 0.0;
            for t in 0..taps {
                let y = (at / width + t / columns).wrapping_sub(rows / 2);
                let x = (at % width + t % columns).wrapping_sub(columns / 2);
                if y < height && x < width {
                    sum += value(y * width + x) as f64 * weight(t, taps) as f64;
                }
            }
            // Sums of so many products of up to a quarter over the root of their number.
            if (got[at] as f64 - sum).abs() > 1e-6 * (taps as f64).sqrt() {
                return Err(format!("{op}: result {at} is {}, wanted {sum}", got[at]).into());
            }
        }
        Ok(())
    }
}

pub fn rows(image: &Image) -> Vec<Row<'_>> {
    let bytes = || Group::Memory { bytes: 8 * (image.side * image.side) as u64 };
    let square = |op: &'static str, size: usize| {
        let weights = image.weights(&[size, size]);
        let again = weights.clone();
        Row {
            op,
            n: image.side,
            group: bytes(),
            before: None,
            check: Box::new(move || {
                let got = image.square().correlate(&weights, ConvolveMode::Same).to_vec()?;
                image.check(op, &got, [size, size], image.side)
            }),
            work: Box::new(move || image.square().correlate(&again, ConvolveMode::Same).eval()),
        }
    };
    const TAPS: usize = 31;
    let weights = image.weights(&[TAPS]);
    let signal = move || {
        let values = image.square().reshape(&[image.side * image.side]);
        values.correlate(&weights, ConvolveMode::Same)
    };
    let again = signal.clone();
    let line = Row {
        op: "conv1d_31_f32",
        n: image.side * image.side,
        group: bytes(),
        before: None,
        check: Box::new(move || image.check("conv1d_31_f32", &signal().to_vec()?, [1, TAPS], image.side * image.side)),
        work: Box::new(move || again().eval()),
    };
    let blurred = || image.square().gaussian_filter(7.0 / 4.0, .., PadMode::Symmetric);
    let blur = Row {
        op: "gaussian_15_f32",
        n: image.side,
        // Two launches.
        group: Group::Memory { bytes: 16 * (image.side * image.side) as u64 },
        before: None,
        check: Box::new(move || {
            // Weights of sum 1 keep the mean, and each value is between the least and the greatest.
            let (got, side) = (blurred().to_vec()?, image.side);
            let mean =
                |values: &mut dyn Iterator<Item = f32>| values.map(f64::from).sum::<f64>() / (side * side) as f64;
            let (before, after) = (mean(&mut (0..side * side).map(value)), mean(&mut got.iter().copied()));
            match (before - after).abs() < 1e-4 && got.iter().all(|value| value.abs() <= 0.5) {
                true => Ok(()),
                false => Err(format!("gaussian_15_f32: the mean is {after}, wanted {before}").into()),
            }
        }),
        work: Box::new(move || blurred().eval()),
    };
    vec![
        square("conv2d_3x3_1ch_f32", 3),
        square("conv2d_5x5_1ch_f32", 5),
        square("conv2d_15x15_1ch_f32", 15),
        line,
        blur,
    ]
}
