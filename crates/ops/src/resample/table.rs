//! The tables of a resampling: for each result along an axis the first pixel and the weights of it and those after it.

use std::f64::consts::PI;

/// How pixels are weighed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Resampling {
    /// The nearest pixel.
    Nearest,
    /// Linear along each axis: a triangle.
    #[default]
    Bilinear,
    /// The cubic convolution of Keys (1981).
    Bicubic,
    /// `sinc(x) sinc(x / 3)` up to a distance of 3 pixels (Duchon, 1979).
    Lanczos,
    /// The mean over the area of a result's pixel.
    Area,
}

/// Windows of one length along an axis, which lie within it.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Pixels of a window.
    pub taps: usize,
    /// Where each result's window begins: never before the one before.
    pub firsts: Vec<u32>,
    /// Each result's weights, those of a result side by side.
    pub weights: Vec<f64>,
}

/// Keys' parameter: that of Pillow and of the crate `image`, and that of OpenCV.
const SHARP: f64 = -0.5;
const SHARPER: f64 = -0.75;

impl Resampling {
    /// How far from its middle the function reaches.
    fn support(self) -> f64 {
        match self {
            Resampling::Nearest | Resampling::Area => 0.5,
            Resampling::Bilinear => 1.0,
            Resampling::Bicubic => 2.0,
            Resampling::Lanczos => 3.0,
        }
    }

    fn weight(self, x: f64, keys: f64) -> f64 {
        let x = x.abs();
        let sinc = |x: f64| if x == 0.0 { 1.0 } else { (PI * x).sin() / (PI * x) };
        match self {
            _ if x >= self.support() => 0.0,
            Resampling::Nearest | Resampling::Area => 1.0,
            Resampling::Bilinear => 1.0 - x,
            Resampling::Bicubic if x < 1.0 => ((keys + 2.0) * x - (keys + 3.0)) * x * x + 1.0,
            Resampling::Bicubic => ((keys * x - 5.0 * keys) * x + 8.0 * keys) * x - 4.0 * keys,
            Resampling::Lanczos => sinc(x) * sinc(x / 3.0),
        }
    }
}

impl Table {
    /// From so many pixels to so many; `None` where each stays what it is. Both are at least 1.
    pub fn of(from: usize, to: usize, by: Resampling, antialias: bool) -> Option<Table> {
        let scale = from as f64 / to as f64;
        let window = |result: usize| match by {
            Resampling::Nearest => nearest(result, scale, from),
            Resampling::Area => covered(result, from, to),
            _ if antialias => smoothed(result, scale, from, by),
            _ => interpolated(result, scale, from, by),
        };
        (from != to).then(|| Table::fit(from, (0..to).map(window).collect()))
    }

    /// Windows of one length: the longest one's. Weights that are added stand where there are pixels.
    fn fit(extent: usize, windows: Vec<(usize, Vec<f64>)>) -> Table {
        let taps = windows.iter().map(|(_, weights)| weights.len()).max().expect("there is a result");
        let (mut firsts, mut all) = (vec![], vec![0.0; taps * windows.len()]);
        for (nth, (first, weights)) in windows.into_iter().enumerate() {
            let start = first.min(extent - taps);
            firsts.push(start as u32);
            all[nth * taps + first - start..][..weights.len()].copy_from_slice(&weights);
        }
        Table { taps, firsts, weights: all }
    }

    /// As memory holds it: where windows begin, then the first weight of each, the second of each, and so on.
    pub fn numbers(&self) -> Vec<f64> {
        let count = self.firsts.len();
        let weight = |at: usize| self.weights[at % count * self.taps + at / count];
        self.firsts.iter().map(|&first| first as f64).chain((0..count * self.taps).map(weight)).collect()
    }

    /// A table's numbers for pixels of f32: where so many windows begin as integers, and the bits of the weights.
    pub fn words(numbers: &[f64], windows: usize) -> impl Iterator<Item = u32> {
        let (firsts, weights) = numbers.split_at(windows);
        firsts.iter().map(|&first| first as u32).chain(weights.iter().map(|&weight| (weight as f32).to_bits()))
    }
}

/// The pixel under the result's middle: Pillow's, and OpenCV's `INTER_NEAREST_EXACT`.
fn nearest(result: usize, scale: f64, extent: usize) -> (usize, Vec<f64>) {
    let at = ((result as f64 + 0.5) * scale).floor() as usize;
    (at.min(extent - 1), vec![1.0])
}

/// The share of each pixel in the area of the result's pixel; in integers, so that no pixel's share is a rounding error.
fn covered(result: usize, from: usize, to: usize) -> (usize, Vec<f64>) {
    let [from, to, result] = [from, to, result].map(|number| number as u128);
    let (start, end) = (result * from, (result + 1) * from);
    let first = start / to;
    let share = |pixel: u128| (end.min((pixel + 1) * to) - start.max(pixel * to)) as f64 / from as f64;
    (first as usize, (first..end.div_ceil(to)).map(share).collect())
}

/// The function stretched by the scale where the image shrinks, over the pixels that are there: Pillow's.
fn smoothed(result: usize, scale: f64, extent: usize, by: Resampling) -> (usize, Vec<f64>) {
    let stretch = scale.max(1.0);
    let (centre, reach) = ((result as f64 + 0.5) * scale, by.support() * stretch);
    let first = (centre - reach + 0.5).max(0.0) as usize;
    let end = ((centre + reach + 0.5) as usize).min(extent).max(first + 1);
    let mut weights: Vec<f64> =
        (first..end).map(|pixel| by.weight((pixel as f64 + 0.5 - centre) / stretch, SHARP)).collect();
    normalise(&mut weights);
    (first, weights)
}

/// The function as it is, with the edge pixels continued: OpenCV's.
fn interpolated(result: usize, scale: f64, extent: usize, by: Resampling) -> (usize, Vec<f64>) {
    let at = (result as f64 + 0.5) * scale - 0.5;
    let (taps, last) = (2 * by.support() as i64, extent as i64 - 1);
    let raw = at.floor() as i64 - taps / 2 + 1;
    let (first, end) = (raw.clamp(0, last), (raw + taps - 1).clamp(0, last));
    let mut weights = vec![0.0; (end - first + 1) as usize];
    for pixel in raw..raw + taps {
        weights[(pixel.clamp(0, last) - first) as usize] += by.weight(pixel as f64 - at, SHARPER);
    }
    normalise(&mut weights);
    (first as usize, weights)
}

fn normalise(weights: &mut [f64]) {
    let sum: f64 = weights.iter().sum();
    if sum != 0.0 {
        weights.iter_mut().for_each(|weight| *weight /= sum);
    }
}
