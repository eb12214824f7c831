//! From and to the buffers of the crate `image`: one copy each way, of the samples as they are.

use crate::array::{Array, Pixel};
use crate::device::Device;
use crosslane_core::error::{CallSite, Error, Result};
use image::{DynamicImage, ImageBuffer, Primitive};
use std::ops::Deref;
use std::panic::Location;

/// A type that samples of the crate `image` have: `u8`, `u16` or `f32`.
pub trait ImageSample: Pixel + Primitive {
    /// The samples of an image of this type.
    #[doc(hidden)]
    fn samples(image: &DynamicImage) -> Option<&[Self]>;
    /// The image of so many columns, rows and channels.
    #[doc(hidden)]
    fn dynamic(size: [u32; 2], channels: usize, samples: Vec<Self>) -> Option<DynamicImage>;
}

macro_rules! samples {
    ($($type:ty: $($channels:literal $variant:ident),*;)*) => {$(
        impl ImageSample for $type {
            fn samples(image: &DynamicImage) -> Option<&[$type]> {
                match image {
                    $(DynamicImage::$variant(buffer) => Some(buffer.as_raw()),)*
                    _ => None,
                }
            }

            fn dynamic([width, height]: [u32; 2], channels: usize, samples: Vec<$type>) -> Option<DynamicImage> {
                match channels {
                    $($channels => ImageBuffer::from_raw(width, height, samples).map(DynamicImage::$variant),)*
                    _ => None,
                }
            }
        }
    )*};
}

samples! {
    u8: 1 ImageLuma8, 2 ImageLumaA8, 3 ImageRgb8, 4 ImageRgba8;
    u16: 1 ImageLuma16, 2 ImageLumaA16, 3 ImageRgb16, 4 ImageRgba16;
    f32: 3 ImageRgb32F, 4 ImageRgba32F;
}

impl<T: ImageSample> Array<T> {
    /// An array with an image's samples: `[height, width, channels]`, of one channel `[height, width]`. Cost: one upload.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let host = image::RgbImage::from_pixel(4, 2, image::Rgb([10, 20, 30]));
    /// let x = crosslane::Array::from_image(device, &host);
    /// assert_eq!((x.shape(), &x.to_vec()?[..3]), (&[2, 4, 3][..], &[10, 20, 30][..]));
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::from_slice`].
    #[track_caller]
    pub fn from_image<P, C>(device: &Device, image: &ImageBuffer<P, C>) -> Array<T>
    where
        P: image::Pixel<Subpixel = T>,
        C: Deref<Target = [T]>,
    {
        let shape = shape_of(image.width(), image.height(), P::CHANNEL_COUNT as usize);
        // A container may be longer than the image.
        Array::from_shape(device, &shape, &image.as_raw()[..shape.iter().product()])
    }

    /// An array with an image's samples, as [`Array::from_image`].
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let host = image::DynamicImage::new_luma8(4, 2);
    /// let x = crosslane::Array::<u8>::from_dynamic_image(device, &host);
    /// assert_eq!(x.shape(), [2, 4]);
    /// let error = crosslane::Array::<f32>::from_dynamic_image(device, &host).to_vec().unwrap_err().to_string();
    /// assert!(error.contains("wanted samples of f32, got L8"), "{error}");
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): samples of another type, which the image's methods `to_rgb8` and its like convert; as
    /// [`Array::from_slice`].
    #[track_caller]
    pub fn from_dynamic_image(device: &Device, image: &DynamicImage) -> Array<T> {
        let Some(samples) = T::samples(image) else {
            let (wanted, got) = (format!("samples of {}", T::DTYPE), format!("{:?}", image.color()));
            let error = Error::argument("from_dynamic_image", "image", wanted, got, Location::caller());
            return Array::failed(device, error);
        };
        let shape = shape_of(image.width(), image.height(), image.color().channel_count() as usize);
        Array::from_shape(device, &shape, samples)
    }

    /// The image of an array `[height, width, channels]`, or of one channel `[height, width]`. Computes the array if need be, and
    /// waits.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::full(device, &[2, 4, 3], 7u8);
    /// let host: image::RgbImage = x.to_image()?;
    /// assert_eq!((host.dimensions(), host.get_pixel(3, 1)), ((4, 2), &image::Rgb([7, 7, 7])));
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: another shape, or another number of channels than the pixel type has; as [`Array::to_vec`].
    #[track_caller]
    pub fn to_image<P>(&self) -> Result<ImageBuffer<P, Vec<T>>>
    where
        P: image::Pixel<Subpixel = T>,
    {
        let at = Location::caller();
        let ([width, height], channels) = self.image_size("to_image", at)?;
        let mistake = || {
            let wanted = format!("{} channels, as the pixel type has", P::CHANNEL_COUNT);
            Error::argument("to_image", "array", wanted, format!("shape {:?}", self.shape()), at)
        };
        if channels != P::CHANNEL_COUNT as usize {
            return Err(mistake());
        }
        ImageBuffer::from_raw(width, height, self.to_vec()?).ok_or_else(mistake)
    }

    /// The image of an array, as [`Array::to_image`], of 1 to 4 channels: gray, gray with opacity, colours, colours with opacity.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::full(device, &[2, 4], 7u16);
    /// assert_eq!(x.to_dynamic_image()?.color(), image::ColorType::L16);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: another shape; other numbers of channels, which of `f32` are 3 and 4; as [`Array::to_vec`].
    #[track_caller]
    pub fn to_dynamic_image(&self) -> Result<DynamicImage> {
        let at = Location::caller();
        let (size, channels) = self.image_size("to_dynamic_image", at)?;
        T::dynamic(size, channels, self.to_vec()?).ok_or_else(|| {
            let wanted = format!("channels that the crate has a variant for, of {}", T::DTYPE);
            Error::argument("to_dynamic_image", "array", wanted, format!("shape {:?}", self.shape()), at)
        })
    }

    /// Columns and rows, and channels.
    fn image_size(&self, operation: &'static str, at: CallSite) -> Result<([u32; 2], usize)> {
        let (height, width, channels) = match *self.check()?.shape() {
            [height, width] => (height, width, 1),
            [height, width, channels] => (height, width, channels),
            _ => (usize::MAX, usize::MAX, 0),
        };
        match (u32::try_from(width), u32::try_from(height)) {
            (Ok(width), Ok(height)) => Ok(([width, height], channels)),
            _ => {
                let wanted = "[height, width] or [height, width, channels], below 2^32 each";
                Err(Error::argument(operation, "array", wanted, format!("shape {:?}", self.shape()), at))
            }
        }
    }
}

fn shape_of(width: u32, height: u32, channels: usize) -> Vec<usize> {
    let mut shape = vec![height as usize, width as usize];
    shape.extend((channels > 1).then_some(channels));
    shape
}
