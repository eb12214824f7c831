//! Options of transforms: axes, lengths and norms.

/// What a transform is divided by: NumPy's `norm`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Norm {
    /// The inverse by the number of values.
    #[default]
    Backward,
    /// Both by its root: the transform keeps lengths of vectors.
    Ortho,
    /// The forward transform by the number of values.
    Forward,
}

impl Norm {
    /// The factor for a transform of this length.
    pub(super) fn factor(self, length: usize, inverse: bool) -> f64 {
        match (self, inverse) {
            (Norm::Backward, true) | (Norm::Forward, false) => 1.0 / length as f64,
            (Norm::Ortho, _) => 1.0 / (length as f64).sqrt(),
            _ => 1.0,
        }
    }
}

/// How a transform is done: along which axes, with how many values of each, by which norm.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::array::{FftOptions, Norm};
/// use crosslane::{Array, Complex, assert_close};
/// let x = Array::<f32>::ones(device, &[2, 8]);
/// let spectrum = x.fft_with(&FftOptions::default().axes([0, 1]).norm(Norm::Ortho));
/// assert_close(&spectrum.real().to_vec()?[..2], &[4.0, 0.0]);
/// # Ok(()) });
/// ```
#[derive(Clone, Debug, Default)]
pub struct FftOptions {
    pub(super) axes: Option<Vec<isize>>,
    pub(super) lengths: Option<Vec<usize>>,
    pub(super) norm: Norm,
}

impl FftOptions {
    /// Along these axes, one after the other; a real transform makes the last one half as long. Without it along the last axis.
    pub fn axes(self, axes: impl Into<Vec<isize>>) -> FftOptions {
        FftOptions { axes: Some(axes.into()), ..self }
    }

    /// With so many values along each of these axes: further ones are left out, missing ones are 0.
    pub fn lengths(self, lengths: impl Into<Vec<usize>>) -> FftOptions {
        FftOptions { lengths: Some(lengths.into()), ..self }
    }

    /// By this norm.
    pub fn norm(self, norm: Norm) -> FftOptions {
        FftOptions { norm, ..self }
    }
}
