//! CIE's L*a*b*: elementwise work over the channels' axis, which fuses.

use super::Pixel;
use super::channels::{Channels, full, of_shares};
use super::tone::{encoded, linear};
use crate::array::Array;
use std::panic::Location;

/// IEC 61966-2-1: from linear sRGB to CIE XYZ, and the inverse.
const TO_XYZ: [[f64; 3]; 3] =
    [[0.412453, 0.357580, 0.180423], [0.212671, 0.715160, 0.072169], [0.019334, 0.119193, 0.950227]];
const FROM_XYZ: [[f64; 3]; 3] = [
    [3.240481342, -1.537151516, -0.498536326],
    [-0.969254949, 1.875990001, 0.041555926],
    [0.055646639, -0.204041338, 1.057311069],
];
/// The white of the illuminant D65, for an observer of 2 degrees.
const WHITE: [f64; 3] = [0.95047, 1.0, 1.08883];
/// Where the cube root of CIE's L*a*b* begins, and the line before it.
const LINEAR_TO: f64 = 0.008856;
const SLOPE: f64 = 7.787;
const START: f64 = 16.0 / 116.0;

impl<T: Pixel<Sums = f32>> Array<T> {
    /// CIE's L*a*b* of sRGB along an axis, white being D65: scikit-image's `rgb2lab` and OpenCV's `COLOR_RGB2Lab`. `L` is from 0
    /// to 100. Of integers `L` fills the range, and the others, which are from -128 to 127, have the middle of the range added;
    /// of `u16` they are multiplied by 257 as well. Fuses: no launch of its own.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let white = crosslane::Array::from_shape(device, &[1, 3], &[1.0f32, 1.0, 1.0]).rgb_to_lab(-1).to_vec()?;
    /// assert!((white[0] - 100.0).abs() < 1e-3 && white[1].abs() < 1e-2 && white[2].abs() < 2e-2);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::rgb_to_gray`].
    #[track_caller]
    pub fn rgb_to_lab(&self, axis: isize) -> Array<T> {
        let at = Location::caller();
        let made = || {
            let channels = Channels::shares("rgb_to_lab", self, axis, at)?;
            let [r, g, b] = channels.each.each_ref().map(linear);
            let root = |row: usize| {
                let [red, green, blue] = TO_XYZ[row].map(|weight| (weight / WHITE[row]) as f32);
                let t = &r * red + &g * green + &b * blue;
                t.greater(LINEAR_TO as f32).select(t.cbrt(), &t * SLOPE as f32 + START as f32)
            };
            let [x, y, z] = [0, 1, 2].map(root);
            let [light, scale, shift] = lab_ranges::<T>();
            let l = (&y * 116.0 - 16.0) * light as f32;
            let a = (x - &y) * (500.0 * scale as f32) + shift as f32;
            let b = (y - z) * (200.0 * scale as f32) + shift as f32;
            Ok(Array::of_results(channels.with([l, a, b])))
        };
        Array::kept(self.device(), made())
    }

    /// sRGB of L*a*b*, in the ranges of [`Array::rgb_to_lab`]: scikit-image's `lab2rgb`. What sRGB has no colour for is cut off
    /// to 0 and the largest value. Fuses: no launch of its own.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let image = crosslane::Array::from_shape(device, &[1, 3], &[0.2f32, 0.5, 0.7]);
    /// let back = image.rgb_to_lab(-1).lab_to_rgb(-1).to_vec()?;
    /// assert!(back.iter().zip([0.2, 0.5, 0.7]).all(|(a, b)| (a - b).abs() < 1e-4));
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::rgb_to_gray`].
    #[track_caller]
    pub fn lab_to_rgb(&self, axis: isize) -> Array<T> {
        let at = Location::caller();
        let made = || {
            let mut channels = Channels::of("lab_to_rgb", self, axis, at)?;
            let [light, scale, shift] = lab_ranges::<T>().map(|number| number as f32);
            let [l, a, b] = &channels.each;
            let y = (l / light + 16.0) / 116.0;
            let x = (a - shift) / (500.0 * scale) + &y;
            let z = &y - (b - shift) / (200.0 * scale);
            let cube = |root: Array<f32>, white: f64| {
                let line = (&root - START as f32) / SLOPE as f32;
                // Where the cube root begins: scikit-image's number.
                root.greater(0.2068966).select(root.square() * &root, line) * white as f32
            };
            channels.each = [cube(x, WHITE[0]), cube(y, WHITE[1]), cube(z.maximum(0.0), WHITE[2])];
            Ok(of_shares(encoded(&channels.multiplied(FROM_XYZ)).clamp(0.0, 1.0)))
        };
        Array::kept(self.device(), made())
    }
}

/// How much of L, and of a and b, is 1 in a type, and what is added to a and b.
fn lab_ranges<T: Pixel>() -> [f64; 3] {
    match full::<T>() {
        1.0 => [1.0, 1.0, 0.0],
        full => [full / 100.0, full / 255.0, (full + 1.0) / 2.0],
    }
}
