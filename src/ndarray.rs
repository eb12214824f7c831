//! From and to the arrays of the crate `ndarray`.

use crate::array::Array;
use crate::device::Device;
use crate::element::Element;
use crosslane_core::error::Result;
use ndarray::{ArrayBase, ArrayD, Data, Dimension, IxDyn};

impl<T: Element> Array<T> {
    /// An array with an `ndarray`'s shape and elements. Errors are kept in the array.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let host = ndarray::array![[1.0f32, 2.0], [3.0, 4.0]];
    /// let x = crosslane::Array::from_ndarray(device, &host.t());
    /// assert_eq!(x.to_ndarray()?, host.t().into_dyn());
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): as [`Array::from_slice`].
    #[track_caller]
    pub fn from_ndarray<S: Data<Elem = T>, D: Dimension>(device: &Device, array: &ArrayBase<S, D>) -> Array<T> {
        let standard = array.as_standard_layout();
        let values = standard.as_slice().expect("the standard layout has no gaps");
        Array::from_shape(device, array.shape(), values)
    }

    /// The elements as an `ndarray`. Computes the array if need be, and waits.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::<f32>::ones(device, &[2, 3]);
    /// assert_eq!(x.to_ndarray()?.shape(), [2, 3]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Array::to_vec`].
    pub fn to_ndarray(&self) -> Result<ArrayD<T>> {
        let values = self.to_vec()?;
        Ok(ArrayD::from_shape_vec(IxDyn(self.shape()), values).expect("as many elements as the shape says"))
    }
}
