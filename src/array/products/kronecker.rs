//! Products built from others: cross products, Kronecker products, matrix powers.

use crate::array::products::matmul::one_device;
use crate::array::{Array, Slice};
use crate::element::Arithmetic;
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::layout::broadcast_shapes;
use std::panic::Location;

impl<T: Arithmetic> Array<T> {
    /// The vector product of the last axes, which have three elements; the others are broadcast. NumPy's `cross`.
    ///
    /// Cost: one launch.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let (x, y) = (device.array([1, 0, 0]), device.array([0, 1, 0]));
    /// assert_eq!(x.cross(&y).to_vec()?, [0, 0, 1]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): last axes not of three elements; shapes that do not broadcast; another device.
    #[track_caller]
    pub fn cross(&self, other: &Array<T>) -> Array<T> {
        Array::kept(self.device(), self.crossed(other, Location::caller()))
    }

    fn crossed(&self, other: &Array<T>, at: CallSite) -> Result<Array<T>> {
        one_device("cross", [&*self.node, &*other.node], at)?;
        let shape = broadcast_shapes(&[self.shape(), other.shape()]);
        let three = self.shape().last() == Some(&3) && other.shape().last() == Some(&3);
        let Some(shape) = shape.filter(|_| three) else {
            let got = format!("{:?} and {:?}", self.shape(), other.shape());
            return Err(Error::argument("cross", "shapes", "last axes of 3, the others broadcast together", got, at));
        };
        let last = shape.len() - 1;
        let part = |array: &Array<T>, i: usize| {
            let mut slices = vec![Slice::from(..); last];
            slices.push(Slice::from(i..i + 1));
            array.broadcast_to(&shape).slice(&slices)
        };
        let along = |i: usize| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            part(self, j) * part(other, k) - part(self, k) * part(other, j)
        };
        Ok(Array::joined("cross", &[along(0), along(1), along(2)], last, at))
    }

    /// Each element replaced by its product with all of the other array: NumPy's `kron`, the Kronecker product. The array of
    /// lower rank gets axes of 1 in front.
    ///
    /// Elementwise work. A launch of its own makes the result contiguous.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = device.array([1, 10]).kron(&device.array([1, 2, 3]));
    /// assert_eq!(x.to_vec()?, [1, 2, 3, 10, 20, 30]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): 2^63 bytes or more; another device.
    #[track_caller]
    pub fn kron(&self, other: &Array<T>) -> Array<T> {
        let at = Location::caller();
        if let Err(error) = one_device("kron", [&*self.node, &*other.node], at) {
            return Array::failed(self.device(), error);
        }
        let rank = self.rank().max(other.rank());
        let extents = |array: &Array<T>| [&vec![1; rank - array.rank()][..], array.shape()].concat();
        let (own, others) = (extents(self), extents(other));
        let shape: Vec<usize> = own.iter().zip(&others).map(|(a, b)| a.saturating_mul(*b)).collect();
        if let Err(error) = crate::array::create::fits("kron", T::DTYPE, &shape, at) {
            return Array::failed(self.device(), error);
        }
        // The axes of both in turns.
        let own: Vec<usize> = own.iter().flat_map(|&extent| [extent, 1]).collect();
        let others: Vec<usize> = others.iter().flat_map(|&extent| [1, extent]).collect();
        (self.reshape(&own) * other.reshape(&others)).reshape(&shape)
    }

    /// Square matrices (the last two axes) raised to a power: NumPy's `matrix_power`, without negative powers. Power 0
    /// gives the identity.
    ///
    /// Cost: a product for each bit of the power, and one for each bit that is set.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = device.array([1, 1, 1, 0]).reshape(&[2, 2]); // whose powers are Fibonacci's numbers
    /// assert_eq!(x.matrix_power(10).to_vec()?, [89, 55, 55, 34]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): matrices that are not square.
    #[track_caller]
    pub fn matrix_power(&self, times: u32) -> Array<T> {
        let at = Location::caller();
        if let Some(error) = self.node.error() {
            return Array::failed(self.device(), error);
        }
        let shape = self.shape();
        let side = shape.last().copied().unwrap_or(0);
        if self.rank() < 2 || shape[self.rank() - 2] != side {
            let got = format!("shape {shape:?}");
            return Array::failed(self.device(), Error::argument("matrix_power", "array", "square matrices", got, at));
        }
        let (mut power, mut result) = (self.clone(), None::<Array<T>>);
        for bit in 0..u32::BITS - times.leading_zeros() {
            if bit > 0 {
                power = power.matmul(&power);
            }
            if times >> bit & 1 == 1 {
                result = Some(result.map_or_else(|| power.clone(), |result| result.matmul(&power)));
            }
        }
        result.unwrap_or_else(|| Array::eye(self.device(), side, side, 0).broadcast_to(shape))
    }
}
