//! Evaluation of arrays.

use super::Array;
use crate::element::Element;
use crate::graph::{Node, Storage, evaluate, storage_of};
use crosslane_core::error::{Error, Result};
use std::panic::Location;
use std::sync::Arc;

/// Evaluates arrays in one submission, without waiting for them.
///
/// ```
/// # crosslane::example(|device| {
/// use crosslane::{Array, eval_all};
/// let x = Array::<f32>::ones(device, &[4]);
/// let (a, b) = (&x + 1.0, &x * 5.0);
/// eval_all(&[&a, &b])?;
/// assert_eq!(b.to_vec()?, [5.0; 4]);
/// # Ok(()) });
/// ```
///
/// Errors: as for the first of them that fails; arrays on several devices.
#[track_caller]
pub fn eval_all<T: Element>(arrays: &[&Array<T>]) -> Result<()> {
    let nodes = one_device("eval_all", arrays)?;
    evaluate(&nodes)
}

/// The nodes of arrays on one device.
#[track_caller]
pub(crate) fn one_device<T: Element>(operation: &'static str, arrays: &[&Array<T>]) -> Result<Vec<Arc<Node>>> {
    let nodes: Vec<Arc<Node>> = arrays.iter().map(|array| array.node.clone()).collect();
    match nodes.iter().find(|node| node.device != nodes[0].device) {
        None => Ok(nodes),
        Some(other) => {
            let (wanted, got) = (format!("{:?}", nodes[0].device), format!("{:?}", other.device));
            Err(Error::argument(operation, "device", wanted, got, Location::caller()))
        }
    }
}

impl<T: Element> Array<T> {
    /// Computes the array, without waiting: later uses read it from memory.
    ///
    /// Errors: the error that the array holds; too large; out of memory; device lost.
    ///
    /// ```
    /// # crosslane::example(|device| {
    /// let x = crosslane::Array::<f32>::ones(device, &[1000]).exp();
    /// x.eval()?;
    /// # Ok(()) });
    /// ```
    #[track_caller]
    pub fn eval(&self) -> Result<()> {
        evaluate(std::slice::from_ref(&self.node))
    }

    /// The array in memory, computed if need be.
    #[track_caller]
    pub(crate) fn storage(&self) -> Result<Storage> {
        self.eval()?;
        storage_of(&self.node)
    }
}
