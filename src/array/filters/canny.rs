//! Canny's edges.

use crate::array::Array;
use crate::array::shapes::PadMode;
use crate::element::Part;
use crate::graph::{Take, Task};
use crosslane_core::error::{CallSite, Error, Result};
use crosslane_core::op::{Expression, Op};
use crosslane_ops::{OutOfRange, Suppress};
use std::panic::Location;

impl<R: Part> Array<R> {
    /// The edges of an image by Canny's filter (1986), as scikit-image's `canny`: smoothed by a bell of this deviation, whose weights
    /// past the ends do not count; slopes by Sobel's filter; those that are greatest across the edge, by interpolation between
    /// neighbours, and at least `low`; of these the connected ones (8 neighbours) of which one is at least `high`. There
    /// are no edges at the border. Slopes are the sums of `sobel`: for values from 0 to 1 scikit-image's
    /// thresholds are 0.1 and 0.2.
    ///
    /// Cost: two launches each for smoothing and for each slope, one for the greatest slopes, three for the components, and three
    /// for those with a strong value.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// use crosslane::Array;
    /// let columns = Array::arange(device, 0.0f32, 12.0, 1.0).broadcast_to(&[9, 12]);
    /// let step = columns.greater(5.0).cast::<f32>();
    /// let edges = step.canny(1.0, 0.1, 0.2);
    /// assert!(edges.count_nonzero_axes(1).slice(crosslane::s![1..8]).min().item()? >= 1);
    /// # Ok(()) });
    /// ```
    ///
    /// Errors (kept in the array): an array that has not two axes; a deviation as for [`Array::gaussian_filter`]; thresholds that are
    /// not numbers, negative, or `high` below `low`; more bytes than a kernel binds.
    #[track_caller]
    pub fn canny(&self, sigma: f64, low: R, high: R) -> Array<bool> {
        Array::kept(self.device(), self.edges(sigma, [low, high], Location::caller()))
    }

    fn edges(&self, sigma: f64, [low, high]: [R; 2], at: CallSite) -> Result<Array<bool>> {
        let name = "canny";
        let &[rows, columns] = self.check()?.shape() else {
            let wanted = "an image of two axes";
            return Err(Error::argument(name, "array", wanted, format!("{:?}", self.shape()), at));
        };
        let [least, most] = [low, high].map(|threshold| threshold.scalar().to_f64());
        if !(least >= 0.0 && most >= least) {
            let got = format!("{least} and {most}");
            return Err(Error::argument(name, "high", "thresholds of at least 0, low at most high", got, at));
        }
        if rows == 0 || columns == 0 {
            return Ok(Array::full(self.device(), &[rows, columns], false));
        }
        let zeros = PadMode::Constant(R::rounded(0.0));
        let inside =
            |shape: &[usize], axis: isize| Array::<R>::ones(self.device(), shape).gaussian_filter(sigma, axis, zeros);
        let weights = inside(&[rows, 1], 0) * inside(&[1, columns], 1);
        let smooth = self.gaussian_filter(sigma, .., zeros) / weights;
        let smooth = smooth.check()?;
        let slopes = [0, 1].map(|axis| smooth.sobel(axis, PadMode::Symmetric));
        let lengths = slopes[0].suppressed(&slopes[1], [1, rows, columns]);
        let weak = lengths.greater(R::rounded(0.0)) & lengths.greater_equal(low);
        let parents = weak.parents(name, 2, at)?;
        let strong = (&weak & &lengths.greater_equal(high)).select(&parents, u32::MAX);
        let marks = Array::<u32>::zeros(self.device(), &[rows * columns]);
        let marks = marks.scatter_max(&strong, &Array::ones(self.device(), &[rows, columns]), OutOfRange::Drop);
        // What is of no component is past the end: 0 is read.
        Ok(marks.take(&parents, OutOfRange::Drop).not_equal(0))
    }

    /// The lengths of slopes where they are greatest across an edge.
    fn suppressed(&self, right: &Array<R>, shape: [usize; 3]) -> Array<R> {
        let outputs = vec![(self.shape().to_vec(), R::DTYPE)];
        let make = move |inputs: Vec<Expression>, output: usize| {
            let slopes = inputs.try_into().expect("two slopes were given");
            Box::new(Suppress { slopes, shape, output }) as Box<dyn Op>
        };
        let inputs = [(&*self.node, Take::Dense), (&*right.node, Take::Dense)];
        Array::of(Task::nodes(&inputs, outputs, 1, make).remove(0))
    }
}
