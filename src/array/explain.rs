//! `explain()`: the kernels that would run, with their WGSL, bytes and operations.

use super::Array;
use crate::element::Element;
use crate::graph::Batch;
use crosslane_core::engine::explained;
use crosslane_core::error::Result;
use crosslane_core::work::Launch;
use std::fmt;
use std::panic::Location;

/// The work of evaluating an array. Prints as a report.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explanation {
    /// The operations, in order.
    pub steps: Vec<ExplainedStep>,
}

/// One operation of an [`Explanation`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExplainedStep {
    /// The operation's name.
    pub operation: &'static str,
    /// The least memory traffic, in bytes.
    pub bytes: u64,
    /// Arithmetic operations.
    pub flops: u64,
    /// Bytes of temporary memory.
    pub scratch: u64,
    /// Each kernel launch: name, workgroups and WGSL. Where a kernel written by hand in CUDA runs instead, its text.
    pub kernels: Vec<(String, [u32; 3], String)>,
}

impl<T: Element> Array<T> {
    /// Keeps the array's expression and its inputs after evaluation, so that [`Array::explain`] still works. The inputs
    /// then stay in memory as long as this array. Has no effect on an array that is in memory already.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::<f32>::ones(device, &[1000]).copy();
    /// let y = (&x * 2.0).sqrt();
    /// y.keep_recipe();
    /// y.eval()?;
    /// assert_eq!(y.explain()?.steps.len(), 1);
    /// # Ok(()) });
    /// ```
    pub fn keep_recipe(&self) {
        self.node.keep_recipe();
    }

    /// The kernels that evaluating the array would run, or did if [`Array::keep_recipe`] asked to keep them. Nothing
    /// runs, and the array stays deferred.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::<f32>::ones(device, &[1000]).copy();
    /// x.eval()?;
    /// let plan = (&x * 2.0 + 1.0).sqrt().explain()?;
    /// assert_eq!(plan.steps.len(), 1);
    /// assert_eq!(plan.steps[0].bytes, 8000);
    /// println!("{plan}");
    /// # Ok(()) });
    /// ```
    ///
    /// Errors: the error that the array holds; too large; out of memory.
    #[track_caller]
    pub fn explain(&self) -> Result<Explanation> {
        let mut batch = Batch::new(self.device(), Location::caller());
        batch.record = Some(vec![]);
        if let Some(recipe) = self.node.recipe() {
            batch.assume(&self.node, recipe);
        }
        batch.materialise(&self.node)?; // nobody else sees what a batch has planned
        let grid = self.device().caps().grid;
        let Batch { record, launches, .. } = batch;
        let record = record.unwrap_or_default();
        let mut launches = launches.iter();
        let mut step = |(op, plan): &(Box<dyn crosslane_core::op::Op>, crosslane_core::op::Plan)| ExplainedStep {
            operation: op.name(),
            bytes: op.bytes(),
            flops: op.flops(),
            scratch: plan.scratch.iter().sum(),
            kernels: plan
                .passes
                .iter()
                .zip(&mut launches)
                .map(|(pass, launch)| {
                    let (name, source) = self.what_runs(launch);
                    (name, pass.grid.fold(grid), source)
                })
                .collect(),
        };
        Ok(Explanation { steps: record.iter().map(&mut step).collect() })
    }

    /// The name and the text of what runs for a launch.
    fn what_runs(&self, launch: &Launch) -> (String, String) {
        let kernel = &launch.kernel;
        if let Some((note, text)) = explained(&**self.device().driver(), launch) {
            return (format!("{}, {note}", kernel.name()), text.unwrap_or_else(|| kernel.source().into()));
        }
        (kernel.name().into(), kernel.source().into())
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.steps.is_empty() {
            return writeln!(f, "nothing to compute: the array is in memory");
        }
        for (number, step) in self.steps.iter().enumerate() {
            let ExplainedStep { operation, bytes, flops, scratch, kernels } = step;
            writeln!(f, "{}. {operation}: {bytes} bytes, {flops} operations, {scratch} bytes of scratch", number + 1)?;
            for (name, [x, y, z], source) in kernels {
                writeln!(f, "   kernel {name}, {x} x {y} x {z} workgroups")?;
                for line in source.lines() {
                    writeln!(f, "   | {line}")?;
                }
            }
        }
        Ok(())
    }
}
