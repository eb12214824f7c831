//! Kernels planned once and run again.

use super::Array;
use super::evaluate::{Batch, one_device};
use crate::backend::{Block, Launch};
use crate::device::Device;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::ops::Nothing;
use std::panic::Location;

/// The kernels that bring some arrays into memory, ready to run again and again with nothing to plan: what CUDA
/// calls a graph.
///
/// The arrays' values do not change by running again: it is for measuring, and for the cheapest launch there is. An
/// array with more than 128 steps behind it was computed in part while it was built: only the rest is prepared.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::{Array, Prepared};
/// let x = Array::<f32>::ones(device, &[1000]).copy();
/// let y = &x + 1.0;
/// let kernels = Prepared::new(&[&y])?;
/// kernels.run()?;
/// assert_eq!(y.sum().item()?, 2000.0);
/// # Ok(()) });
/// ```
pub struct Prepared {
    device: Device,
    /// Keeps the memory that the kernels use.
    launches: Vec<Launch>,
    ready: Block,
}

impl Prepared {
    /// Plans and computes the arrays; those that are in memory already need no kernel.
    ///
    /// Errors: as [`crate::eval_all`].
    #[track_caller]
    pub fn new<T: Element>(arrays: &[&Array<T>]) -> Result<Prepared> {
        let nodes = one_device("Prepared::new", arrays)?;
        let Some(first) = nodes.first() else {
            return Err(Error::argument("Prepared::new", "arrays", "one at least", "none", Location::caller()));
        };
        let device = first.device.clone();
        let _order = device.evaluating();
        let mut batch = Batch::new(&device);
        nodes.iter().try_for_each(|node| batch.materialise(node)).map_err(|e| batch.undo(e))?;
        let launches = std::mem::take(&mut batch.launches);
        let ready = device.driver().prepare(&launches).map_err(|e| batch.undo(e))?;
        device.driver().submit_prepared(&ready).map_err(|e| batch.undo(e))?;
        Ok(Prepared { device: device.clone(), launches, ready })
    }

    /// So many empty kernels, to measure what a launch costs.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let empty = crosslane::Prepared::nothing(device, 10)?;
    /// empty.run()?;
    /// device.synchronize()?;
    /// assert_eq!(empty.len(), 10);
    /// # Ok(()) });
    /// ```
    pub fn nothing(device: &Device, count: usize) -> Result<Prepared> {
        let mut batch = Batch::new(device);
        batch.push(Nothing(count), vec![])?;
        let launches = batch.launches;
        Ok(Prepared { device: device.clone(), ready: device.driver().prepare(&launches)?, launches })
    }

    /// Runs the kernels again, without waiting for them.
    ///
    /// Errors: device lost.
    pub fn run(&self) -> Result<()> {
        self.device.driver().submit_prepared(&self.ready)
    }

    /// How many kernels there are.
    pub fn len(&self) -> usize {
        self.launches.len()
    }

    /// Whether there is no kernel.
    pub fn is_empty(&self) -> bool {
        self.launches.is_empty()
    }
}
