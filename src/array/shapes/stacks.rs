//! Arrays stacked above and beside each other.

use crate::array::Array;
use crate::element::Element;
use crosslane_core::error::Result;

impl<T: Element> Array<T> {
    /// Arrays above each other: NumPy's `vstack`. Arrays of one dimension are rows; others go one after the other along the
    /// first axis. As [`Array::concatenate`] in cost and errors.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::vstack(&[&device.array([1, 2]), &device.array([3, 4])])?;
    /// assert_eq!(x.to_string(), "[[1 2]\n [3 4]]");
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn vstack(arrays: &[&Array<T>]) -> Result<Array<T>> {
        let rows =
            |array: &&Array<T>| if array.rank() < 2 { array.reshape(&[1, array.len()]) } else { (*array).clone() };
        let rows: Vec<Array<T>> = arrays.iter().map(rows).collect();
        Array::concatenate(&rows.iter().collect::<Vec<_>>(), 0)
    }

    /// Arrays beside each other: NumPy's `hstack`. Arrays of one dimension go one after the other; others along the second
    /// axis. As [`Array::concatenate`] in cost and errors.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// assert_eq!(Array::hstack(&[&device.array([1, 2]), &device.array([3])])?.to_vec()?, [1, 2, 3]);
    /// let column = device.array([1, 2]).reshape(&[2, 1]);
    /// assert_eq!(Array::hstack(&[&column, &column])?.to_string(), "[[1 1]\n [2 2]]");
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn hstack(arrays: &[&Array<T>]) -> Result<Array<T>> {
        let line = |array: &&Array<T>| if array.rank() == 0 { array.flatten() } else { (*array).clone() };
        let lines: Vec<Array<T>> = arrays.iter().map(line).collect();
        let axis = (lines.first().is_some_and(|array| array.rank() > 1)) as isize;
        Array::concatenate(&lines.iter().collect::<Vec<_>>(), axis)
    }
}
