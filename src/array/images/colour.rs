//! Colour spaces: elementwise work over the channels' axis, which fuses.

use super::Pixel;
use super::channels::{Channels, full};
use crate::array::shapes::axes::axis as place;
use crate::array::{Array, Elementwise};
use crate::element::Class;
use std::panic::Location;
use std::sync::LazyLock;

/// The weights of red, green and blue in the luma of ITU-R BT.601.
const LUMA: [f64; 3] = [0.299, 0.587, 0.114];
/// JPEG's File Interchange Format 1.02: to YCbCr and back.
const TO_YCBCR: [[f64; 3]; 3] = [LUMA, [-0.168736, -0.331264, 0.5], [0.5, -0.418688, -0.081312]];
const FROM_YCBCR: [[f64; 3]; 3] = [[1.0, 0.0, 1.402], [1.0, -0.344136, -0.714136], [1.0, 1.772, 0.0]];
/// Hue, saturation or value, by the number of the channel. Integers are rounded before negative ones go around: there is no hue
/// of a whole circle.
static TO_HSV: LazyLock<Elementwise> = LazyLock::new(|| {
    let text = "
        let high = max(r, max(g, b));
        let range = high - min(r, min(g, b));
        let sixth = select(60.0 * degree / range, 0.0, range <= 0.0);
        let from_green = (b - r) * sixth + 120.0 * degree;
        let from_blue = (r - g) * sixth + 240.0 * degree;
        let around = select(select(from_blue, from_green, g == high), (g - b) * sixth, r == high);
        let rounded = select(around, round(around), whole == 1u);
        let hue = select(rounded, rounded + circle, rounded < 0.0);
        let saturation = select(range / high, 0.0, high <= 0.0) * full;
        y = select(select(high * full, saturation, channel == 1u), hue, channel == 0u)";
    let parameters = "r: f32, g: f32, b: f32, channel: u32, degree: f32, circle: f32, full: f32, whole: u32";
    Elementwise::new(parameters, text).expect("the text is valid")
});

/// The hue of a type as a part of a degree, and the whole circle.
fn circle<T: Pixel>() -> [f64; 2] {
    match full::<T>() {
        1.0 => [1.0, 360.0],
        255.0 => [0.5, 180.0],
        full => [(full + 1.0) / 360.0, full + 1.0],
    }
}

/// What is added to signed values of a type's channels so that they are positive.
fn middle<T: Pixel>() -> f64 {
    if T::DTYPE.class() == Class::Unsigned { (full::<T>() + 1.0) / 2.0 } else { 0.5 }
}

impl<T: Pixel<Sums = f32>> Array<T> {
    /// The luma of images with red, green and blue along an axis, which the result lacks: `0.299 r + 0.587 g + 0.114 b`, of ITU-R
    /// BT.601. OpenCV's `COLOR_RGB2GRAY` and Pillow's mode `L`; scikit-image's `rgb2gray` takes the weights of BT.709. Fuses: no
    /// launch of its own.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let image = crosslane::Array::from_shape(device, &[1, 2, 3], &[255u8, 0, 0, 10, 10, 10]);
    /// assert_eq!(image.rgb_to_gray(-1).to_vec()?, [76, 10]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an axis out of range, or without three channels.
    #[track_caller]
    pub fn rgb_to_gray(&self, axis: isize) -> Array<T> {
        let at = Location::caller();
        let made = || {
            let [r, g, b] = Channels::of("rgb_to_gray", self, axis, at)?.each;
            let [red, green, blue] = LUMA.map(|weight| weight as f32);
            let luma = Array::of_results(r * red + g * green + b * blue);
            let axis = place("rgb_to_gray", axis, self.rank(), at)?;
            let mut shape = self.shape().to_vec();
            shape.remove(axis);
            Ok(luma.reshape(&shape))
        };
        Array::kept(self.device(), made())
    }

    /// A channel three times, along a new axis before this one; -1 is the last. A view.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let gray = crosslane::Array::from_shape(device, &[1, 2], &[7u8, 9]);
    /// assert_eq!(gray.gray_to_rgb(-1).to_vec()?, [7, 7, 7, 9, 9, 9]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an axis out of range.
    #[track_caller]
    pub fn gray_to_rgb(&self, axis: isize) -> Array<T> {
        let at = Location::caller();
        let made = || {
            let axis = place("gray_to_rgb", axis, self.check()?.rank() + 1, at)?;
            let mut shape = self.shape().to_vec();
            shape.insert(axis, 3);
            Ok(self.expand_dims(axis as isize).broadcast_to(&shape))
        };
        Array::kept(self.device(), made())
    }

    /// Hue, saturation and value of red, green and blue along an axis: OpenCV's `COLOR_RGB2HSV`. Floats are from 0 to 1, and the
    /// hue is in degrees, from 0 to 360; of `u8` it is half of that, and saturation and value are up to 255; of `u16` the whole
    /// circle is 65536. Fuses: no launch of its own.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let image = crosslane::Array::from_shape(device, &[2, 3], &[0.0f32, 0.5, 0.0, 0.5, 0.25, 0.25]);
    /// assert_eq!(image.rgb_to_hsv(-1).to_vec()?, [120.0, 1.0, 0.5, 0.0, 0.5, 0.5]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::rgb_to_gray`].
    #[track_caller]
    pub fn rgb_to_hsv(&self, axis: isize) -> Array<T> {
        let at = Location::caller();
        let made = || {
            let channels = Channels::shares("rgb_to_hsv", self, axis, at)?;
            let ([r, g, b], [degree, circle]) = (&channels.each, circle::<T>().map(|number| number as f32));
            let whole = (T::DTYPE.class() == Class::Unsigned) as u32;
            let arguments = (r, g, b, &channels.number, degree, circle, full::<T>() as f32, whole);
            Ok(Array::of_results(TO_HSV.call(arguments)?))
        };
        Array::kept(self.device(), made())
    }

    /// Red, green and blue of hue, saturation and value, in the ranges of [`Array::rgb_to_hsv`]: OpenCV's `COLOR_HSV2RGB`. Fuses:
    /// no launch of its own.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let image = crosslane::Array::from_shape(device, &[1, 3], &[120.0f32, 1.0, 0.5]);
    /// assert_eq!(image.hsv_to_rgb(-1).to_vec()?, [0.0, 0.5, 0.0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::rgb_to_gray`].
    #[track_caller]
    pub fn hsv_to_rgb(&self, axis: isize) -> Array<T> {
        let at = Location::caller();
        let made = || {
            let channels = Channels::of("hsv_to_rgb", self, axis, at)?;
            let [hue, saturation, value] = &channels.each;
            let (sixths, full) = (6.0 / circle::<T>()[1] as f32, full::<T>() as f32);
            // Each channel falls off from its own hue (Smith, 1978, by distances on the circle).
            let zero = hue.zeros_like();
            let place = channels.plus(zero, [5.0, 3.0, 1.0]);
            let turned = (place + hue * sixths).modulo(6.0);
            let near = (4.0 - &turned).minimum(&turned).clamp(0.0, 1.0);
            let share = saturation / full;
            Ok(Array::of_results(value - value * share * near))
        };
        Array::kept(self.device(), made())
    }

    /// Luma and the differences of blue and of red from it, in this order: JPEG's YCbCr with the full range, and Pillow's mode
    /// `YCbCr`. OpenCV's `COLOR_RGB2YCrCb` has the differences in the other order. They have 0.5 added, of `u8` 128, of `u16`
    /// 32768. Fuses: no launch of its own.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let image = crosslane::Array::from_shape(device, &[2, 3], &[255u8, 0, 0, 50, 50, 50]);
    /// assert_eq!(image.rgb_to_ycbcr(-1).to_vec()?, [76, 85, 255, 50, 128, 128]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::rgb_to_gray`].
    #[track_caller]
    pub fn rgb_to_ycbcr(&self, axis: isize) -> Array<T> {
        let at = Location::caller();
        let made = || {
            let channels = Channels::of("rgb_to_ycbcr", self, axis, at)?;
            let middle = middle::<T>();
            Ok(Array::of_results(channels.plus(channels.multiplied(TO_YCBCR), [0.0, middle, middle])))
        };
        Array::kept(self.device(), made())
    }

    /// Red, green and blue of what [`Array::rgb_to_ycbcr`] gives. Fuses: no launch of its own.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let image = crosslane::Array::from_shape(device, &[1, 3], &[76u8, 85, 255]);
    /// assert_eq!(image.ycbcr_to_rgb(-1).to_vec()?, [254, 0, 0]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::rgb_to_gray`].
    #[track_caller]
    pub fn ycbcr_to_rgb(&self, axis: isize) -> Array<T> {
        let at = Location::caller();
        let made = || {
            let mut channels = Channels::of("ycbcr_to_rgb", self, axis, at)?;
            let middle = middle::<T>() as f32;
            channels.each[1] = &channels.each[1] - middle;
            channels.each[2] = &channels.each[2] - middle;
            Ok(Array::of_results(channels.multiplied(FROM_YCBCR)))
        };
        Array::kept(self.device(), made())
    }
}
