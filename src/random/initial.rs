//! First weights of neural networks.

use super::Generator;
use crate::array::Array;
use crate::element::Float;
use crosslane_core::error::Error;
use std::panic::Location;

/// The inputs and outputs of a layer: the last two axes of a weight's shape; the others are the window of a convolution, whose
/// elements count for both.
fn fans(shape: &[usize]) -> Option<[f64; 2]> {
    let [window @ .., outputs, inputs] = shape else { return None };
    // In f64: the shape is checked when it is drawn.
    let window: f64 = window.iter().map(|&extent| extent as f64).product();
    Some([inputs, outputs].map(|&count| (count as f64 * window).max(1.0)))
}

impl Generator {
    /// Weights of deviation `sqrt(2 / (inputs + outputs))`, uniform. The shape is that of a matrix of outputs by inputs, with
    /// the axes of a convolution's window before them.
    ///
    /// Source: Glorot and Bengio, 2010.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut random = crosslane::random::Generator::new(device, 1);
    /// let weights = random.xavier_uniform::<f32>(&[20, 10]);
    /// assert!(weights.abs().max().item()? < (6.0f32 / 30.0).sqrt());
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): fewer than two axes; as [`Generator::uniform`].
    #[doc(alias = "glorot_uniform")]
    #[track_caller]
    pub fn xavier_uniform<T: Float>(&mut self, shape: &[usize]) -> Array<T> {
        self.initial("xavier_uniform", shape, true, |[inputs, outputs]| (6.0 / (inputs + outputs)).sqrt())
    }

    /// As [`Generator::xavier_uniform`], normal.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut random = crosslane::random::Generator::new(device, 1);
    /// let weights = random.xavier_normal::<f32>(&[200, 100]);
    /// assert!((weights.square().mean().item()? - 2.0 / 300.0).abs() < 1e-3);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Generator::xavier_uniform`].
    #[track_caller]
    pub fn xavier_normal<T: Float>(&mut self, shape: &[usize]) -> Array<T> {
        self.initial("xavier_normal", shape, false, |[inputs, outputs]| (2.0 / (inputs + outputs)).sqrt())
    }

    /// Weights of deviation `sqrt(2 / inputs)` for layers with `relu`, uniform; shapes as for
    /// [`Generator::xavier_uniform`].
    ///
    /// Source: He, Zhang, Ren and Sun, 2015.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut random = crosslane::random::Generator::new(device, 1);
    /// let weights = random.he_uniform::<f32>(&[20, 10]);
    /// assert!(weights.abs().max().item()? < (6.0f32 / 10.0).sqrt());
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Generator::xavier_uniform`].
    #[doc(alias = "kaiming_uniform")]
    #[track_caller]
    pub fn he_uniform<T: Float>(&mut self, shape: &[usize]) -> Array<T> {
        self.initial("he_uniform", shape, true, |[inputs, _]| (6.0 / inputs).sqrt())
    }

    /// As [`Generator::he_uniform`], normal.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let mut random = crosslane::random::Generator::new(device, 1);
    /// let weights = random.he_normal::<f32>(&[200, 100]);
    /// assert!((weights.square().mean().item()? - 2.0 / 100.0).abs() < 2e-3);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Generator::xavier_uniform`].
    #[doc(alias = "kaiming_normal")]
    #[track_caller]
    pub fn he_normal<T: Float>(&mut self, shape: &[usize]) -> Array<T> {
        self.initial("he_normal", shape, false, |[inputs, _]| (2.0 / inputs).sqrt())
    }

    /// Uniform up to `size` to both sides, or normal of this deviation.
    #[track_caller]
    fn initial<T: Float>(
        &mut self,
        operation: &'static str,
        shape: &[usize],
        uniform: bool,
        size: impl Fn([f64; 2]) -> f64,
    ) -> Array<T> {
        let Some(fans) = fans(shape) else {
            let got = format!("{shape:?}");
            return Array::failed(
                &self.device,
                Error::argument(operation, "shape", "two axes at least: outputs and inputs", got, Location::caller()),
            );
        };
        let size = size(fans) as f32;
        match uniform {
            true => self.uniform_in(-size..size, shape).cast(),
            false => (self.normal::<f32>(shape) * size).cast(),
        }
    }
}
