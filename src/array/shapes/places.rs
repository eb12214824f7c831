//! Positions of elements: as row-major indices, and as an index for each axis.

use crate::array::Array;
use crate::device::Device;
use crate::element::{DType, Element};
use crate::graph::{Expr, Node};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::layout::{Layout, count};
use std::panic::Location;

/// Checks that a shape has elements, which are numbers of 32 bits.
fn countable(operation: &'static str, shape: &[usize], at: CallSite) -> Result<()> {
    match count(shape) as u64 {
        1..=0x1_0000_0000 => Ok(()),
        _ => Err(Error::argument(operation, "shape", "1 to 2^32 elements", format!("{shape:?}"), at)),
    }
}

impl<T: Element> Array<T> {
    /// The positions of the elements that are not zero: a row for each, with an index for each axis, in row-major
    /// order. NumPy's `argwhere`. Waits for the device, which alone knows their count; [`Array::nonzero`] gives
    /// row-major indices without waiting.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::from_shape(device, &[2, 3], &[0, 7, 0, 0, 0, 9]);
    /// assert_eq!(x.argwhere()?.to_string(), "[[0 1]\n [1 2]]");
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Array::nonzero`]; the error that the array holds; out of memory; device lost.
    #[track_caller]
    pub fn argwhere(&self) -> Result<Array<u32>> {
        let places = self.nonzero().to_array()?;
        match (self.rank(), places.is_empty()) {
            (0, _) | (_, true) => Ok(Array::zeros(self.device(), &[places.len(), self.rank()])),
            _ => Array::stack(&places.unravel_index(self.shape())?.iter().collect::<Vec<_>>(), 1),
        }
    }

    /// Coordinate matrices from coordinate vectors, as NumPy's `meshgrid` with `indexing="ij"`: the first vector runs
    /// along the first axis, the second along the second, and so on. Views; no copy.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let grid = Array::meshgrid_ij(&[&device.array([1, 2]), &device.array([10, 20, 30])])?;
    /// assert_eq!((&grid[0] + &grid[1]).to_vec()?, [11, 21, 31, 12, 22, 32]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: arrays of more than one dimension, or on several devices; the error that an array holds; no array.
    #[track_caller]
    pub fn meshgrid_ij(arrays: &[&Array<T>]) -> Result<Vec<Array<T>>> {
        grid("meshgrid_ij", arrays, Location::caller())
    }

    /// As [`Array::meshgrid_ij`], but the first vector runs along the second axis and the second along the first, as x and y
    /// of a picture do: NumPy's `meshgrid`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let grid = Array::meshgrid(&[&device.array([1, 2, 3]), &device.array([10, 20])])?;
    /// assert_eq!((&grid[0] + &grid[1]).to_string(), "[[11 12 13]\n [21 22 23]]");
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: as [`Array::meshgrid_ij`].
    #[track_caller]
    pub fn meshgrid(arrays: &[&Array<T>]) -> Result<Vec<Array<T>>> {
        let mut arrays = arrays.to_vec();
        let two = arrays.len() > 1;
        if two {
            arrays.swap(0, 1);
        }
        let mut made = grid("meshgrid", &arrays, Location::caller())?;
        if two {
            made.swap(0, 1);
        }
        Ok(made)
    }
}

/// Each array along an axis of its own, repeated along the others.
fn grid<T: Element>(operation: &'static str, arrays: &[&Array<T>], at: CallSite) -> Result<Vec<Array<T>>> {
    let Some(first) = arrays.first() else {
        return Err(Error::argument(operation, "arrays", "at least one", "none", at));
    };
    for array in arrays {
        array.check()?;
        if array.device() != first.device() {
            let (wanted, got) = (format!("{:?}", first.device()), format!("{:?}", array.device()));
            return Err(Error::argument(operation, "device", wanted, got, at));
        }
        if array.rank() > 1 {
            let got = format!("shape {:?}", array.shape());
            return Err(Error::argument(operation, "arrays", "one dimension each", got, at));
        }
    }
    let shape: Vec<usize> = arrays.iter().map(|array| array.len()).collect();
    crate::array::create::fits(operation, T::DTYPE, &shape, at)?;
    let along = |(axis, array): (usize, &&Array<T>)| {
        let mut own = vec![1; shape.len()];
        own[axis] = array.len();
        array.reshape(&own).broadcast_to(&shape)
    };
    Ok(arrays.iter().enumerate().map(along).collect())
}

impl Array<u32> {
    /// The index along each axis of a shape, of the elements with these row-major indices: NumPy's `unravel_index`.
    /// Each result has this array's shape, and fuses with the surrounding operations.
    ///
    /// Indices are not checked: one past the end gives a first index past the first axis.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let places = device.array([1u32, 5]).unravel_index(&[2, 3])?;
    /// assert_eq!((places[0].to_vec()?, places[1].to_vec()?), (vec![0, 1], vec![1, 2]));
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: a shape of no element, or of more than 2^32; the error that the array holds.
    #[track_caller]
    pub fn unravel_index(&self, shape: &[usize]) -> Result<Vec<Array<u32>>> {
        self.check()?;
        countable("unravel_index", shape, Location::caller())?;
        let strides = Layout::contiguous(shape).strides;
        // A stride of 2^32 has one index behind it.
        let along = |(axis, (&extent, &stride)): (usize, (&usize, &isize))| match u32::try_from(stride) {
            Err(_) => self.zeros_like(),
            Ok(stride) if axis == 0 => self / stride,
            Ok(stride) => match u32::try_from(extent) {
                Ok(extent) => self / stride % extent,
                Err(_) => self / stride,
            },
        };
        Ok(shape.iter().zip(&strides).enumerate().map(along).collect())
    }

    /// The row-major indices of the elements of a shape with these indices, an array for each axis: NumPy's
    /// `ravel_multi_index`. The arrays are broadcast together, and it fuses with the surrounding operations.
    ///
    /// Indices are not checked: an index past the end of its axis gives an element of the next row.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let (rows, columns) = (device.array([0u32, 1]), device.array([1u32, 2]));
    /// assert_eq!(Array::ravel_multi_index(&[&rows, &columns], &[2, 3])?.to_vec()?, [1, 5]);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: not an array for each axis; a shape as for [`Array::unravel_index`]. Shapes that do not broadcast are an
    /// error kept in the array.
    #[track_caller]
    pub fn ravel_multi_index(indices: &[&Array<u32>], shape: &[usize]) -> Result<Array<u32>> {
        let (operation, at) = ("ravel_multi_index", Location::caller());
        countable(operation, shape, at)?;
        if indices.len() != shape.len() || indices.is_empty() {
            let wanted = format!("one for each axis of {shape:?}, and at least one");
            return Err(Error::argument(operation, "indices", wanted, indices.len().to_string(), at));
        }
        let strides = Layout::contiguous(shape).strides;
        // A stride of 2^32 wraps to 0: the only index behind it is 0.
        let part = |(&index, stride): (&&Array<u32>, &isize)| index * (*stride as u32);
        Ok(indices.iter().zip(&strides).map(part).reduce(|sum, part| sum + part).expect("there is one"))
    }

    /// The indices of each element of a shape: along axis 0, along axis 1, and so on, stacked along a new first axis.
    /// NumPy's `indices`.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::indices(device, &[2, 2]);
    /// assert_eq!(x.to_string(), "[[[0 0]\n  [1 1]]\n\n [[0 1]\n  [0 1]]]");
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): no axis; a shape of more than 2^32 elements.
    #[track_caller]
    pub fn indices(device: &Device, shape: &[usize]) -> Array<u32> {
        let (operation, at) = ("indices", Location::caller());
        let made = || -> Result<Array<u32>> {
            if shape.is_empty() {
                return Err(Error::argument(operation, "shape", "at least one axis", "none", at));
            }
            if count(shape) == 0 {
                return Ok(Array::zeros(device, &[&[shape.len()], shape].concat()));
            }
            countable(operation, shape, at)?;
            let along = |axis: usize| {
                let mut strides = vec![0; shape.len()];
                strides[axis] = 1;
                let layout = Layout { shape: shape.to_vec(), strides, offset: 0 };
                Array::<u32>::of(Node::lazy(device, shape.to_vec(), DType::U32, Expr::Index(layout)))
            };
            let axes: Vec<Array<u32>> = (0..shape.len()).map(along).collect();
            Array::stack(&axes.iter().collect::<Vec<_>>(), 0)
        };
        Array::kept(device, made())
    }
}
