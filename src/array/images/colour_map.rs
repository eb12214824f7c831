//! Colours for the values of one channel.

use super::Pixel;
use super::channels::{full, numbers};
use super::tables::{INFERNO, JET, MAGMA, TURBO, VIRIDIS};
use crate::array::Array;
use crate::array::selections::gather::Along;
use crate::element::Class;
use crosslane_ops::OutOfRange;
use std::panic::Location;

/// The colours that [`Array::colour_map`] gives to values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[doc(alias = "colormap")]
#[non_exhaustive]
pub enum ColourMap {
    /// Blue, green, yellow: as light as the value is high, also for the colour-blind.
    #[default]
    Viridis,
    /// Black, purple, orange, light yellow.
    Magma,
    /// Black, red, yellow, light yellow.
    Inferno,
    /// A rainbow without the bands of [`ColourMap::Jet`].
    Turbo,
    /// Black to white.
    Gray,
    /// The old rainbow.
    Jet,
}

impl ColourMap {
    /// The colour of each of 256 levels, as 0xRRGGBB.
    fn colours(self) -> [u32; 256] {
        match self {
            ColourMap::Viridis => VIRIDIS,
            ColourMap::Magma => MAGMA,
            ColourMap::Inferno => INFERNO,
            ColourMap::Turbo => TURBO,
            ColourMap::Gray => std::array::from_fn(|level| level as u32 * 0x01_01_01),
            ColourMap::Jet => JET,
        }
    }
}

impl<T: Pixel> Array<T> {
    /// Red, green and blue for each value, as a new last axis of bytes: Matplotlib's colour maps of 256 colours. A `u8` has a
    /// colour of its own; a `u16` that of its 257th part; floats from 0 to 1 are cut into 256 levels, and what is outside, or
    /// NaN, has the colour of an end, NaN that of 0.
    ///
    /// Elementwise work on the values fuses. Cost: one launch.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::array::ColourMap;
    /// let colours = device.array([0.0f32, 1.0]).colour_map(ColourMap::Viridis);
    /// assert_eq!(colours.to_vec()?, [68, 1, 84, 253, 231, 36]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): 2^32 / 3 values or more.
    #[doc(alias = "colormap")]
    #[doc(alias = "applyColorMap")]
    #[track_caller]
    pub fn colour_map(&self, map: ColourMap) -> Array<u8> {
        let at = Location::caller();
        if let Some(error) = self.error() {
            return Array::failed(self.device(), error);
        }
        let levels = match T::DTYPE.class() {
            Class::Unsigned => self.cast::<u32>() / (full::<T>() as u32 / 255),
            _ => (self.cast::<f32>().maximum(0.0) * 256.0).minimum(255.0).cast::<u32>(),
        };
        let bytes: Vec<u8> = map.colours().iter().flat_map(|colour| colour.to_be_bytes()[1..].to_vec()).collect();
        let table = Array::from_shape(self.device(), &[bytes.len()], &bytes);
        let shape = [self.shape(), &[3]].concat();
        let channel = numbers(self, &shape, shape.len() - 1);
        let place = levels.expand_dims(-1).broadcast_to(&shape) * 3u32 + channel;
        table.gather("colour_map", &place, Along::Flat, OutOfRange::Clamp, at)
    }
}
