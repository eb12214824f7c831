//! Connected components of masks.

use crate::array::Array;
use crate::array::reductions::Scan;
use crate::element::DType;
use crate::graph::{Take, Task};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::op::{Expression, Op};
use crosslane_ops::{Components, OutOfRange};
use std::panic::Location;

/// The most axes of masks.
const AXES: usize = 3;

impl Array<bool> {
    /// The connected components of a mask, by numbers from 1 on in the row-major order of their first values, 0 elsewhere; and how
    /// many there are. SciPy's `ndimage.label`, with its numbers. Values are connected that differ by one along at most so
    /// many axes: of an image 1 means 4 neighbours, 2 means 8; of a volume 1, 2 and 3 mean 6, 18 and 26.
    ///
    /// Cost: three launches for a forest of components, a scan and two launches for the numbers, whatever the mask (union-find by
    /// atomics: Playne and Hawick, 2018; Komura, 2015). The result does not depend on the order in which a device works.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let mask = Array::from_shape(device, &[3, 4], &[1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1]).cast::<bool>();
    /// let (labels, count) = mask.label(1);
    /// assert_eq!(labels.to_vec()?, [1, 0, 0, 2, 0, 3, 0, 2, 0, 0, 0, 2]);
    /// assert_eq!(count.item()?, 3);
    /// assert_eq!(mask.label(2).1.item()?, 2);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in both): a mask of no axis or more than three; a connectivity of 0 or above the number of axes; more bytes than
    /// a kernel binds.
    #[doc(alias = "connected_components")]
    #[track_caller]
    pub fn label(&self, connectivity: usize) -> (Array<u32>, Array<u32>) {
        let result = || {
            let parents = self.parents("label", connectivity, Location::caller())?;
            if parents.is_empty() {
                return Ok((parents, Array::zeros(self.device(), &[])));
            }
            let flat = parents.flatten();
            let roots = flat.equal(Array::counting(self.device(), flat.len()));
            let numbers: Array<u32> = Scan::count_nonzero().call(&roots);
            let count = numbers.slice(crate::s![-1]);
            // Where there is no component the parent is past the end: 0 is read.
            Ok((numbers.take(&parents, OutOfRange::Drop), count))
        };
        result().unwrap_or_else(|error: Error| {
            (Array::failed(self.device(), error.clone()), Array::failed(self.device(), error))
        })
    }

    /// The number of the first value of each value's component; 2^32 - 1 for others.
    pub(super) fn parents(&self, operation: &'static str, connectivity: usize, at: CallSite) -> Result<Array<u32>> {
        let shape = self.check()?.shape().to_vec();
        if !(1..=AXES).contains(&shape.len()) {
            let wanted = format!("a mask of 1 to {AXES} axes");
            return Err(Error::argument(operation, "array", wanted, format!("{shape:?}"), at));
        }
        if !(1..=shape.len()).contains(&connectivity) {
            let wanted = format!("1 to {}", shape.len());
            return Err(Error::argument(operation, "connectivity", wanted, connectivity.to_string(), at));
        }
        if shape.contains(&0) {
            return Ok(Array::zeros(self.device(), &shape));
        }
        let outputs = vec![(shape.clone(), DType::U32)];
        let make = move |mut inputs: Vec<Expression>, output: usize| {
            let (expression, shape) = (inputs.remove(0), shape.clone());
            Box::new(Components { expression, shape, connectivity, output }) as Box<dyn Op>
        };
        Ok(Array::of(Task::nodes(&[(&*self.node, Take::Fused)], outputs, 1, make).remove(0)))
    }
}
